"""The XMPP adapter without a server."""

import asyncio
from datetime import UTC, datetime
from xml.etree import ElementTree as ET

import pytest
from pydantic import SecretStr

from bot.config.platform_catalog import XmppSettings
from bot.platforms.kit.connection import ConnectionEnded
from bot.platforms.xmpp.adapter import XmppPlatform
from bot.platforms.xmpp.wire import Room
from bot.testing.clocks import FixedClock

NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)
MESSAGE = "<message from='team@rooms.test/ann' id='m1' type='groupchat'><body>tea?</body></message>"


async def test_message_that_was_not_recorded_is_received_again():
    settings = XmppSettings(jid="bubbles@test", password=SecretStr("x"))
    platform, room = (
        XmppPlatform(settings, clock=FixedClock(NOW), bot_name="Bubbles"),
        Room(jid="team@rooms.test", nick="bubbles", bot_name="Bubbles"),
    )
    received = []

    async def receive(incoming):
        received.append(incoming.id)
        if len(received) == 1:
            raise OSError("disk I/O error")

    platform._receive = receive
    with pytest.raises(OSError, match="disk"):
        await platform._receive_message(ET.fromstring(MESSAGE), room)
    for _ in range(2):
        await platform._receive_message(ET.fromstring(MESSAGE), room)

    assert received == ["m1", "m1"]


def platform_in(*rooms):
    settings = XmppSettings(jid="bubbles@test", password=SecretStr("x"), rooms=rooms)
    return XmppPlatform(settings, clock=FixedClock(NOW), bot_name="Bubbles")


async def test_messages_without_an_id_are_no_repetitions():
    platform, room = platform_in(), Room(jid="team@rooms.test", nick="bubbles", bot_name="Bubbles")
    received = []

    async def receive(incoming):
        received.append(incoming.text)

    platform._receive = receive
    for text in ("tea?", "coffee?"):
        stanza = f"<message from='team@rooms.test/ann' type='groupchat'><body>{text}</body></message>"
        await platform._receive_message(ET.fromstring(stanza), room)

    assert received == ["tea?", "coffee?"]


class FakeClient:
    """Joins any room but those of `silent`."""

    def __init__(self, *silent):
        self.received, self.left = asyncio.Queue(), asyncio.Queue()
        self.joined = []
        self._silent = silent

    async def enter(self):
        pass

    async def join(self, room, nick, since):
        del since
        if room in self._silent:
            raise ConnectionEnded("the room does not answer")
        self.joined.append(room)
        return nick

    async def leave(self):
        pass


async def test_room_that_does_not_answer_does_not_keep_the_bot_from_others(monkeypatch):
    client = FakeClient("dead@rooms.test")
    monkeypatch.setattr("bot.platforms.xmpp.adapter.XmppClient", lambda settings: client)
    platform = platform_in("dead@rooms.test", "team@rooms.test")
    client.received.put_nowait(None)
    with pytest.raises(ConnectionEnded, match="closed"):
        await platform._session()

    assert client.joined == ["team@rooms.test"]


async def test_room_is_known_by_its_address_in_any_case(monkeypatch):
    client = FakeClient()
    monkeypatch.setattr("bot.platforms.xmpp.adapter.XmppClient", lambda settings: client)
    platform = platform_in("Team@Rooms.Test")
    client.received.put_nowait(None)
    with pytest.raises(ConnectionEnded):
        await platform._session()

    assert client.joined == ["team@rooms.test"]
