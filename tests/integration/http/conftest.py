"""Bots served over HTTP, and browser tabs of their rooms."""

import asyncio
import json
from contextlib import asynccontextmanager
from urllib.parse import urlencode

import pytest
import websockets

from tests.support.http_bot import served_bot


class Tab:
    """A tab of a person, with the frames that it received."""

    def __init__(self, socket):
        self.socket = socket
        self.frames = []

    async def wait_for(self, kind, *, seconds=10.0, where=lambda data: True):
        """Return the first frame of a kind whose data fits, received already or later."""
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
async def connect_tab(address, name, *, room="lobby", headers=None, **query):
    """Connect a tab of `name` to a room, and wait for its first frame."""
    query = urlencode({"session_id": room, "name": name, **query})
    socket_address = f"{address.replace('http', 'ws', 1)}/api/chat/ws?{query}"
    # With a `max_queue`, a tab that stops reading would wait ten seconds for the answer to its close.
    async with websockets.connect(socket_address, additional_headers=headers, max_size=None, max_queue=None) as socket:
        tab = Tab(socket)
        await tab.wait_for("hello")
        yield tab


@pytest.fixture
async def offline_bot():
    """Serve a bot without a model; yield its address and context."""
    async with served_bot() as (address, context):
        yield address, context


@pytest.fixture
def open_tab():
    """Return a context manager that opens tabs: `async with open_tab(address, name) as tab`."""
    return connect_tab
