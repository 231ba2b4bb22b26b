"""Contract of platforms, run with DingTalk."""

import pytest
from pydantic import SecretStr

from bot.config.platform_catalog import DingTalkSettings
from bot.testing.contracts import PlatformContract
from bot.testing.platform_rig import PlatformRig, VisibleMessage, until
from services.kernel.chat import ChatAddress
from services.kernel.clock import SystemClock
from tests.support.chat_servers.dingtalk import DingTalkServer
from tests.support.chat_servers.loopback import Trouble

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]


class DingTalkRig(PlatformRig):
    """A rig of a group whose robot receives all messages, also those without a mention of it."""

    delivers_missed_messages = True
    unreachable_chat = ChatAddress(platform="dingtalk", chat_id="cid2")

    def __init__(self, server):
        from bot.platforms.dingtalk.adapter import DingTalkPlatform

        super().__init__()
        self.server = server
        self.server.closed_to_bot.add("cid2")
        self.chat = ChatAddress(platform="dingtalk", chat_id="cid1")
        settings = DingTalkSettings(
            client_id=server.client_id,
            client_secret=SecretStr(server.client_secret),
            api_url=server.url,
            media_url=server.url,
        )
        self.platform = DingTalkPlatform(settings, SystemClock(), "Bubbles")
        self._last = {}

    async def ready(self):
        await until(lambda: self.platform.health.state == "live", seconds=60)

    async def say(self, text, *, sender="ann", reply_to=None):
        called = [{"dingtalkId": "$:LWCP_v1:$robot"}] if "{bot}" in text else []
        if "{ben}" in text:
            called.append({"dingtalkId": "$:LWCP_v1:$staff-ben", "staffId": "staff-ben"})
        more = {"isInAtList": "{bot}" in text, "atUsers": called, "senderNick": sender}
        plain = text.replace("{bot}", "").replace("{ben}", "@ben")
        self._last = await self.server.say(plain, sender=f"staff-{sender}", more=more)
        return self._last["msgId"]

    async def repeat(self):
        await self.server.say(self._last["text"]["content"], sender="staff-ann", more=self._last)

    async def limit(self, seconds, *, everywhere):
        body = {"code": "Throttling"} if everywhere else {"errcode": 130101}
        self.server.troubles.append(Trouble(status=429, body=body, headers={"Retry-After": str(seconds)}))

    async def disconnect(self):
        await self.server.disconnect()

    async def bot_messages(self, count=1):
        messages = []
        for number, entry in enumerate(self.server.sent.entries):
            at = entry.body.get("at", {})
            text = entry.text
            for person in at.get("atUserIds", []):
                text = text.replace(f"@{person}", f"@{person.removeprefix('staff-')}")
            messages.append(
                VisibleMessage(
                    id=str(number),
                    text=text,
                    mentioned=tuple(at.get("atUserIds", [])),
                    notifies_everyone=at.get("isAtAll", False),
                    files=entry.files,
                )
            )
        return messages


class TestDingTalk(PlatformContract):
    @pytest.fixture
    async def rig(self):
        async with DingTalkServer() as server:
            rig = DingTalkRig(server)
            async with rig.connected():
                yield rig
