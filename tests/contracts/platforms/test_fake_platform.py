"""Contract of platforms, run with the fake platform."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from bot.platforms.kit.markdown import plain, spans_of
from bot.testing.clocks import StandingClock
from bot.testing.contracts import PlatformContract
from bot.testing.platform import FakePlatform
from bot.testing.platform_rig import PlatformRig, VisibleMessage
from services.kernel.chat import ChatAddress
from services.kernel.errors import DeliveryFailed


class FakeRig(PlatformRig):
    def __init__(self):
        super().__init__()
        self.platform = FakePlatform(StandingClock(datetime(2026, 11, 20, 10, tzinfo=UTC)))
        self.chat = ChatAddress(platform="fake", chat_id="home")

    async def ready(self):
        return None

    async def say(self, text, *, sender="ann", reply_to=None):
        message = await self.platform.say(text.format(bot="@Bubbles", ben="@ben"), sender=sender, reply_to=reply_to)
        return message.id

    async def repeat(self):
        last = self.received[-1]
        await self.platform.say(last.text, sender=last.sender.id, message_id=last.id)

    async def limit(self, seconds, *, everywhere):
        def refuse(*_):
            raise DeliveryFailed("slow down", retry_after=seconds, is_global=everywhere)

        self.platform.refuse = refuse

    async def press(self, message_id, label, *, sender="ann"):
        for _, message in self.platform.sent:
            for choice in message.choices:
                if choice.label == label:
                    await self.platform.say(choice.says, sender=sender, reply_to=message_id)

    async def react(self, message_id, emoji, *, sender="ann", is_added=True):
        await self.platform.put_emoji(message_id, emoji, sender=sender, is_added=is_added)

    async def rewrite(self, message_id, text, *, sender="ann"):
        await self.platform.rewrite(message_id, text)

    async def withdraw(self, message_id, *, sender="ann"):
        await self.platform.withdraw(message_id)

    async def bot_messages(self, count=1):
        keys, messages = set(), []
        for number, (_, message) in enumerate(self.platform.sent, 1):
            if message.idempotency_key in keys:
                continue
            keys |= {message.idempotency_key} - {None}
            known = {each.id for each in self.received}
            spans = spans_of(replace(message, text=message.text))
            messages.append(
                VisibleMessage(
                    id=f"bot-{number}",
                    text=plain(spans),
                    reply_to=message.reply_to if message.reply_to in known else None,
                    mentioned=tuple(span.person.id for span in spans if span.person),
                    notifies_everyone=message.mentions_everyone,
                    choices=tuple(choice.label for choice in message.choices),
                    files=tuple(file.name for file in message.files),
                )
            )
        return messages


class RigWithFiles(FakeRig):
    def __init__(self):
        super().__init__()
        self.platform.capabilities = replace(self.platform.capabilities, files=True)


class TestFakePlatform(PlatformContract):
    @pytest.fixture
    async def rig(self):
        rig = FakeRig()
        async with rig.connected():
            yield rig


class TestFakePlatformWithFiles(PlatformContract):
    @pytest.fixture
    async def rig(self):
        rig = RigWithFiles()
        async with rig.connected():
            yield rig
