"""Python tools over HTTP: versions, access, export and import."""

import pytest

from bot.config.settings import ToolServerSettings
from tests.support.http_bot import with_token

SOURCE = '''
"""
title: Dice
version: 1.0
"""
from pydantic import BaseModel

class Tools:
    class Valves(BaseModel):
        sides: int = 6

    def __init__(self):
        self.valves = self.Valves()

    def roll_dice(self, count: int = 1) -> dict:
        """
        Roll dice.

        :param count: How many dice
        """
        return {"count": count, "sides": self.valves.sides}
'''


@pytest.fixture
async def api(api_of):
    return await api_of(tool_servers=ToolServerSettings(python_tools=True))


async def create(api, **more):
    return await api.post("/api/tools/create", json={"content": SOURCE, **more})


async def names(api, person="Ann"):
    tools = (await api.get("/api/tools", params={"name": person})).json()["tools"]
    return {tool["name"]: tool for tool in tools}


async def test_tool_is_read_stored_listed_and_called(api):
    created = (await create(api)).json()
    tool = (await names(api))["roll_dice"]
    await api.post("/api/tools/id/dice/valves/update", json={"sides": 20})
    called = (await api.post("/api/tools/roll_dice/invoke", json={"arguments": {"count": 2}})).json()

    assert (created["id"], created["name"], created["meta"]["manifest"]["version"]) == ("dice", "Dice", "1.0")
    assert (tool["source"], tool["parameters"]["properties"]["count"]["description"]) == ("python", "How many dice")
    assert called["result"] == {"count": 2, "sides": 20}


async def test_mistake_in_the_source_is_reported_with_its_line(api):
    answer = await api.post("/api/tools/create", json={"content": "class Tools:\n    def broken(\n"})

    assert answer.status_code == 422
    assert "line 2" in answer.json()["fields"]["content"]


async def test_id_is_used_once(api):
    await create(api)

    assert (await create(api)).status_code == 409


async def test_versions_are_listed_the_latest_first(api):
    await create(api)
    await api.post("/api/tools/id/dice/update", json={"content": SOURCE + "# two\n"})

    versions = (await api.get("/api/tools/id/dice/versions")).json()["versions"]

    assert [each["version"] for each in versions] == [2, 1]


async def test_a_switched_off_tool_is_neither_listed_nor_called(api):
    await create(api)
    await api.post("/api/tools/id/dice/toggle", json={"is_enabled": False})

    assert "roll_dice" not in await names(api)
    assert (await api.post("/api/tools/roll_dice/invoke", json={})).status_code == 404


async def test_a_private_tool_is_hidden_from_others_and_uncallable(api):
    await create(api, access_control={"read": {"user_ids": ["web:ann"]}})

    called = await api.post("/api/tools/roll_dice/invoke", json={"name": "Eve"})

    assert "roll_dice" in await names(api, "Ann")
    assert "roll_dice" not in await names(api, "Eve")
    assert called.status_code == 404


async def test_tools_are_exported_and_imported_again(api):
    await create(api)
    exported = (await api.get("/api/tools/export")).json()["tools"]
    await api.delete("/api/tools/id/dice/delete")

    tools = [{"id": each["id"], "name": each["name"], "content": each["content"]} for each in exported]
    imported = await api.post("/api/tools/import", json={"tools": tools})

    assert [each["id"] for each in imported.json()["tools"]] == ["dice"]
    assert "roll_dice" in await names(api)


async def test_settings_that_do_not_fit_are_refused(api):
    await create(api)

    assert (await api.post("/api/tools/id/dice/valves/update", json={"sides": "many"})).status_code == 422


async def test_missing_tool_is_not_found(api):
    answers = [
        await api.get("/api/tools/id/dice"),
        await api.delete("/api/tools/id/dice/delete"),
        await api.get("/api/tools/id/dice/versions"),
        await api.post("/api/tools/id/dice/toggle", json={"is_enabled": True}),
    ]

    assert {answer.status_code for answer in answers} == {404}


