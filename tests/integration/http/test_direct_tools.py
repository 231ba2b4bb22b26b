"""Tools of a person's own page, called over its socket."""

import asyncio

import httpx
import pytest
import websockets

from bot.testing.models import ScriptedInterpreter
from function_calls.tools.calls import ToolCall
from tests.support.http_bot import served_bot

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

JSON = {"Accept": "application/json"}
UTC_TIME = "get_current_utc_get_current_utc_time_get"
SERVER = {
    "url": "http://192.168.21.201:8000",
    "specs": [
        {
            "type": "function",
            "name": UTC_TIME,
            "description": "Returns the current time in UTC in ISO format.",
            "parameters": {"type": "object", "properties": {}, "required": []},
        }
    ],
}


async def test_page_returns_the_result_of_its_tool(open_tab):
    interpreter = ScriptedInterpreter([[ToolCall(id="1", name=UTC_TIME, arguments={})], "It is noon."], is_strict=False)
    body = {"session_id": "lobby", "message": "Bubbles, what time is it?", "name": "Ada", "tool_servers": [SERVER]}

    async with (
        served_bot(interpreter=interpreter) as (address, _),
        open_tab(address, "Ada") as ada,
        httpx.AsyncClient(base_url=address, timeout=30, headers=JSON) as client,
    ):
        sending = asyncio.create_task(client.post("/api/chat/send", json=body))
        request = await ada.wait_for("execute:tool")
        await ada.send("execute:result", id=request["data"]["id"], result={"utc": "2026-11-20T12:00:00"})
        answer = (await sending).json()

    assert (request["data"]["name"], request["data"]["server"]["url"]) == (UTC_TIME, SERVER["url"])
    assert answer["reply"]["text"] == "It is noon."
    assert interpreter.turns[-1].steps[0].results[0].value == {"utc": "2026-11-20T12:00:00"}


async def test_call_without_a_page_fails_and_the_message_is_answered():
    interpreter = ScriptedInterpreter(
        [[ToolCall(id="1", name=UTC_TIME, arguments={})], "I cannot tell."], is_strict=False
    )
    body = {"session_id": "lobby", "message": "Bubbles, what time is it?", "name": "Ada", "tool_servers": [SERVER]}

    async with (
        served_bot(interpreter=interpreter) as (address, _),
        httpx.AsyncClient(base_url=address, headers=JSON) as client,
    ):
        answer = (await client.post("/api/chat/send", json=body)).json()

    assert answer["reply"]["text"] == "I cannot tell."
    assert not interpreter.turns[-1].steps[0].results[0].ok


async def test_tools_of_a_message_over_the_socket_are_offered_until_its_answer(open_tab):
    interpreter = ScriptedInterpreter([[ToolCall(id="1", name=UTC_TIME, arguments={})], "It is noon.", "No idea."])

    async with served_bot(interpreter=interpreter) as (address, _), open_tab(address, "Ada") as ada:
        await ada.say("Bubbles, what time is it?", tool_servers=[SERVER])
        request = await ada.wait_for("execute:tool")
        await ada.send("execute:result", id=request["data"]["id"], result={"utc": "2026-11-20T12:00:00"})
        await ada.wait_for("message_new", where=lambda data: data["message"]["text"] == "It is noon.")
        await ada.say("Bubbles, and now?", client_id="two")
        await ada.wait_for("message_new", where=lambda data: data["message"]["text"] == "No idea.")

    assert UTC_TIME in [spec.name for spec in interpreter.turns[0].tools]
    assert interpreter.turns[1].steps[0].results[0].value == {"utc": "2026-11-20T12:00:00"}
    assert UTC_TIME not in [spec.name for spec in interpreter.turns[2].tools]


async def test_invalid_tool_servers_are_refused_over_the_socket(open_tab):
    async with served_bot() as (address, _), open_tab(address, "Ada") as ada:
        await ada.say("Bubbles, what time is it?", tool_servers="http://127.0.0.1:1")
        error = await ada.wait_for("error")

    assert error["data"]["client_id"] == "one"


def script_with_tool_call(*answers):
    """Return an interpreter that calls the page's tool, then gives the answers."""
    return ScriptedInterpreter([[ToolCall(id="1", name=UTC_TIME, arguments={})], *answers], is_strict=False)


def wait_for_result(interpreter):
    return interpreter.turns[-1].steps[0].results[0]


@pytest.mark.parametrize("way", ["socket", "http"])
async def test_call_to_a_disconnected_page_fails_at_once(open_tab, way):
    interpreter = script_with_tool_call("I cannot tell.")
    body = {"session_id": "lobby", "message": "Bubbles, what time is it?", "name": "Ada", "tool_servers": [SERVER]}

    async with (
        served_bot(interpreter=interpreter) as (address, _),
        httpx.AsyncClient(base_url=address, timeout=30, headers=JSON) as client,
        open_tab(address, "Lin") as lin,
    ):
        async with open_tab(address, "Ada") as ada:
            sending = None
            if way == "http":
                sending = asyncio.create_task(client.post("/api/chat/send", json=body))
            else:
                await ada.say("Bubbles, what time is it?", tool_servers=[SERVER])
            await ada.wait_for("execute:tool")
            ada.socket.transport.abort()  # the network is gone, no close frame is sent
        answer = await lin.wait_for(
            "message_new", seconds=5, where=lambda data: data["message"]["text"] == "I cannot tell."
        )
        if sending is not None:
            await sending

    assert answer
    assert not wait_for_result(interpreter).ok
    assert "gone" in wait_for_result(interpreter).error


async def test_call_to_a_closed_tab_does_not_wait_for_another_tab(open_tab):
    interpreter = script_with_tool_call("I cannot tell.")

    async with served_bot(interpreter=interpreter) as (address, _), open_tab(address, "Ada") as other:
        async with open_tab(address, "Ada") as ada:
            await ada.say("Bubbles, what time is it?", tool_servers=[SERVER])
            await ada.wait_for("execute:tool")
        await other.wait_for("message_new", seconds=5, where=lambda data: data["message"]["text"] == "I cannot tell.")

    assert "execute:tool" not in other.kinds()


async def test_result_of_5_megabytes_is_accepted_and_cut(open_tab):
    interpreter = script_with_tool_call("Read.")

    async with served_bot(interpreter=interpreter) as (address, _), open_tab(address, "Ada") as ada:
        await ada.say("Bubbles, what time is it?", tool_servers=[SERVER])
        request = await ada.wait_for("execute:tool")
        await ada.send("execute:result", id=request["data"]["id"], result={"text": "ä\n" * 1_666_666})
        await ada.wait_for("message_new", where=lambda data: data["message"]["text"] == "Read.")

    assert wait_for_result(interpreter).ok
    assert wait_for_result(interpreter).value["note"] == "cut off"


async def test_long_unexpected_frame_closes_the_socket(open_tab):
    async with served_bot() as (address, _), open_tab(address, "Ada") as ada:
        await ada.send("execute:result", id="x", result="x" * 300_000)
        with pytest.raises(websockets.exceptions.ConnectionClosed):
            await ada.wait_for("nothing")

    assert ada.socket.close_code == 1009
