"""Tool servers added in the page, whose keys are never sent back."""

import json

import pytest

from bot.config.editor import SettingsEditor
from bot.testing.clocks import FixedClock
from tests.support.http_bot import with_token
from tests.support.tool_servers.serving import served_app
from tests.support.tool_servers.time_server import time_server

PATH = "/api/tools/servers"
KEY = "key-of-the-time-server"


@pytest.fixture
def editor(tmp_path):
    file = tmp_path / "config.toml"
    file.write_text(f'[bot]\ndata_dir = "{tmp_path / "data"}"\n', encoding="utf-8")
    return SettingsEditor(file, {})


@pytest.fixture
async def api(api_of, editor):
    return await api_of(editor=editor)


def list_connections(editor):
    written = editor.load().settings.tool_servers.page_connections.get_secret_value()
    return json.loads(written) if written else []


async def test_server_is_added_listed_without_its_key_and_can_be_undone(api, editor):
    answer = await api.post(PATH, json={"url": "http://127.0.0.1:9", "name": "clock", "key": KEY})
    response = await api.get(PATH)
    changes = await api.get("/api/admin/settings/changes")

    assert answer.status_code == 201
    assert list_connections(editor)[0]["key"] == KEY
    assert response.json()["servers"] == [
        {
            "name": "clock",
            "type": "openapi",
            "url": "http://127.0.0.1:9",
            "has_key": True,
            "confirm": "changes",
            "enabled": True,
        }
    ]
    assert KEY not in response.text + changes.text + answer.text
    await api.post(f"/api/admin/settings/changes/{answer.json()['id']}/undo")
    assert list_connections(editor) == []


async def test_server_is_switched_and_removed(api, editor):
    await api.post(PATH, json={"url": "http://127.0.0.1:9/", "name": "clock", "key": KEY})
    await api.post(PATH, json={"type": "mcp", "url": "http://127.0.0.1:9/mcp"})

    await api.patch(f"{PATH}/clock", json={"enabled": False, "confirm": "always"})
    assert [(each["name"], each["enabled"]) for each in list_connections(editor)] == [
        ("clock", False),
        ("127_0_0_1_9", True),
    ]
    assert (list_connections(editor)[0]["key"], list_connections(editor)[0]["confirm"]) == (KEY, "always")
    await api.delete(f"{PATH}/clock")
    assert [each["name"] for each in list_connections(editor)] == ["127_0_0_1_9"]
    await api.delete(f"{PATH}/127_0_0_1_9")
    assert list_connections(editor) == []
    assert (await api.delete(f"{PATH}/clock")).status_code == 404


@pytest.mark.parametrize("name", ["clock", "local"])
async def test_name_that_is_taken_is_refused(api, editor, name):
    await api.post(PATH, json={"url": "http://127.0.0.1:9", "name": "clock"})

    answer = await api.post(PATH, json={"url": "http://127.0.0.1:8", "name": name})

    assert (answer.status_code, set(answer.json()["fields"])) == (409, {"name"})
    assert len(list_connections(editor)) == 1


@pytest.mark.parametrize("url", ["file:///etc/passwd", "nowhere", "http://"])
async def test_address_of_no_server_is_refused(api, editor, url):
    answer = await api.post(PATH, json={"url": url})

    assert (answer.status_code, set(answer.json()["fields"])) == (422, {"url"})
    assert list_connections(editor) == []


@pytest.mark.parametrize("path", [PATH, f"{PATH}/test"])
async def test_key_that_no_header_can_have_is_refused(api, editor, path):
    answer = await api.post(path, json={"url": "http://127.0.0.1:9", "key": "schlüssel"})

    assert (answer.status_code, set(answer.json()["fields"])) == (422, {"key"})
    assert list_connections(editor) == []


@pytest.mark.parametrize("kind", ["openapi", "mcp"])
@pytest.mark.parametrize(
    ("language", "begin"),
    [
        ("en", "the server cannot be reached"),
        ("zh", "无法连接服务器"),
        ("es", "no se puede conectar con el servidor"),
    ],
)
async def test_server_that_does_not_answer_is_reported_in_the_language_of_the_reader(api, kind, language, begin):
    server, headers = {"type": kind, "url": "http://127.0.0.1:9", "name": "clock"}, {"Accept-Language": language}
    await api.post(PATH, json=server)

    for path, body in ((f"{PATH}/test", server), (f"{PATH}/clock/test", None)):
        probe = (await api.post(path, json=body, headers=headers)).json()
        assert probe["tools"] == []
        assert probe["problem"].startswith(begin)
        assert "Error" not in probe["problem"]


async def test_server_is_tried_before_and_after_it_is_added(api, editor):
    async with served_app(time_server(FixedClock(api.context.clock.now()))) as url:
        probe = (await api.post(f"{PATH}/test", json={"url": url})).json()
        assert "get_current_utc_get_current_utc_time_get" in probe["tools"]
        assert list_connections(editor) == []
        await api.post(PATH, json={"url": url, "name": "clock"})
        assert (await api.post(f"{PATH}/clock/test")).json() == probe


async def test_member_cannot_add_servers(api_of, editor):
    api = await api_of(editor=editor, http=with_token("s3cret-token"))
    admin = {"Authorization": "Bearer s3cret-token"}
    made = (await api.post("/api/admin/tokens", json={"name": "Ann"}, headers=admin)).json()
    member = {"Authorization": f"Bearer {made['token']}"}

    assert (await api.post(PATH, json={"url": "http://127.0.0.1:9"}, headers=member)).status_code == 403
    assert (await api.get(PATH, headers=member)).status_code == 403
    assert list_connections(editor) == []
