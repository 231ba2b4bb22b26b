"""Functions of the bot as an OpenAPI tool server, and the sources of all tools."""

import json
from datetime import UTC, datetime

import pytest

from bot.config.settings import RouterSettings
from bot.testing.clocks import StandingClock
from function_calls.tools.validation.schema_validator import SchemaValidator
from function_calls.toolsets.openapi.importer import import_document

NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)
TEA = {"type": "once", "time": "in 10 minutes", "content": "tea"}


async def test_the_document_offers_every_function_and_our_own_importer_reads_it(api):
    document = (await api.get("/tools/openapi.json")).json()

    operations = {each.name: each for each in import_document(document, "http://127.0.0.1:8765/tools").operations}

    names = {tool["name"] for tool in (await api.get("/api/tools")).json()["tools"]}
    assert set(operations) == names
    assert operations["reminder_set"].servers == ("http://127.0.0.1:8765/tools",)
    for operation in operations.values():
        SchemaValidator(operation.spec.parameters)


async def test_a_function_is_called_by_its_path_and_recorded(api):
    answer = await api.post("/tools/reminder_set", json=TEA)
    [recorded] = (await api.get("/api/admin/tool-calls")).json()["items"]

    assert answer.status_code == 200
    assert (recorded["name"], recorded["route"]) == ("reminder_set", "http")


async def test_confirmed_function_answers_with_the_question(api):
    response = await api.post("/tools/forget_me", json={})
    done = await api.post("/tools/forget_me", params={"confirm": True}, json={})

    assert (response.status_code, response.json()["code"]) == (409, "call_question")
    assert done.status_code == 200


DOORS = {
    "invoke": ("/api/tools/reminder_list/invoke", {}),
    "tool server": ("/tools/reminder_list", {}),
    "summary": ("/api/summary", {}),
}


@pytest.mark.parametrize("door", DOORS)
async def test_a_call_counts_as_a_message_of_the_person(api_of, door):
    path, body = DOORS[door]
    api = await api_of(router=RouterSettings(messages_per_minute=2), clock=StandingClock(NOON))
    response = await api.post("/api/chat/send", json={"session_id": "lobby", "name": "you", "message": "hi"})
    answers = [await api.post(path, json=body) for _ in range(2)]

    assert response.status_code == 200
    assert [each.status_code for each in answers] == [200, 429]
    assert answers[1].headers["retry-after"] == "30"


@pytest.mark.parametrize("door", DOORS)
async def test_call_in_a_chat_that_is_not_served_is_refused(api_of, door):
    path, body = DOORS[door]
    api = await api_of(router=RouterSettings(allowed_chats=("web:family",)))
    response = await api.post(path, json=body)

    assert (response.status_code, response.json()["code"]) == (403, "chat_not_served")


async def call_over_mcp(api):
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "reminder_list", "arguments": {}},
    }
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    answer = await api.post("/mcp", json=request, headers=headers)
    (data,) = (line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: {"))
    return json.loads(data)["result"]


async def test_a_call_over_mcp_counts_as_a_message_too(api_of):
    api = await api_of(router=RouterSettings(messages_per_minute=1), clock=StandingClock(NOON))
    first, second = [await call_over_mcp(api) for _ in range(2)]

    assert not first["isError"]
    assert second["isError"]
    assert second["content"][0]["text"] == "Too many requests; wait a moment."


async def test_call_over_mcp_in_a_chat_that_is_not_served_is_refused(api_of):
    api = await api_of(router=RouterSettings(allowed_chats=("web:family",)))
    result = await call_over_mcp(api)

    assert result["isError"]
    assert result["content"][0]["text"] == "This bot does not serve the chat web:lobby."


async def test_dry_run_does_not_count_as_a_message(api_of):
    api = await api_of(router=RouterSettings(messages_per_minute=1), clock=StandingClock(NOON))
    answers = [await api.post("/api/tools/reminder_list/invoke", json={"dry_run": True}) for _ in range(3)]

    assert [each.status_code for each in answers] == [200] * 3


async def test_an_mcp_client_names_a_room_that_can_be_one(api):
    answer = await api.post("/mcp", json={}, headers={"Bubbles-Session": "lobby#ann"})

    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    "suggestion",
    [TEA | {"rrule": None}, TEA | {"type": "Once"}, {"arguments": TEA}, TEA | {"weekday": None, "note": None}],
)
async def test_near_miss_of_another_programs_model_is_called(api, suggestion):
    answer = await api.post("/tools/reminder_set", json=suggestion)

    assert answer.status_code == 200


async def test_function_without_arguments_is_called_without_any(api):
    document = (await api.get("/tools/openapi.json")).json()

    assert document["paths"]["/reminder_list"]["post"]["requestBody"]["required"] is False
    assert (await api.post("/tools/reminder_list")).status_code == 200


@pytest.mark.parametrize("which", ["all", "1"])
async def test_unknown_reminder_is_not_found(api, which):
    answer = await api.post("/tools/reminder_update", json={"reminder_id": which, "content": "coffee"})

    assert answer.status_code == 404
    assert answer.json()["detail"].startswith("No reminders here.")


async def test_unknown_functions_and_wrong_arguments_are_refused(api):
    unknown = await api.post("/tools/launch_rocket", json={})
    wrong = await api.post("/tools/reminder_set", json={"type": "hourly"})

    assert (unknown.status_code, wrong.status_code) == (404, 422)


async def test_the_sources_of_tools_are_listed_with_their_health(api):
    sources = {each["label"]: each for each in (await api.get("/api/tools/sources")).json()["sources"]}

    assert sources["local"]["is_ok"]
    assert "reminder_set" in sources["local"]["tools"]


async def test_python_tools_are_refused_where_they_are_switched_off(api):
    answer = await api.post("/api/tools/create", json={"content": "class Tools: ..."})

    assert (answer.status_code, answer.json()["code"]) == (403, "python_tools_off")


async def test_an_unknown_source_cannot_be_refreshed(api):
    assert (await api.post("/api/tools/sources/nowhere/refresh")).status_code == 404
