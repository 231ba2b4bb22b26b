"""Contract of platforms, run with real IRC servers."""

import asyncio
import itertools
import os
import random
import re
import signal
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta

import pytest

from bot.config.platform_catalog import IrcSettings
from bot.platforms.base import OutgoingMessage
from bot.platforms.irc.adapter import IrcPlatform
from bot.platforms.irc.wire import plain_text
from bot.testing.contracts import PlatformContract
from bot.testing.platform_rig import NotSupported, PlatformRig, VisibleMessage, until
from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import SystemClock
from services.kernel.errors import DeliveryFailed
from services.reminders.model import DueNotice
from tests.support.conversation import converse
from tests.support.real_servers.irc import irc_person, irc_server
from tests.support.real_servers.process import HOST

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]
_CHANNEL = "#team"
NOTICE = DueNotice(
    delivery_id=1,
    idempotency_key="a-1",
    reminder_id="a",
    address=ChatAddress(platform="irc", chat_id=_CHANNEL),
    creator=Person(id="ann", name="ann"),
    targets=(),
    content="tea",
    language="en",
    due_at=datetime(2026, 11, 20, 9, tzinfo=UTC),
    missed=0,
    is_recurring=False,
    attempt=1,
)
_MANY = int(os.environ.get("BUBBLES_SOAK", "2000"))


class IrcRig(PlatformRig):
    def __init__(self, port, people, **more):
        super().__init__()
        self._people = people
        self._ids = itertools.count()
        self.chat = ChatAddress(platform="irc", chat_id=_CHANNEL)
        pace = {"burst": more.pop("burst", 5), "seconds_per_line": more.pop("seconds_per_line", 0)}
        self.settings = IrcSettings(host=HOST, port=port, encrypted=False, channels=(_CHANNEL,), **pace)
        more.setdefault("max_pause", timedelta(seconds=0.5))
        self.platform = IrcPlatform(self.settings, clock=SystemClock(), bot_name="Bubbles", **more)

    async def ready(self):
        await until(lambda: self.platform.health.state == "live")
        await self._people["ben"].wait_for_lines(":Bubbles!")

    async def say(self, text, *, sender="ann", reply_to=None):
        if reply_to is not None:
            raise NotSupported
        before = len(self.received)
        self._people[sender].say(_CHANNEL, text.format(bot="@Bubbles", ben="@ben"))
        return (await self.messages(before + 1))[-1].id if self.is_recording else ""

    async def disconnect(self):
        self.platform._writer.transport.abort()
        await until(lambda: self.platform.health.state != "live")

    @property
    def unreachable_chat(self):
        return ChatAddress(platform="irc", chat_id="#nowhere")

    async def bot_messages(self, count=1):
        def list_bot_messages():
            return [text for nick, text in self._people["ann"].messages if nick == "Bubbles"]

        await until(lambda: len(list_bot_messages()) >= count, seconds=3)
        return [self._visible_message(text) for text in list_bot_messages()]

    def _visible_message(self, raw):
        text = plain_text(raw)
        mentioned = tuple(person for person in ("ann", "ben") if re.search(rf"\b{person}\b", text))
        return VisibleMessage(id=str(next(self._ids)), text=text, mentioned=mentioned)


class IrcContract(PlatformContract):
    kind = ""

    @pytest.fixture
    async def rig(self, tmp_path):
        async with AsyncExitStack() as resources:
            server = irc_server(tmp_path, self.kind)
            server.start()
            resources.callback(server.stop)
            people = {
                name: await resources.enter_async_context(irc_person(server.port, name, _CHANNEL))
                for name in ("ann", "ben", "zoe")
            }
            rig = IrcRig(server.port, people)
            await resources.enter_async_context(rig.connected())
            yield rig


class TestNgircd(IrcContract):
    kind = "ngircd"


class TestMiniircd(IrcContract):
    kind = "miniircd"


