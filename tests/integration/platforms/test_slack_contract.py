"""Contract of platforms, run with Slack."""

import pytest

from bot.config.platform_catalog import SlackSettings
from bot.testing.contracts import PlatformContract
from bot.testing.platform_rig import NotSupported, PlatformRig, VisibleMessage, until
from services.kernel.chat import ChatAddress
from services.kernel.clock import SystemClock
from tests.support.chat_servers.loopback import Trouble
from tests.support.chat_servers.slack import SlackServer

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

PEOPLE = {"ann": "U7", "ben": "U8"}
NAMES = {"UBOT": "Bubbles", **{user: name for name, user in PEOPLE.items()}}


class SlackRig(PlatformRig):
    delivers_missed_messages = True
    unreachable_chat = ChatAddress(platform="slack", chat_id="C2")

    def __init__(self, server):
        from bot.platforms.slack.adapter import SlackPlatform

        super().__init__()
        self.server = server
        self.server.closed_to_bot.add("C2")
        self.server.names |= NAMES
        self.chat = ChatAddress(platform="slack", chat_id="C1")
        settings = SlackSettings(bot_token=server.bot_token, app_token=server.app_token, api_url=server.api_url)
        self.platform = SlackPlatform(settings, SystemClock(), "Bubbles", ping_seconds=0.5)
        self._last = {}

    async def ready(self):
        await until(lambda: self.platform.health.state == "live", seconds=60)

    async def say(self, text, *, sender="ann", reply_to=None):
        if reply_to is not None:
            raise NotSupported
        escaped = text.replace("{bot}", "<@UBOT>").replace("{ben}", "<@U8>")
        self._last = await self.server.say(escaped, sender=PEOPLE[sender])
        return self._last["ts"]

    async def repeat(self):
        await self.server.event(self._last)

    async def echo(self, text):
        await self.server.say(text, sender="UBOT", more={"bot_id": "BBOT"})

    async def limit(self, seconds, *, everywhere):
        if everywhere:
            raise NotSupported
        body = {"ok": False, "error": "ratelimited"}
        self.server.troubles.append(Trouble(status=429, body=body, headers={"Retry-After": str(seconds)}))

    async def disconnect(self):
        await self.server.disconnect()

    async def press(self, message_id, label, *, sender="ann"):
        message = next(entry for entry in self.server.sent.entries if entry.id == message_id)
        buttons = message.body["blocks"][-1]["elements"]
        value = next(button["value"] for button in buttons if button["text"]["text"] == label)
        await self.server.press(value, stamp=message_id, sender=PEOPLE[sender])

    async def react(self, message_id, emoji, *, sender="ann", is_added=True):
        assert emoji == "👍"
        await self.server.react(message_id, "+1::skin-tone-2", sender=PEOPLE[sender], is_added=is_added)

    async def rewrite(self, message_id, text, *, sender="ann"):
        new = {**self._last, "user": PEOPLE[sender], "text": text, "ts": message_id}
        changed = {"subtype": "message_changed", "message": new, "previous_message": self._last}
        await self.server.event({"type": "message", "channel": "C1", "ts": "1.2", "event_ts": "1.2", **changed})

    async def withdraw(self, message_id, *, sender="ann"):
        del sender
        event = {"subtype": "message_deleted", "deleted_ts": message_id, "previous_message": self._last}
        await self.server.event({"type": "message", "channel": "C1", "ts": "1.3", "event_ts": "1.3", **event})

    async def bot_messages(self, count=1):
        messages = []
        for entry in self.server.sent.entries:
            if entry.files:
                messages.append(VisibleMessage(id="", text="", files=entry.files))
                continue
            rich, *rest = entry.body["blocks"]
            parts = [part for section in rich["elements"] for part in section["elements"]]
            messages.append(
                VisibleMessage(
                    id=entry.id,
                    text="".join(_visible_part(part) for part in parts),
                    mentioned=tuple(part["user_id"] for part in parts if part["type"] == "user"),
                    notifies_everyone=any(part["type"] == "broadcast" for part in parts),
                    choices=tuple(button["text"]["text"] for block in rest for button in block["elements"]),
                )
            )
        return messages


def _visible_part(part):
    return f"@{NAMES[part['user_id']]}" if part["type"] == "user" else part.get("text", "")


class TestSlack(PlatformContract):
    @pytest.fixture
    async def rig(self):
        async with SlackServer() as server:
            rig = SlackRig(server)
            async with rig.connected():
                yield rig
