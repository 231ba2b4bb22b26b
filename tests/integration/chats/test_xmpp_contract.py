"""Contract of platforms, run with a real Prosody server."""

import asyncio
import itertools
import os
import re
import signal
import time
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from xml.etree.ElementTree import Element, SubElement

import httpx
import pytest
from pydantic import SecretStr

from bot.config.platform_catalog import XmppSettings
from bot.config.settings import PlatformSettings, Settings
from bot.platforms.base import OutgoingMessage
from bot.platforms.kit.doctor import Prober
from bot.platforms.xmpp.adapter import XmppPlatform
from bot.platforms.xmpp.doctor import examine
from bot.platforms.xmpp.wire import message_id
from bot.testing.contracts import PlatformContract
from bot.testing.platform_rig import PlatformRig, VisibleMessage, until
from services.kernel.chat import ChatAddress, ChatMessage, SentFile
from services.kernel.clock import SystemClock
from services.kernel.errors import DeliveryFailed
from tests.support.conversation import converse
from tests.support.memory import resident_bytes
from tests.support.real_servers.process import HOST
from tests.support.real_servers.prosody import HIDING_ROOMS, ROOMS, password_of, prosody, xmpp_person

pytestmark = [pytest.mark.integration, pytest.mark.timeout(60)]
_NUMBERS = itertools.count(1)
_RECENT = 20
_SOAK = int(os.environ.get("BUBBLES_SOAK", "200"))


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = prosody(tmp_path_factory.mktemp("prosody"), ("ann", "ben", "zoe", "bubbles"))
    server.start()
    yield server
    server.stop()


class XmppRig(PlatformRig):
    def __init__(self, port, people, room, **more):
        super().__init__()
        self._people = people
        self._room = room
        self._own_ids = {}
        self.chat = ChatAddress(platform="xmpp", chat_id=room)
        settings = XmppSettings(
            jid="bubbles@localhost",
            password=SecretStr(password_of("bubbles")),
            rooms=(room,),
            host=HOST,
            port=port,
            encrypted=False,
        )
        more.setdefault("max_pause", timedelta(seconds=0.5))
        self.platform = XmppPlatform(settings, clock=SystemClock(), bot_name="Bubbles", **more)

    async def ready(self):
        await until(lambda: self.platform.health.state == "live")

    async def say(self, text, *, sender="ann", reply_to=None):
        extra = None
        if reply_to is not None:
            extra = Element("{urn:xmpp:reply:0}reply", {"id": reply_to})
        own = self._people[sender].say(text.format(bot="@Bubbles", ben="@ben"), extra=extra)
        stanzas = self._people["ann"].heard
        before = max(0, len(stanzas) - _RECENT)  # a long run has thousands
        await until(lambda: any(each.get("id") == own for each in stanzas[before:]))
        known = next(message_id(each) for each in stanzas[before:] if each.get("id") == own)
        self._own_ids[known] = own
        return known

    async def react(self, message_id, emoji, *, sender="ann", is_added=True):
        reactions = Element("{urn:xmpp:reactions:0}reactions", {"id": message_id})
        if is_added:
            SubElement(reactions, "{urn:xmpp:reactions:0}reaction").text = emoji
        self._people[sender].say(None, extra=reactions)

    async def rewrite(self, message_id, text, *, sender="ann"):
        replaced = Element("{urn:xmpp:message-correct:0}replace", {"id": self._own_ids[message_id]})
        self._people[sender].say(text, extra=replaced)

    async def withdraw(self, message_id, *, sender="ann"):
        self._people[sender].say(None, extra=Element("{urn:xmpp:message-retract:1}retract", {"id": message_id}))

    @property
    def unreachable_chat(self):
        return ChatAddress(platform="xmpp", chat_id=f"nowhere@{ROOMS}")

    @property
    def delivers_missed_messages(self):
        return True

    def take_texts(self):
        """Return the received texts, and clear everything recorded, for long runs."""
        texts = [each.text for each in self.received if isinstance(each, ChatMessage)]
        self.received.clear()
        self._own_ids.clear()
        self._people["ann"].heard.clear()
        return texts

    async def disconnect(self):
        await self.say("before the cut")
        await self.messages()
        self.received.clear()
        self.platform._client.abort()
        await until(lambda: self.platform.health.state != "live")

    async def bot_messages(self, count=1):
        ann = self._people["ann"]
        await until(lambda: len(self._visible_messages(ann)) >= count, seconds=3)
        return self._visible_messages(ann)

    def _visible_messages(self, ann):
        messages = {}
        for stanza in ann.heard:
            body = next((each.text for each in stanza if each.tag.endswith("}body")), None)
            if stanza.get("from") != f"{self._room}/Bubbles" or body is None:
                continue
            replaced = stanza.find("{urn:xmpp:message-correct:0}replace")
            reply = stanza.find("{urn:xmpp:reply:0}reply")
            key = stanza.get("id") if replaced is None else replaced.get("id")
            address = stanza.findtext("{jabber:x:oob}x/{jabber:x:oob}url")
            messages[key] = VisibleMessage(
                id=message_id(stanza),
                text=body if address is None else "",
                files=() if address is None else (address.rsplit("/", 1)[1],),
                reply_to=None if reply is None else reply.get("id"),
                mentioned=tuple(f"{name}@localhost" for name in ("ann", "ben") if re.search(rf"\b{name}\b", body)),
            )
        return list(messages.values())


