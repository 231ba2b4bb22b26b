"""Events of rooms that several workers exchange."""

import asyncio
import json
from contextlib import asynccontextmanager

import pytest

from bot.http.rooms.shared import SharedRooms


class Wire:
    """Records published events, and delivers received ones."""

    def __init__(self):
        self.sent = []
        self._texts = asyncio.Queue()

    async def send(self, text):
        self.sent.append(json.loads(text))

    async def receive(self):
        while True:
            yield await self._texts.get()

    async def deliver(self, *texts):
        for text in texts:
            self._texts.put_nowait(text if text is None or isinstance(text, str) else json.dumps(text))
        for _ in range(10):
            await asyncio.sleep(0)


@pytest.fixture
def share_rooms(api):
    """Share the rooms of a bot over a wire of the test."""

    @asynccontextmanager
    async def run():
        wire, room = Wire(), api.context.room
        shared = SharedRooms(api.context, wire)
        room.rooms.share(shared.publish)
        working = [asyncio.create_task(shared.send_events()), asyncio.create_task(shared.receive_events())]
        try:
            yield wire, room
        finally:
            for task in working:
                task.cancel()
            await asyncio.gather(*working, return_exceptions=True)

    return run


def message(text):
    return {"message": {"id": "m9", "author": {"id": "lin", "name": "Lin", "kind": "person"}, "text": text}}


async def test_event_of_another_worker_is_shown_and_not_shared_again(share_rooms):
    async with share_rooms() as (wire, room):
        frames = []
        room.room("lobby").listen(frames.append)
        await wire.deliver(None, {"from": "other", "room": "lobby", "kind": "message_new", "data": message("tea?")})

    assert [json.loads(frame.text)["data"]["message"]["text"] for frame in frames] == ["tea?"]
    assert wire.sent == []


@pytest.mark.parametrize(
    "text", ["not JSON", "[]", "{}", '{"from": "x", "room": 7, "kind": "message_new", "data": []}']
)
async def test_invalid_event_is_skipped(share_rooms, text):
    async with share_rooms() as (wire, room):
        frames = []
        room.room("lobby").listen(frames.append)
        await wire.deliver(None, text, {"from": "other", "room": "lobby", "kind": "reaction", "data": {"emoji": "👍"}})

    assert len(frames) == 1


async def test_client_with_a_possible_gap_is_closed_and_gets_everything_again(share_rooms):
    async with share_rooms() as (wire, room):
        lobby, sent_away = room.room("lobby"), []
        lobby.listen(lambda frame: None, "ann", lambda: sent_away.append(1))
        lobby.emit("message_new", message("before"))
        epoch = lobby.epoch
        await wire.deliver(None)
        at_first = list(sent_away)
        await wire.deliver(None)

    assert (at_first, sent_away) == ([], [1])
    assert lobby.since(epoch, 0) is None


async def test_event_of_this_worker_only_is_not_shared(share_rooms):
    async with share_rooms() as (wire, room):
        room.room("lobby").emit("message", {"delta": "te"})
        room.room("lobby").emit("message_deleted", {"message_id": "m1"})
        await wire.deliver()

    assert [each["kind"] for each in wire.sent] == ["message_deleted"]


async def test_long_edit_is_shared_as_an_edit(share_rooms):
    async with share_rooms() as (wire, room):
        room.room("lobby").emit("message_updated", message("x" * 8000))
        await wire.deliver()
        [called] = wire.sent

    assert (called["kind"], called["message"]) == ("message_updated", "m9")


async def test_long_edit_of_another_worker_is_shown_as_an_edit(share_rooms, api):
    response = await api.post("/api/chat/send", json={"session_id": "lobby", "message": "tea?"})
    async with share_rooms() as (wire, room):
        frames = []
        room.room("lobby").listen(frames.append)
        event = {"from": "other", "room": "lobby", "kind": "message_updated", "message": response.json()["message_id"]}
        await wire.deliver(None, event)
        await asyncio.sleep(0.2)

    assert [json.loads(frame.text)["type"] for frame in frames] == ["message_updated"]