ANN_ONLY = {"read": {"user_ids": ["web:ann"], "group_ids": []}}


@pytest.fixture
async def tools_api(served_api_of):
    return await served_api_of(tool_servers=ToolServerSettings(python_tools=True))


async def test_update_of_the_content_keeps_the_access_rule_and_the_description(tools_api):
    await create(tools_api, access_control=ANN_ONLY, meta={"description": "Rolls."})

    updated = (await tools_api.post("/api/tools/id/dice/update", json={"content": SOURCE + "# two\n"})).json()

    assert (updated["access_control"], updated["meta"]["description"]) == (ANN_ONLY, "Rolls.")
    assert "roll_dice" not in await names(tools_api, "Eve")


async def test_update_with_null_makes_a_tool_public(tools_api):
    await create(tools_api, access_control=ANN_ONLY)

    updated = await tools_api.post("/api/tools/id/dice/update", json={"content": SOURCE, "access_control": None})

    assert updated.json()["access_control"] is None


async def test_export_is_imported_unchanged_into_another_bot(tools_api, served_api_of):
    other = await served_api_of(tool_servers=ToolServerSettings(python_tools=True))
    await create(tools_api, access_control=ANN_ONLY, meta={"description": "Rolls."})
    await tools_api.post("/api/tools/id/dice/toggle", json={"is_enabled": False})
    exported = (await tools_api.get("/api/tools/export")).json()

    first = await other.post("/api/tools/import", json=exported)
    again = await other.post("/api/tools/import", json=exported)

    stamps = {"created_at", "updated_at"}
    [before], [after] = exported["tools"], (await other.get("/api/tools/export")).json()["tools"]
    assert (first.status_code, again.status_code) == (200, 200)
    assert {key: after[key] for key in after if key not in stamps} == {
        key: before[key] for key in before if key not in stamps
    }


async def test_import_with_one_invalid_tool_saves_none(tools_api):
    good, bad = {"id": "dice", "content": SOURCE}, {"id": "odd", "content": SOURCE, "access_control": "nobody"}

    response = await tools_api.post("/api/tools/import", json={"tools": [good, bad]})

    assert response.status_code == 422
    assert (await tools_api.get("/api/tools/export")).json()["tools"] == []


@pytest.mark.parametrize(
    "nonsense",
    [
        "private",
        7,
        True,
        [],
        {"read": "everybody"},
        {"read": {"users": ["web:ann"]}},
        {"read": {"user_ids": "web:ann"}},
        {"read": {"user_ids": ["ann"]}},
        {"reed": {"user_ids": ["web:ann"]}},
    ],
)
async def test_access_control_of_another_form_is_refused(api, nonsense):
    await create(api)

    created = await create(api, id="other", access_control=nonsense)
    updated = await api.post("/api/tools/id/dice/update", json={"content": SOURCE, "access_control": nonsense})

    assert (created.status_code, updated.status_code) == (422, 422)
    assert "access_control" in created.json()["fields"]
    assert (await api.get("/api/tools/id/dice")).json()["access_control"] is None


async def test_admin_sees_and_calls_the_private_tool_of_another_and_a_member_does_not(served_api_of):
    tools_api = await served_api_of(tool_servers=ToolServerSettings(python_tools=True), http=with_token("s3cret"))
    secrets = {role: (await tools_api.context.tokens.issue(role, role))[1] for role in ("admin", "member")}
    as_role = {role: {"Authorization": f"Bearer {secret}"} for role, secret in secrets.items()}
    form = {"content": SOURCE, "access_control": {}}
    await tools_api.post("/api/tools/create", json=form, headers={"Authorization": "Bearer s3cret"})

    tools, codes = {}, {}
    for role, headers in as_role.items():
        body = (await tools_api.get("/api/tools/", headers=headers)).json()
        tools[role] = "roll_dice" in [each["name"] for each in body]
        codes[role] = (await tools_api.post("/api/tools/roll_dice/invoke", json={}, headers=headers)).status_code

    assert tools == {"admin": True, "member": False}
    assert codes == {"admin": 200, "member": 404}
