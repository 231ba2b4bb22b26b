"""Settings over HTTP: meaning, secrets, and errors by field."""

import asyncio

import pytest

import bot.platforms.telegram.doctor  # noqa: F401 - takes seconds to import, which count for no test
from bot.config.editor import SettingsEditor
from tests.support.chat_servers.telegram import TelegramServer
from tests.support.http_bot import with_token

PATH = "/api/admin/settings"
SECRET = "sk-planted-over-http"


@pytest.fixture
def editor(tmp_path):
    file = tmp_path / "config.toml"
    file.write_text(f'[bot]\ndata_dir = "{tmp_path / "data"}"\n', encoding="utf-8")
    return SettingsEditor(file, {"BUBBLES_BOT__TIMEZONE": "UTC"})


@pytest.fixture
async def api(api_of, editor):
    return await api_of(editor=editor)


async def list_settings(api):
    settings = (await api.get(PATH)).json()["settings"]
    return {f"{each['group']}.{each['name']}": each for each in settings}


async def change(api, **values):
    values = {key.replace("__", "."): value for key, value in values.items()}
    return await api.patch(PATH, json={"values": values})


async def test_every_setting_is_listed_with_schema_meaning_and_origin(api):
    await change(api, bot__name="Ruby")
    settings = await list_settings(api)

    assert len(settings) > 150
    assert settings["http.port"]["value_schema"] == {"type": "integer", "minimum": 0, "maximum": 65535}
    assert settings["router.listen"]["value_schema"]["enum"] == ["all", "addressed", "smart"]
    assert settings["platforms.telegram.poll_seconds"]["default"] == 30
    assert {key: settings[key]["origin"] for key in ("bot.name", "bot.data_dir", "bot.timezone", "bot.language")} == {
        "bot.name": "page",
        "bot.data_dir": "file",
        "bot.timezone": "environment",
        "bot.language": "default",
    }
    assert [
        key for key in ("bot.name", "bot.data_dir", "bot.timezone", "workspace.folder") if settings[key]["is_editable"]
    ] == ["bot.name"]


async def test_secret_is_taken_and_never_sent_back(api, editor):
    answer = await change(api, model__api_key=SECRET)
    texts = [answer.text, (await api.get(PATH)).text, (await api.get(f"{PATH}/changes")).text]

    assert editor.load().settings.model.api_key.get_secret_value() == SECRET
    assert all(SECRET not in text and "secrets/" not in text for text in texts)
    [entry] = (await api.get(f"{PATH}/changes")).json()["changes"][0]["values"]
    assert entry == {"key": "model.api_key", "before": None, "after": True}


@pytest.mark.parametrize(
    ("language", "problems"),
    [
        (
            "en",
            {"bot.timezone": "An environment variable sets it", "http.port": "at most 65535", "model.base_url": "http"},
        ),
        ("zh", {"bot.timezone": "环境变量", "http.port": "65535", "model.base_url": "开头的地址"}),
        ("es", {"bot.timezone": "variable de entorno", "http.port": "65535", "model.base_url": "una dirección"}),
    ],
)
async def test_invalid_settings_are_reported_at_their_fields(api, editor, language, problems):
    values = {"bot.timezone": "Mars", "http.port": 70_000, "model.base_url": "nowhere", "bot.name": "Ruby"}

    answer = await api.patch(PATH, json={"values": values}, headers={"Accept-Language": language})

    assert answer.status_code == 422
    assert set(answer.json()["fields"]) == set(problems)
    assert all(text in answer.json()["fields"][key] for key, text in problems.items())
    assert editor.changes() == []


async def test_page_cannot_be_opened_to_other_machines_without_a_token(api, editor):
    answer = await change(api, http__host="0.0.0.0")

    assert answer.status_code == 422
    assert set(answer.json()["fields"]) == {"http.host"}
    assert editor.changes() == []


async def test_change_needs_a_restart_without_a_waiting_process(api):
    answer = (await change(api, bot__name="Ruby")).json()

    assert answer == {"id": 1, "is_applied": False, "restart": ["bot.name"]}


@pytest.mark.parametrize("key", ["model.api_key", "search.brave_api_key"])
async def test_key_that_no_header_can_have_is_refused(api, editor, key):
    tried = await api.post(f"{PATH}/test", json={"part": key.partition(".")[0], "values": {key: "sk-123…"}})
    saved = await api.patch(PATH, json={"values": {key: "sk-123…"}})

    assert [(each.status_code, set(each.json()["fields"])) for each in (tried, saved)] == [(422, {key})] * 2
    assert "sk-123" not in saved.text


async def test_change_is_applied_by_a_waiting_process(api, editor):
    editor.changed = asyncio.Event()

    answer = (await change(api, bot__name="Ruby", http__port=1234)).json()

    assert answer == {"id": 1, "is_applied": True, "restart": ["http.port"]}
    assert editor.changed.is_set()