@asynccontextmanager
async def join_room(server, room, *names, **more):
    """Join a room as the bot and these people; yield the rig."""
    async with AsyncExitStack() as resources:
        people = {name: await resources.enter_async_context(xmpp_person(server.port, name, room)) for name in names}
        rig = XmppRig(server.port, people, room, **more)
        await resources.enter_async_context(rig.connected())
        yield rig


class TestXmpp(PlatformContract):
    @pytest.fixture
    async def rig(self, server):
        async with join_room(server, f"team{next(_NUMBERS)}@{ROOMS}", "ann", "ben") as rig:
            yield rig


class TestRoom:
    @pytest.fixture
    async def rig(self, server):
        async with join_room(server, f"others{next(_NUMBERS)}@{ROOMS}", "ann", "ben") as rig:
            yield rig

    async def test_messages_of_others_cannot_be_corrected_or_retracted(self, rig):
        sent_id = await rig.say("tea at five", sender="ann")
        await rig.rewrite(sent_id, "coffee", sender="ben")
        await rig.withdraw(sent_id, sender="ben")
        await rig.say("the end")
        await rig.messages(2)

        assert [type(each) for each in rig.received] == [ChatMessage, ChatMessage]

    async def test_person_with_a_new_nickname_keeps_the_id(self, rig):
        await rig.say("hello", sender="ben")
        rig._people["ben"].rename("benny")
        await rig.say("it is me", sender="ben")
        before, after = await rig.messages(2)

        assert (before.sender.name, after.sender.name) == ("ben", "benny")
        assert before.sender.id == after.sender.id

    async def test_file_is_available_at_the_sent_address(self, rig):
        chart = SentFile(name="chart.png", media_type="image/png", content=b"PNG" * 1000)
        await rig.platform.send(rig.chat, OutgoingMessage(text="", files=(chart,)))
        await rig.bot_messages()
        address = next(
            each.findtext("{*}x/{*}url", "")
            for each in rig._people["ann"].heard
            if each.find("{*}x/{*}url") is not None
        )
        async with httpx.AsyncClient() as people:
            found = await people.get(address)

        assert (found.content, found.headers["Content-Type"]) == (chart.content, "image/png")

    async def test_file_refused_by_the_server_is_named(self, rig):
        film = SentFile(name="film.mp4", media_type="video/mp4", content=b"0" * 20_001)
        await rig.platform.send(rig.chat, OutgoingMessage(text="see", files=(film,)))
        [message] = await rig.bot_messages()

        assert message.text == "see\n📎 film.mp4"


async def test_one_to_one_message_is_received_and_answered(server):
    async with join_room(server, f"direct{next(_NUMBERS)}@{ROOMS}", "ann") as rig:
        ann = rig._people["ann"]
        ann._client.message_to("bubbles@localhost", "help", is_group=False).send()
        [message] = await rig.messages()
        await rig.platform.send(message.address, OutgoingMessage(text="here"))
        has_arrived = await until(lambda: any(each.findtext("{*}body") == "here" for each in ann.heard), seconds=3)

    assert message.is_private
    assert message.address.chat_id == "ann@localhost"
    assert has_arrived


async def test_one_to_one_message_during_an_outage_is_received(server):
    room = f"away{next(_NUMBERS)}@{ROOMS}"
    async with xmpp_person(server.port, "ann", room) as ann:
        ann._client.message_to("bubbles@localhost", "remind me at 5", is_group=False).send()
        await asyncio.sleep(0.5)
        rig = XmppRig(server.port, {"ann": ann}, room)
        async with rig.connected():
            [message] = await rig.messages()

    assert (message.text, message.is_private) == ("remind me at 5", True)


async def test_one_to_one_messages_of_a_broken_stream_are_received_after_a_database_outage(server):
    room = f"outage{next(_NUMBERS)}@{ROOMS}"
    recorded, is_back = [], asyncio.Event()

    async def record(incoming):
        await is_back.wait()
        recorded.append(incoming)

    async with xmpp_person(server.port, "ann", room) as ann:
        rig = XmppRig(server.port, {"ann": ann}, room, stale_after=timedelta(seconds=1))
        running = asyncio.create_task(rig.platform.run(record))
        await rig.ready()
        ann.say("in the room during the outage")
        for text in ("one", "two"):
            ann._client.message_to("bubbles@localhost", text, is_group=False).send()
        await asyncio.sleep(0.5)
        rig.platform._client.abort()
        await until(lambda: rig.platform.health.reconnects >= 1)
        is_back.set()
        await until(lambda: sum(each.is_private for each in recorded) >= 2, seconds=4)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    assert [each.text for each in recorded if each.is_private] == ["one", "two"]


