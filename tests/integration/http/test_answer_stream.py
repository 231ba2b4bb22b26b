"""Media types of the answers of `POST /api/chat/send`, and keep-alive of its stream."""

import asyncio
import json

import httpx
import pytest

from function_calls.tools.calls import Interpretation
from tests.support.http_bot import served_bot

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

EVENTS, JSON = "text/event-stream", "application/json"


class SlowInterpreter:
    """An interpreter that takes `seconds` for its answer."""

    def __init__(self, seconds):
        self._seconds = seconds

    async def interpret(self, turn):
        await asyncio.sleep(self._seconds)
        return Interpretation(answer="At last.")


@pytest.mark.parametrize(
    ("accept", "stream", "expected"),
    [
        (None, None, EVENTS),
        ("*/*", None, EVENTS),
        (EVENTS, None, EVENTS),
        ("application/json, text/event-stream", None, EVENTS),
        (JSON, None, JSON),
        (JSON, True, EVENTS),
        (EVENTS, False, JSON),
        ("*/*", False, JSON),
    ],
)
async def test_answer_is_a_stream_unless_json_is_requested(accept, stream, expected):
    body = {"session_id": "lobby", "message": "remind me in 10 minutes to stretch", "attachments": None}
    async with served_bot() as (address, _), httpx.AsyncClient(base_url=address, timeout=30) as client:
        del client.headers["accept"]
        headers = {} if accept is None else {"Accept": accept}
        answer = await client.post(
            "/api/chat/send", json=body if stream is None else {**body, "stream": stream}, headers=headers
        )

    assert answer.headers["content-type"].partition(";")[0] == expected
    if expected == JSON:
        assert "stretch" in answer.json()["reply"]["text"]
    else:
        assert answer.text.startswith("event: start\ndata: ")
        assert json.loads(answer.text.rpartition("event: done\ndata: ")[2])["message_id"]


async def test_silent_stream_is_kept_alive_while_people_and_the_bot_type(open_tab):
    body = {"session_id": "lobby", "message": "Bubbles, think", "name": "Ada"}
    async with (
        served_bot(interpreter=SlowInterpreter(17)) as (address, _),
        httpx.AsyncClient(base_url=address, timeout=60) as client,
        open_tab(address, "Lin") as lin,
    ):
        asking = asyncio.create_task(client.post("/api/chat/send", json=body))
        while not asking.done():
            await lin.send("typing", on=True)
            await asyncio.wait([asking], timeout=1)
        text = (await asking).text

    assert text.count(": still here\n\n") == 1
    assert "At last." in text
