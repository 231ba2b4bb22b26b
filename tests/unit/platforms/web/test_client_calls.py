"""Calls of tools by the page of a person."""

import asyncio

import pytest

from bot.platforms.web.client_calls import ClientCalls
from bot.platforms.web.rooms import Room
from bot.testing.clocks import FixedClock
from bot.testing.fixtures import NOW
from services.kernel.chat import Person
from services.kernel.errors import ToolFailed


def room_of(frames):
    room = Room("lobby", "e1", Person(id="bot", name="Bubbles", is_bot=True), FixedClock(NOW))
    room.listen(frames.append, "ann")
    return room


async def test_call_is_sent_to_the_page_and_its_answer_returned():
    frames, calls = [], ClientCalls()
    room = room_of(frames)

    asking = asyncio.create_task(calls.ask(room, "ann", {"name": "get_time"}))
    await asyncio.sleep(0)
    calls.answer("lin", frames[0].data["id"], {"result": "not theirs to say"})
    calls.answer("ann", frames[0].data["id"], {"result": "noon"})

    assert await asking == {"result": "noon"}
    assert (frames[0].type, frames[0].data["name"]) == ("execute:tool", "get_time")


async def test_a_person_without_a_page_is_a_failed_tool():
    with pytest.raises(ToolFailed, match="no page open"):
        await ClientCalls().ask(room_of([]), "lin", {"name": "get_time"})


async def test_unexpected_answer_is_dropped():
    ClientCalls().answer("ann", "unknown", {"result": 1})
