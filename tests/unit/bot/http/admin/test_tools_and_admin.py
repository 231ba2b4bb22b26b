"""Tools, records, health and metrics over HTTP."""

from datetime import UTC, datetime

import pytest

from bot.config.settings import ModelSettings
from bot.platforms.base import Health
from bot.platforms.kit.connection import Connection, ConnectionRefusedForGood
from bot.platforms.web.shapes import person_called
from bot.testing.platform import FakePlatform
from function_calls.language.messages import Message
from tests.support.openai_server import OpenAIServer, say, status


async def test_tools_are_listed_with_their_schemas(api):
    tools = {tool["name"]: tool for tool in (await api.get("/api/tools")).json()["tools"]}

    assert tools["reminder_set"]["parameters"]["required"] == ["type", "time", "content"]
    assert tools["reminder_set"]["changes_state"]
    assert "reminder_put_back" not in tools


async def test_a_tool_is_called_as_from_a_chat_and_recorded(api):
    body = {"arguments": {"type": "once", "time": "in 10 minutes", "content": "tea"}, "name": "Ann"}

    called = (await api.post("/api/tools/reminder_set/invoke", json=body)).json()
    [recorded] = (await api.get("/api/admin/tool-calls")).json()["items"]

    assert called["ok"]
    assert called["receipts"][0]["action"] == "set"
    assert (recorded["name"], recorded["route"], recorded["person"]) == ("reminder_set", "http", "ann")


async def test_a_dry_run_changes_nothing(api):
    arguments = {"type": "once", "time": "in 10 minutes", "content": "tea"}

    checked = await api.post("/api/tools/reminder_set/invoke", json={"arguments": arguments, "dry_run": True})

    assert checked.json()["status"] == "checked"
    assert (await api.get("/api/reminders")).json()["reminders"] == []
    assert (await api.get("/api/admin/tool-calls")).json()["items"] == []


async def test_invalid_arguments_are_reported_by_field(api):
    answer = await api.post("/api/tools/reminder_set/invoke", json={"arguments": {"type": "hourly"}})

    assert answer.status_code == 422
    assert set(answer.json()["fields"]) == {"type", "time", "content"}


async def test_undo_only_function_cannot_be_called(api):
    answer = await api.post("/api/tools/reminder_put_back/invoke", json={"arguments": {}})

    assert (answer.status_code, answer.json()["code"]) == (404, "tool_unknown")


async def test_calls_are_found_by_their_words_page_by_page(api):
    for number in range(3):
        body = {"arguments": {"type": "once", "time": "in 10 minutes", "content": f"ficus {number}"}}
        await api.post("/api/tools/reminder_set/invoke", json=body)
    await api.post("/api/tools/reminder_list/invoke", json={})

    query = {"q": "FICUS", "tool": "reminder_set", "limit": 2}
    first = (await api.get("/api/admin/tool-calls", params=query)).json()
    rest = (await api.get("/api/admin/tool-calls", params={**query, "before": first["next"]})).json()
    calls_listed = (await api.get("/api/admin/tool-calls", params={"tool": "reminder_list"})).json()

    assert [len(first["items"]), len(rest["items"]), rest["next"]] == [2, 1, None]
    assert len(calls_listed["items"]) == 1


async def test_a_turn_is_shown_with_its_calls(api):
    sent = {"session_id": "lobby", "message": "remind me in 10 minutes to stretch"}
    message_id = (await api.post("/api/chat/send", json=sent)).json()["message_id"]

    turn = (await api.get(f"/api/admin/turns/web:lobby/{message_id}")).json()

    assert turn["turn"]["outcome"] == "answered"
    assert [call["name"] for call in turn["calls"]] == ["reminder_set"]


async def test_messages_of_all_chats_are_found_by_their_words(api):
    for room in ("one", "two"):
        await api.post("/api/chat/send", json={"session_id": room, "message": f"remind me at 9 to water {room}"})

    found = (await api.get("/api/admin/messages", params={"q": "water two"})).json()["items"]

    assert {each["chat"] for each in found} == {"web:two"}


async def test_health_lists_missing_settings_with_the_next_step(api):
    report = (await api.get("/api/admin/health", headers={"Accept-Language": "zh"})).json()

    states = {check["name"]: check for check in report["checks"]}
    assert states["database"]["state"] == "ok"
    assert states["model"]["state"] == "warning"
    assert "OPENAI_API_KEY" in states["model"]["fix"]
    assert report["uptime_seconds"] >= 0


