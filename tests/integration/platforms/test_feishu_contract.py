"""Contract of platforms, run with Feishu."""

import json

import pytest
from pydantic import SecretStr

from bot.config.platform_catalog import FeishuSettings
from bot.testing.contracts import PlatformContract
from bot.testing.platform_rig import PlatformRig, VisibleMessage, until
from services.kernel.chat import ChatAddress
from services.kernel.clock import SystemClock
from tests.support.chat_servers.feishu import FeishuServer
from tests.support.chat_servers.loopback import Trouble

pytestmark = [
    pytest.mark.integration,
    pytest.mark.timeout(120),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # the SDK and what it brings
]

NAMES = {"ou_bot": "Bubbles", "ou_ann": "ann", "ou_ben": "ben"}


class FeishuRig(PlatformRig):
    delivers_missed_messages = True
    unreachable_chat = ChatAddress(platform="feishu", chat_id="oc_2")

    def __init__(self, server):
        from bot.platforms.feishu.adapter import FeishuPlatform

        super().__init__()
        self.server = server
        self.server.closed_to_bot.add("oc_2")
        self.server.names |= NAMES
        self.chat = ChatAddress(platform="feishu", chat_id="oc_1")
        settings = FeishuSettings(app_id=server.app_id, app_secret=SecretStr(server.app_secret), domain=server.url)
        self.platform = FeishuPlatform(settings, SystemClock(), "Bubbles")
        self._last = {}

    async def ready(self):
        await until(lambda: self.platform.health.state == "live", seconds=60)

    async def say(self, text, *, sender="ann", reply_to=None):
        mentions = []
        for mark, person in (("{bot}", "ou_bot"), ("{ben}", "ou_ben")):
            if mark in text:
                key = f"@_user_{len(mentions) + 1}"
                mentions.append({"key": key, "id": {"open_id": person}, "name": NAMES[person]})
                text = text.replace(mark, key)
        more = {"mentions": mentions, **({"parent_id": reply_to, "root_id": reply_to} if reply_to else {})}
        self._last = await self.server.say(text, sender=f"ou_{sender}", more=more)
        return self._last["message_id"]

    async def repeat(self):
        text = json.loads(self._last["content"])["text"]
        await self.server.say(text, sender="ou_ann", more={"message_id": self._last["message_id"]})

    async def echo(self, text):
        await self.server.say(text, sender="ou_bot")

    async def limit(self, seconds, *, everywhere):
        body = {"code": 99991400 if everywhere else 230020, "msg": "slow"}
        self.server.troubles.append(Trouble(status=429, body=body, headers={"x-ogw-ratelimit-reset": str(seconds)}))

    async def disconnect(self):
        await self.server.disconnect()

    async def press(self, message_id, label, *, sender="ann"):
        message = next(entry for entry in self.server.sent.entries if entry.id == message_id)
        buttons = json.loads(message.body["content"])["elements"][-1]["actions"]
        value = next(button["value"] for button in buttons if button["text"]["content"] == label)
        await self.server.press(value, message_id=message_id, sender=f"ou_{sender}")

    async def react(self, message_id, emoji, *, sender="ann", is_added=True):
        assert emoji == "👍"
        await self.server.react(message_id, "THUMBSUP", sender=f"ou_{sender}", is_added=is_added)

    async def withdraw(self, message_id, *, sender="ann"):
        del sender
        await self.server.withdraw(message_id)

    async def bot_messages(self, count=1):
        return [_visible_message(entry) for entry in self.server.sent.entries]


def _visible_message(entry):
    content = json.loads(entry.body["content"])
    if entry.files:
        return VisibleMessage(id=entry.id, text="", files=entry.files)
    if "elements" in content:
        labels = tuple(button["text"]["content"] for button in content["elements"][-1]["actions"])
        return VisibleMessage(id=entry.id, text=entry.text, choices=labels)
    paragraphs = content["zh_cn"]["content"]
    called = [part["user_id"] for paragraph in paragraphs for part in paragraph if part["tag"] == "at"]
    return VisibleMessage(
        id=entry.id,
        text="\n".join("".join(_visible_part(part) for part in paragraph) for paragraph in paragraphs),
        reply_to=entry.chat.removeprefix("reply:") if entry.chat.startswith("reply:") else None,
        mentioned=tuple(person for person in called if person != "all"),
        notifies_everyone="all" in called,
    )


def _visible_part(part):
    return f"@{NAMES[part['user_id']]}" if part["tag"] == "at" else part["text"]


class TestFeishu(PlatformContract):
    @pytest.fixture
    async def rig(self):
        async with FeishuServer() as server:
            rig = FeishuRig(server)
            async with rig.connected():
                yield rig