async def test_bot_returns_to_a_room_that_kicked_it(server):
    room = f"kick{next(_NUMBERS)}@{ROOMS}"
    async with join_room(server, room, "ann", rejoin_after=timedelta(seconds=1)) as rig:
        await rig._people["ann"]._client.plugin["xep_0045"].set_role(room, "Bubbles", "none")
        is_out = await until(lambda: "kicked" in str(rig.platform.health.detail))
        with pytest.raises(DeliveryFailed) as failure:
            await rig.platform.send(rig.chat, OutgoingMessage(text="too early"))
        is_back = await until(lambda: not rig.platform.health.detail)
        await rig.say("welcome back")
        [message] = await rig.messages()

    assert (is_out, is_back) == (True, True)
    assert failure.value.is_of_chat
    assert message.text == "welcome back"


async def test_person_with_a_hidden_address_is_not_identified_by_nickname(server):
    async with join_room(server, f"hidden{next(_NUMBERS)}@{HIDING_ROOMS}", "ann", "ben", "zoe") as rig:
        await rig.say("hello", sender="ben")
        rig._people["ben"].rename("benny")
        await rig.say("it is me", sender="ben")
        rig._people["zoe"].rename("ben")
        await rig.say("me too", sender="zoe")
        ben, benny, zoe = [each.sender for each in await rig.messages(3)]

    assert (ben.name, benny.name, zoe.name) == ("ben", "benny", "ben")
    assert ben.id == benny.id != zoe.id


async def test_conversation_continues_after_a_restart_of_the_server(tmp_path):
    server = prosody(tmp_path, ("ann", "ben", "zoe", "bubbles"))
    server.start()
    room = f"team@{ROOMS}"
    async with AsyncExitStack() as resources:
        resources.callback(server.stop)
        people = {}

        async def join():
            for name in ("ann", "ben", "zoe"):
                people[name] = await resources.enter_async_context(xmpp_person(server.port, name, room))

        async def restart():
            await asyncio.to_thread(server.restart)
            await join()

        await join()
        await converse(XmppRig(server.port, people, room), tmp_path, restart)


async def test_hanging_server_makes_the_connection_stale_until_it_answers(server):
    async with join_room(server, f"quiet@{ROOMS}", "ann", stale_after=timedelta(seconds=1.5)) as rig:
        await asyncio.sleep(2)
        quiet = rig.platform.health
        server.signal(signal.SIGSTOP)
        is_stale = await until(lambda: rig.platform.health.state == "deaf")
        server.signal(signal.SIGCONT)
        is_live = await until(lambda: rig.platform.health.state == "live")

    assert (quiet.state, quiet.reconnects) == ("live", 0)
    assert (is_stale, is_live) == (True, True)


@pytest.mark.timeout(60 if _SOAK <= 200 else 1200)
async def test_hundreds_of_messages_are_received_once_and_in_order_over_cut_connections(server):
    async with join_room(server, f"soak@{ROOMS}", "ann") as rig:
        started, early, texts = time.monotonic(), 0, []
        for number in range(_SOAK):
            if number % 100 == 50:
                awaited = number - len(texts)
                await until(lambda awaited=awaited: len(rig.received) >= awaited)
                texts += rig.take_texts()
                early = early or (number > _SOAK // 4 and resident_bytes())
                rig.platform._client.abort()
            if number % 100 == 60:  # ten messages during the outage, no more than a room stores
                await rig.ready()
            await rig.say(f"number {number}")
        await until(lambda: len(texts) + len(rig.received) >= _SOAK)
        texts += rig.take_texts()
        print(  # noqa: T201 - the figures of a long run
            f"\nxmpp: {_SOAK} messages, {_SOAK // 100} cuts, {time.monotonic() - started:.1f} s, "
            f"memory {(resident_bytes() - early) / 1e6:+.1f} MB with the received texts"
        )

        assert texts == [f"number {number}" for number in range(_SOAK)]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        ({"rooms": ()}, []),
        ({"rooms": (f"not-yet-made@{ROOMS}",)}, []),
        ({"rooms": ("team@nowhere.localhost",)}, ["xmpp rooms"]),
        ({"rooms": ("team@localhost",)}, ["xmpp rooms"]),
        ({"password": SecretStr("wrong")}, ["xmpp account"]),
        ({"password": SecretStr("")}, ["xmpp account"]),
        ({"jid": ""}, ["xmpp"]),
        ({"port": 9}, ["xmpp"]),
    ],
)
async def test_doctor_distinguishes_working_and_broken_settings(server, changes, expected):
    values = {
        "jid": "bubbles@localhost",
        "password": SecretStr(password_of("bubbles")),
        "rooms": (f"team@{ROOMS}",),
        "host": HOST,
        "port": server.port,
        "encrypted": False,
    }
    settings = Settings(platforms=PlatformSettings(groups={"xmpp": XmppSettings(**{**values, **changes})}))
    async with Prober(SystemClock()) as prober:
        found = await examine(settings, prober)

    assert [finding.about for finding in found if finding.is_problem] == expected