async def test_health_reports_a_model_that_did_not_answer_until_it_answers(api_of):
    async with OpenAIServer([status(500, "out of memory"), say("Hello.")]) as server:
        settings = ModelSettings(name="tiny", base_url=server.base_url, max_retries=0, function_calling="native")
        api = await api_of(model=settings)
        checks_shown = []
        for text in ("Bubbles, tell me a story", "Bubbles, and another story"):
            await api.post("/api/chat/send", json={"session_id": "lobby", "message": text})
            checks = (await api.get("/api/admin/health", headers={"Accept-Language": "en"})).json()["checks"]
            checks_shown += [check for check in checks if check["name"] == "model"]

    silent = "tiny did not answer the last request: error of the server: HTTP 500 out of memory"
    assert [(each["state"], each["setting"]) for each in checks_shown] == [("error", "model"), ("ok", "model")]
    assert checks_shown[0]["detail"].startswith(silent)
    assert "Test the connection" in checks_shown[0]["fix"]


async def test_statistics_count_messages_and_calls(api):
    await api.post("/api/chat/send", json={"session_id": "lobby", "message": "remind me in 10 minutes to stretch"})
    await api.get("/api/admin/tool-calls")

    samples = (await api.get("/api/admin/metrics", params={"minutes": 2})).json()["samples"]

    assert sum(sample["messages"] for sample in samples) == 2
    assert sum(sample["tool_calls"] for sample in samples) == 1


async def test_metrics_include_deliveries_and_platforms(api):
    lines = (await api.get("/metrics")).text.splitlines()

    assert "bubbles_deliveries_waiting 0" in lines
    assert 'bubbles_adapter_live{platform="web",state="live"} 1' in lines


async def test_summary_quotes_talk_between_people(api):
    api.context.room.room("lobby").enter(person_called("Lin"))
    for text in ("We meet on Friday at the station.", "Lin brings the tickets for the train."):
        await api.post("/api/chat/send", json={"session_id": "lobby", "message": text})

    summary = (await api.post("/api/summary", json={})).json()

    assert summary["bullets"]
    assert "tickets" in summary["text"]


async def test_a_chat_that_was_connected_again_says_how_often(api):
    class Flaky(FakePlatform):
        health = Health(state="live", since=datetime(2026, 11, 21, tzinfo=UTC), reconnects=3)

    api.context.app.platforms = (*api.context.app.platforms, Flaky(api.context.clock))

    adapters = (await api.get("/api/admin/adapters")).json()["adapters"]

    assert {each["name"]: each["reconnects"] for each in adapters} == {"web": 0, "fake": 3}


@pytest.mark.parametrize(
    ("language", "detail"),
    [
        ("en", "Telegram does not know this token"),
        ("zh", "Telegram 不认识这个 token"),
        ("es", "Telegram no conoce este token"),
    ],
)
async def test_connection_says_in_the_language_of_the_page_why_it_stopped(api, language, detail):
    class Refused(FakePlatform):
        connection = Connection("fake", api.context.clock)

        @property
        def health(self):
            return self.connection.health

    async def session():
        raise ConnectionRefusedForGood(Message("connection.telegram_token"))

    with pytest.raises(ConnectionRefusedForGood, match="Telegram does not know this token"):
        await Refused.connection.run(session)
    api.context.app.platforms = (*api.context.app.platforms, Refused(api.context.clock))

    answer = await api.get("/api/admin/adapters", headers={"Accept-Language": language})

    assert answer.json()["adapters"][-1]["detail"].startswith(detail)


@pytest.mark.parametrize("path", ["/api/tools/reminder_set/invoke", "/tools/reminder_set"])
async def test_lone_surrogate_in_tool_arguments_is_a_422_that_names_the_argument(api, path):
    arguments = r'{"type": "once", "time": "in 10 minutes", "content": "tea \ud800"}'
    body = arguments if path.startswith("/tools/") else f'{{"arguments": {arguments}}}'

    answer = await api.post(path, content=body, headers={"Content-Type": "application/json"})

    assert answer.status_code == 422
    assert "surrogate" in answer.json()["fields"]["content"]


async def test_health_report_names_the_database_without_its_url(api):
    checks = (await api.get("/api/admin/health")).json()["checks"]

    assert "SQLite" in str(checks)
    assert "sqlite:" not in str(checks)


async def test_tools_with_a_trailing_slash_are_an_array_with_id_name_and_description(served_api_of):
    served = await served_api_of()

    tools, wrapped = (await served.get("/api/tools/")).json(), (await served.get("/api/tools")).json()["tools"]

    assert tools == wrapped
    assert "reminder_set" in [each["id"] for each in tools]
    assert all(each["name"] == each["id"] and each["meta"] == {"description": each["description"]} for each in tools)