async def test_due_reminder_is_sent_before_answers_delayed_by_the_rate_limit(tmp_path):
    server = irc_server(tmp_path)
    server.start()
    async with AsyncExitStack() as resources:
        resources.callback(server.stop)
        ann = await resources.enter_async_context(irc_person(server.port, "ann", _CHANNEL))
        ben = await resources.enter_async_context(irc_person(server.port, "ben", _CHANNEL))
        rig = IrcRig(server.port, {"ann": ann, "ben": ben}, burst=1, seconds_per_line=0.3)
        await resources.enter_async_context(rig.connected())
        alone = ChatAddress(platform="irc", chat_id="ben")
        text = "\n".join(f"line {number}" for number in range(3))
        answers = [
            asyncio.create_task(rig.platform.send(alone, OutgoingMessage(text=f"{number}\n{text}")))
            for number in range(5)
        ]
        await asyncio.sleep(0.5)
        due = OutgoingMessage(text="⏰ tea", notices=(NOTICE,))
        async with asyncio.timeout(2):
            await rig.platform.send(rig.chat, due)
        waiting = sum(not answer.done() for answer in answers)
        for answer in answers:
            answer.cancel()
        await asyncio.gather(*answers, return_exceptions=True)

    assert waiting == 5


async def test_conversation_continues_after_a_restart_of_the_server(tmp_path):
    server = irc_server(tmp_path)
    server.start()
    async with AsyncExitStack() as resources:
        resources.callback(server.stop)
        people = {}

        async def join():
            for name in ("ann", "ben", "zoe"):
                people[name] = await resources.enter_async_context(irc_person(server.port, name, _CHANNEL))

        async def restart():
            await asyncio.to_thread(server.restart)
            await join()

        await join()
        await converse(IrcRig(server.port, people), tmp_path, restart)


async def test_hanging_server_makes_the_connection_stale_until_it_answers(tmp_path):
    server = irc_server(tmp_path)
    server.start()
    async with AsyncExitStack() as resources:
        resources.callback(server.stop)
        ann = await resources.enter_async_context(irc_person(server.port, "ann", _CHANNEL))
        rig = IrcRig(server.port, {"ann": ann, "ben": ann}, stale_after=timedelta(seconds=1.5))
        await resources.enter_async_context(rig.connected())
        await asyncio.sleep(2)
        quiet = rig.platform.health
        server.signal(signal.SIGSTOP)
        is_stale = await until(lambda: rig.platform.health.state == "deaf")
        server.signal(signal.SIGCONT)
        is_live = await until(lambda: rig.platform.health.state == "live")

    assert (quiet.state, quiet.reconnects) == ("live", 0)
    assert (is_stale, is_live) == (True, True)


async def test_thousands_of_messages_are_sent_once_and_in_order_over_cut_connections(tmp_path):
    server = irc_server(tmp_path)
    server.start()
    chance = random.Random(7)
    cuts = set(chance.sample(range(_MANY), _MANY // 400))
    async with AsyncExitStack() as resources:
        resources.callback(server.stop)
        ann = await resources.enter_async_context(irc_person(server.port, "ann", _CHANNEL))
        rig = IrcRig(server.port, {"ann": ann, "ben": ann})
        await resources.enter_async_context(rig.connected())
        for number in range(_MANY):
            if number in cuts:
                rig.platform._writer.transport.abort()
            await _send_until_accepted(rig, OutgoingMessage(text=f"number {number}"))
        await until(lambda: len(ann.messages) >= _MANY)

        assert [text for _, text in ann.messages] == [f"number {number}" for number in range(_MANY)]


async def test_thousands_of_messages_are_received_once_in_order_and_constant_memory(tmp_path):
    server = irc_server(tmp_path)
    server.start()
    async with AsyncExitStack() as resources:
        resources.callback(server.stop)
        ann = await resources.enter_async_context(irc_person(server.port, "ann", _CHANNEL))
        rig = IrcRig(server.port, {"ann": ann, "ben": ann})
        await resources.enter_async_context(rig.connected())
        sizes = []
        for number in range(_MANY):
            ann.say(_CHANNEL, f"number {number}")
            if number % 1000 == 999:
                await until(lambda count=number: len(rig.received) > count, seconds=30)
                sizes.append(len(asyncio.all_tasks()) + len(rig.platform._pongs))

        assert [message.text for message in rig.received] == [f"number {number}" for number in range(_MANY)]
        assert len({message.id for message in rig.received}) == _MANY
        assert sizes[-1] <= sizes[0]


async def _send_until_accepted(rig, message):
    """Send `message` again while the platform reports that it was not sent, as the outbox does."""
    for _ in range(200):
        try:
            await rig.platform.send(rig.chat, message)
        except DeliveryFailed as failure:
            if failure.is_unknown:  # it may have been sent, and would be repeated
                raise
            await asyncio.sleep(0.05)
        else:
            return
    raise AssertionError("did not reconnect")
