"""Contract of platforms, run with QQ through OneBot."""

import pytest

from bot.config.platform_catalog import OneBotSettings
from bot.testing.contracts import PlatformContract
from bot.testing.platform_rig import PlatformRig, VisibleMessage, until
from services.kernel.chat import ChatAddress
from services.kernel.clock import SystemClock
from tests.support.chat_servers.onebot import OneBotClient

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

PEOPLE = {"ann": "7", "ben": "8"}


class OneBotRig(PlatformRig):
    """A rig with the forward WebSocket, whose client stores events during an outage."""

    delivers_missed_messages = True
    unreachable_chat = ChatAddress(platform="onebot", chat_id="200")

    def __init__(self, client):
        from bot.platforms.onebot.adapter import OneBotPlatform

        super().__init__()
        self.client = client
        self.client.closed_to_bot.add("200")
        self.chat = ChatAddress(platform="onebot", chat_id="100")
        settings = OneBotSettings(mode="forward", url=client.socket_url)
        self.platform = OneBotPlatform(settings, SystemClock(), "Bubbles")
        self._last = {}

    async def ready(self):
        await until(lambda: self.platform.health.state == "live", seconds=60)

    async def say(self, text, *, sender="ann", reply_to=None):
        code = text.format(bot="[CQ:at,qq=1]", ben="[CQ:at,qq=8,name=ben]")
        if reply_to is not None:
            code = f"[CQ:reply,id={reply_to}]{code}"
        self._last = await self.client.say(code, sender=PEOPLE[sender], name=sender)
        return str(self._last["message_id"])

    async def repeat(self):
        await self.client.event(self._last)

    async def echo(self, text):
        await self.client.say(text, sender="1", name="Bubbles")

    async def disconnect(self):
        await self.client.hang_up()

    async def react(self, message_id, emoji, *, sender="ann", is_added=True):
        self.client.names = {number: name for name, number in PEOPLE.items()}
        await self.client.react(message_id, str(ord(emoji)), sender=PEOPLE[sender], is_added=is_added)

    async def withdraw(self, message_id, *, sender="ann"):
        await self.client.withdraw(message_id, sender=PEOPLE[sender])

    async def bot_messages(self, count=1):
        messages = []
        for entry in self.client.sent.entries:
            parts = {part["type"]: part["data"] for part in entry.body["message"]}
            numbers = [part["data"]["qq"] for part in entry.body["message"] if part["type"] == "at"]
            names = {number: name for name, number in PEOPLE.items()}
            text = entry.text
            for number, name in names.items():
                text = text.replace(f"@{number}", f"@{name}")
            messages.append(
                VisibleMessage(
                    id=entry.id,
                    text=text,
                    files=entry.files,
                    reply_to=parts["reply"]["id"] if "reply" in parts else None,
                    mentioned=tuple(number for number in numbers if number != "all"),
                    notifies_everyone="all" in numbers,
                )
            )
        return messages


class TestOneBot(PlatformContract):
    @pytest.fixture
    async def rig(self):
        async with OneBotClient() as client:
            rig = OneBotRig(client)
            async with rig.connected():
                yield rig
