"""Served bots and their clients."""

import asyncio
import json
from contextlib import asynccontextmanager
from urllib.parse import urlencode

import pytest
import websockets

from tests.support.http_bot import served_bot


class Tab:
    """One tab of a person: the frames it got, and what it says."""

    def __init__(self, socket):
        self.socket = socket
        self.frames = []

    async def until(self, kind, *, seconds=10.0, where=lambda data: True):
        """The first frame of a kind, old or new, whose data fits."""
        async with asyncio.timeout(seconds):
            while True:
                for frame in self.frames:
                    if frame["type"] == kind and where(frame["data"]):
                        return frame
                self.frames.append(json.loads(await self.socket.recv()))

    async def send(self, kind, **data):
        await self.socket.send(json.dumps({"v": 1, "type": kind, "data": data}))

    async def say(self, text, client_id="one", **data):
        await self.send("send", text=text, client_id=client_id, **data)

    def kinds(self):
        return [frame["type"] for frame in self.frames]


@asynccontextmanager
async def tab_of(address, name, *, room="lobby", headers=None, **query):
    """A tab of `name` in a room, welcomed."""
    query = urlencode({"session_id": room, "name": name, **query})
    socket_address = f"{address.replace('http', 'ws', 1)}/api/chat/ws?{query}"
    # Without `max_queue` a tab that stops reading would wait ten seconds for its close to be answered.
    async with websockets.connect(socket_address, additional_headers=headers, max_size=None, max_queue=None) as socket:
        tab = Tab(socket)
        await tab.until("hello")
        yield tab


@pytest.fixture
async def served():
    """An offline bot, served: its address and context."""
    async with served_bot() as (address, context):
        yield address, context


@pytest.fixture
def open_tab():
    """Opens tabs: `async with open_tab(address, name) as tab`."""
    return tab_of
