import pytest

from bot.settings import ToolServerSettings

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
    listed = (await api.get("/api/tools", params={"name": person})).json()["tools"]
    return {tool["name"]: tool for tool in listed}


async def test_a_tool_is_read_kept_listed_and_called(api):
    created = (await create(api)).json()
    tool = (await names(api))["roll_dice"]
    await api.post("/api/tools/id/dice/valves/update", json={"sides": 20})
    called = (await api.post("/api/tools/roll_dice/invoke", json={"arguments": {"count": 2}})).json()

    assert (created["id"], created["name"], created["meta"]["manifest"]["version"]) == ("dice", "Dice", "1.0")
    assert (tool["source"], tool["parameters"]["properties"]["count"]["description"]) == ("python", "How many dice")
    assert called["result"] == {"count": 2, "sides": 20}


async def test_a_mistake_in_the_source_is_told_with_its_line(api):
    answer = await api.post("/api/tools/create", json={"content": "class Tools:\n    def broken(\n"})

    assert answer.status_code == 422
    assert "line 2" in answer.json()["fields"]["content"]


async def test_one_id_is_taken_once(api):
    await create(api)

    assert (await create(api)).status_code == 409


async def test_versions_are_listed_the_latest_first(api):
    await create(api)
    await api.post("/api/tools/id/dice/update", json={"content": SOURCE + "# two\n"})

    listed = (await api.get("/api/tools/id/dice/versions")).json()["versions"]

    assert [each["version"] for each in listed] == [2, 1]


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

    kept = [{"id": each["id"], "name": each["name"], "content": each["content"]} for each in exported]
    imported = await api.post("/api/tools/import", json={"tools": kept})

    assert [each["id"] for each in imported.json()["tools"]] == ["dice"]
    assert "roll_dice" in await names(api)


async def test_settings_that_do_not_fit_are_refused(api):
    await create(api)

    assert (await api.post("/api/tools/id/dice/valves/update", json={"sides": "many"})).status_code == 422


async def test_what_is_not_there_is_not_found(api):
    answers = [
        await api.get("/api/tools/id/dice"),
        await api.delete("/api/tools/id/dice/delete"),
        await api.get("/api/tools/id/dice/versions"),
        await api.post("/api/tools/id/dice/toggle", json={"is_enabled": True}),
    ]

    assert {answer.status_code for answer in answers} == {404}