async def test_changes_are_listed_and_undone(api, editor):
    await change(api, bot__name="Ruby")
    response = await api.post(f"{PATH}/changes/1/undo")
    changes = (await api.get(f"{PATH}/changes")).json()["changes"]

    assert response.json()["id"] == 2
    assert editor.load().settings.bot.name == "Bubbles"
    assert [(each["id"], each["person"], each["undoes"]) for each in changes] == [(2, "you", 1), (1, "you", None)]
    assert (await api.post(f"{PATH}/changes/9/undo")).status_code == 404


async def test_bot_without_an_editor_shows_its_settings_only(api_of):
    api = await api_of()

    assert (await api.get(PATH)).json()["file"] == ""
    assert (await change(api, bot__name="Ruby")).status_code == 409
    assert (await api.get("/api/setup")).json() == {"is_offered": False}


async def test_platform_is_tried_with_values_that_are_not_kept(api, editor):
    async with TelegramServer() as telegram:
        values = {"platforms.telegram.api_url": telegram.url, "platforms.telegram.token": telegram.token}
        works = await api.post(f"{PATH}/test", json={"part": "telegram", "values": values})
        values["platforms.telegram.token"] = "1:wrong"
        chinese = {"Accept-Language": "zh"}
        fails = await api.post(f"{PATH}/test", json={"part": "telegram", "values": values}, headers=chinese)

    assert works.json()["results"][0]["said"].startswith("works: @")
    assert fails.json()["results"][0]["is_problem"]
    assert fails.json()["results"][0]["said"].startswith("被拒绝")
    assert "重新复制令牌" in fails.json()["results"][0]["next_step"]
    assert editor.changes() == []


async def test_model_and_search_are_tried(api):
    model = await api.post(f"{PATH}/test", json={"part": "model", "values": {"model.base_url": "http://127.0.0.1:9"}})
    search = await api.post(f"{PATH}/test", json={"part": "search", "values": {}})

    assert "does not answer" in model.json()["results"][0]["said"]
    assert search.json()["results"][0]["said"] == "no engine is set up"
    assert (await api.post(f"{PATH}/test", json={"part": "moon", "values": {}})).status_code == 404


@pytest.mark.parametrize(
    ("language", "reason"), [("en", "(not reachable)"), ("zh", "（无法连接）"), ("es", "(no se puede conectar)")]
)
async def test_part_that_is_not_reached_is_reported_in_the_language_of_the_reader(api, language, reason):
    values = {"model.base_url": "http://127.0.0.1:9", "search.searxng_url": "http://127.0.0.1:9"}

    for part in ("model", "search"):
        body = {"part": part, "values": {key: value for key, value in values.items() if key.startswith(part)}}
        tried = await api.post(f"{PATH}/test", json=body, headers={"Accept-Language": language})
        assert reason in tried.json()["results"][0]["said"]


async def test_setup_is_offered_until_the_bot_is_used_or_set_up(api, api_of, editor):
    assert (await api.get("/api/setup")).json() == {"is_offered": True}

    await api.post("/api/chat/send", json={"session_id": "lobby", "message": "hello", "name": "Ann"})
    assert (await api.get("/api/setup")).json() == {"is_offered": False}

    other = await api_of(editor=editor)
    await change(other, bot__name="Ruby")
    assert (await other.get("/api/setup")).json() == {"is_offered": False}


async def test_member_neither_sees_nor_changes_settings(api_of, editor):
    api = await api_of(editor=editor, http=with_token("s3cret-token"))
    admin = {"Authorization": "Bearer s3cret-token"}
    made = (await api.post("/api/admin/tokens", json={"name": "Ann"}, headers=admin)).json()
    member = {"Authorization": f"Bearer {made['token']}"}

    assert (await api.get(PATH, headers=member)).status_code == 403
    assert (await api.patch(PATH, json={"values": {"bot.name": "Ruby"}}, headers=member)).status_code == 403
    assert (await api.post(f"{PATH}/test", json={"part": "model", "values": {}}, headers=member)).status_code == 403
    assert (await api.get("/api/setup", headers=member)).json() == {"is_offered": False}
    assert (await api.get("/api/setup", headers=admin)).json() == {"is_offered": True}


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "https://evil.example"}])
async def test_other_sites_cannot_change_settings(api, editor, headers):
    answer = await api.patch(PATH, json={"values": {"bot.name": "Ruby"}}, headers=headers)

    assert answer.status_code in {403, 421}
    assert editor.changes() == []


async def test_health_names_the_setting_for_a_failed_check(api):
    checks = (await api.get("/api/admin/health")).json()["checks"]

    assert {each["name"]: each["setting"] for each in checks} == {
        "database": "storage",
        "model": "model",
        "search": "search",
        "token": "http.token",
        "platform": "",
    }
