"""The XMPP adapter without a server."""

from datetime import UTC, datetime
from xml.etree import ElementTree as ET

import pytest
from pydantic import SecretStr

from bot.config.platform_catalog import XmppSettings
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
