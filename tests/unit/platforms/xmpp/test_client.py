"""The XMPP client without a server."""

import pytest
from pydantic import SecretStr
from slixmpp.exceptions import IqTimeout
from slixmpp.stanza import Iq

from bot.config.platform_catalog import XmppSettings
from bot.platforms.xmpp.client import XmppClient


async def test_new_room_that_cannot_be_unlocked_is_refused(monkeypatch):
    client = XmppClient(XmppSettings(jid="bubbles@test", password=SecretStr("x"), encrypted=False))
    muc, discovery = client.plugin["xep_0045"], client.plugin["xep_0030"]

    async def join(*_, **__):
        return ({"muc": {"status_codes": {110, 201}}},)

    async def fail(*_, **__):
        raise IqTimeout(Iq())

    monkeypatch.setattr(muc, "join_muc_wait", join)
    monkeypatch.setattr(muc, "get_room_config", fail)
    monkeypatch.setattr(discovery, "get_info", fail)

    with pytest.raises(PermissionError, match="remote-server-timeout"):
        await client.join("team@rooms.test", "bubbles", None)
