"""Contract of platforms, run with a real Matrix homeserver."""

import asyncio
import os
import re
import signal
import time
from datetime import timedelta
from html import unescape
from urllib.parse import quote

import pytest
from pydantic import SecretStr

from bot.config.platform_catalog import MatrixSettings
from bot.config.settings import PlatformSettings, Settings
from bot.platforms.base import OutgoingMessage
from bot.platforms.kit.doctor import Prober
from bot.platforms.matrix.adapter import MatrixPlatform
from bot.platforms.matrix.doctor import examine
from bot.testing.contracts import PlatformContract
from bot.testing.platform_rig import PlatformRig, VisibleMessage, until
from services.kernel.chat import BotAdded, ChatAddress, ChatMessage
from services.kernel.clock import SystemClock
from services.kernel.errors import DeliveryFailed
from tests.support.conversation import converse
from tests.support.memory import resident_bytes
from tests.support.real_servers.process import HOST
from tests.support.real_servers.synapse import MatrixPerson, synapse

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]
_BOT = "@bubbles:localhost"
_SOAK = int(os.environ.get("BUBBLES_SOAK", "100"))


@pytest.fixture(scope="module")
def homeserver(tmp_path_factory):
    server = synapse(tmp_path_factory.mktemp("synapse"))
    server.start()
    people = {name: MatrixPerson(server.port, name) for name in ("ann", "ben", "zoe", "bubbles")}
    for person in people.values():
        person.register()
    room_id = people["ann"].create_room(name="team", invite=("@ben:localhost", "@zoe:localhost", _BOT))
    people["ben"].join(room_id)
    people["zoe"].join(room_id)
    yield server, people, room_id
    server.stop()


class MatrixRig(PlatformRig):
    def __init__(self, port, people, room_id, *, poll_seconds=30, inviters=("*:localhost",), **more):
        super().__init__()
        self._people = people
        self._room_id = room_id
        self._put = {}
        self._earlier = {event["event_id"] for event in people["ann"].events(room_id)}
        self.chat = ChatAddress(platform="matrix", chat_id=room_id)
        self.settings = MatrixSettings(
            homeserver=f"http://{HOST}:{port}",
            user=_BOT,
            password=SecretStr(people["bubbles"].password),
            invites="listed",
            inviters=inviters,
            poll_seconds=poll_seconds,
        )
        more.setdefault("max_pause", timedelta(seconds=0.5))
        self.platform = MatrixPlatform(self.settings, clock=SystemClock(), bot_name="Bubbles", **more)

    async def ready(self):
        await until(lambda: self.platform.health.state == "live")
        for _ in range(100):
            if _BOT in await asyncio.to_thread(self._people["ann"].members, self._room_id):
                return
            await asyncio.sleep(0.05)

    async def say(self, text, *, sender="ann", reply_to=None):
        mentioned = [user for mark, user in (("{bot}", _BOT), ("{ben}", "@ben:localhost")) if mark in text]
        content = {"msgtype": "m.text", "body": text.format(bot="bubbles", ben="ben")}
        if mentioned:
            content["m.mentions"] = {"user_ids": mentioned}
        if reply_to is not None:
            content["m.relates_to"] = {"m.in_reply_to": {"event_id": reply_to}}
        return await asyncio.to_thread(self._people[sender].send, self._room_id, content)

    async def react(self, message_id, emoji, *, sender="ann", is_added=True):
        person = self._people[sender]
        if is_added:
            relation = {"rel_type": "m.annotation", "event_id": message_id, "key": emoji}
            put = await asyncio.to_thread(person.send, self._room_id, {"m.relates_to": relation}, kind="m.reaction")
            self._put[sender, emoji] = put
        else:
            await asyncio.to_thread(person.redact, self._room_id, self._put[sender, emoji])

    async def rewrite(self, message_id, text, *, sender="ann"):
        new = {"msgtype": "m.text", "body": text}
        relation = {"rel_type": "m.replace", "event_id": message_id}
        content = {**new, "body": f"* {text}", "m.new_content": new, "m.relates_to": relation}
        await asyncio.to_thread(self._people[sender].send, self._room_id, content)

    async def withdraw(self, message_id, *, sender="ann"):
        await asyncio.to_thread(self._people[sender].redact, self._room_id, message_id)

    @property
    def delivers_missed_messages(self):
        return True

    async def disconnect(self):
        await cut_connections(self.platform)

    async def echo(self, text):
        content = {"msgtype": "m.text", "body": text}
        await asyncio.to_thread(self._people["bubbles"].send, self._room_id, content)

    @property
    def unreachable_chat(self):
        return ChatAddress(platform="matrix", chat_id="!nowhere:localhost")

    async def bot_messages(self, count=1):
        messages = []
        for _ in range(20):
            events = await asyncio.to_thread(self._people["ann"].events, self._room_id)
            messages = [self._visible_message(event, events) for event in events if self._is_message_of_bot(event)]
            if len(messages) >= count:
                break
            await asyncio.sleep(0.1)
        return messages

    def _is_message_of_bot(self, event):
        return (
            event["event_id"] not in self._earlier
            and event["sender"] == _BOT
            and event["type"] == "m.room.message"
            and event["content"].get("m.relates_to", {}).get("rel_type") != "m.replace"
        )

    @staticmethod
    def _visible_message(event, events):
        content = event["content"]
        for other in events:  # a client shows the last edit
            relation = other["content"].get("m.relates_to", {})
            if relation.get("rel_type") == "m.replace" and relation["event_id"] == event["event_id"]:
                content = other["content"]["m.new_content"]
        if "url" in content:
            return VisibleMessage(id=event["event_id"], text="", files=(content["filename"],))
        html = content.get("formatted_body")
        text = content["body"] if html is None else unescape(re.sub("<[^>]+>", "", html.replace("<br>", "\n")))
        return VisibleMessage(
            id=event["event_id"],
            text=text,
            reply_to=content.get("m.relates_to", {}).get("m.in_reply_to", {}).get("event_id"),
            mentioned=tuple(content["m.mentions"].get("user_ids", ())),
            notifies_everyone=content["m.mentions"].get("room", False),
        )


class TestMatrix(PlatformContract):
    @pytest.fixture
    async def rig(self, homeserver):
        server, people, room_id = homeserver
        rig = MatrixRig(server.port, people, room_id)
        async with rig.connected():
            yield rig


async def test_conversation_continues_after_a_restart_of_the_server(homeserver, tmp_path):
    server, people, room_id = homeserver
    rig = MatrixRig(server.port, people, room_id)

    await converse(rig, tmp_path, lambda: asyncio.to_thread(server.restart))


async def test_only_invitations_of_listed_people_are_accepted(homeserver):
    server, people, room_id = homeserver
    rig = MatrixRig(server.port, people, room_id, inviters=("@ann:localhost",))

    def membership(name, room):
        return people[name].client("GET", f"rooms/{quote(room)}/state/m.room.member/{_BOT}")["membership"]

    async with rig.connected():
        declined, accepted = [
            await asyncio.to_thread(people[name].create_room, name="new", invite=(_BOT,)) for name in ("ben", "ann")
        ]
        is_added = await until(
            lambda: BotAdded(address=ChatAddress(platform="matrix", chat_id=accepted)) in rig.received
        )
        found = [await asyncio.to_thread(membership, *each) for each in (("ben", declined), ("ann", accepted))]

    assert found == ["leave", "join"]
    assert is_added


def open_connections(platform):
    """Return the connections on which the adapter waits for the server, from the HTTP library."""
    session = getattr(getattr(platform._client, "_nio", None), "client_session", None)
    return [] if session is None else [each for each in session.connector._acquired if each.transport is not None]


async def cut_connections(platform):
    """Break the connections on which the adapter waits."""
    await until(lambda: open_connections(platform))
    for connection in open_connections(platform):
        connection.transport.abort()


async def send_five(rig):
    for number in range(5):
        await rig.platform.send(rig.chat, OutgoingMessage(text=f"number {number}"))


async def test_rate_limit_of_the_server_holds_for_every_room_until_it_ends(homeserver):
    server, people, room_id = homeserver
    root = MatrixPerson(server.port, "root")
    root.register(is_admin=True)
    rig = MatrixRig(server.port, people, room_id)
    async with rig.connected():
        root.limit(_BOT, per_second=1)
        try:
            with pytest.raises(DeliveryFailed) as error:
                await send_five(rig)
        finally:
            root.limit(_BOT, per_second=None)
        pause = error.value.retry_after or 0.0
        await asyncio.sleep(pause)
        await rig.platform.send(rig.chat, OutgoingMessage(text="patient"))

    assert 0 < pause < 5
    assert error.value.is_global
    assert not error.value.is_permanent


@pytest.mark.timeout(120 if _SOAK <= 100 else 1800)
async def test_hundred_messages_are_received_once_and_in_order_over_cut_connections(homeserver):
    server, people, room_id = homeserver
    rig = MatrixRig(server.port, people, room_id)
    last, started, early = f"number {_SOAK - 1}", time.monotonic(), 0
    async with rig.connected():
        for number in range(_SOAK):
            if number == _SOAK // 4:
                early = resident_bytes()
            if number % (_SOAK // 4) == _SOAK // 10:
                await cut_connections(rig.platform)
            await rig.say(f"number {number}")
        await until(lambda: len(rig.received) >= _SOAK and rig.received[-1].text == last, seconds=60)
        texts = [each.text for each in rig.received if isinstance(each, ChatMessage)]
        print(  # noqa: T201 - the figures of a long run
            f"\nmatrix: {_SOAK} messages, 4 cuts, {time.monotonic() - started:.1f} s, "
            f"memory {(resident_bytes() - early) / 1e6:+.1f} MB with the received texts"
        )

        assert texts == [f"number {number}" for number in range(_SOAK)]


async def test_hanging_homeserver_makes_the_connection_stale_until_it_answers(homeserver):
    server, people, room_id = homeserver
    rig = MatrixRig(server.port, people, room_id, poll_seconds=1, stale_after=timedelta(seconds=2.5))
    async with rig.connected():
        await asyncio.sleep(3)
        quiet = rig.platform.health
        server.signal(signal.SIGSTOP)
        try:
            is_stale = await until(lambda: rig.platform.health.state == "deaf")
        finally:
            server.signal(signal.SIGCONT)
        await rig.ready()
        await rig.say("tea")
        [message] = await rig.messages()

    assert (quiet.state, quiet.reconnects) == ("live", 0)
    assert is_stale
    assert message.text == "tea"


async def find_problems(port, *, can_decrypt=False, **values):
    values_of_bot = {"homeserver": f"http://{HOST}:{port}", "user": "@dora:localhost", **values}
    settings = Settings(platforms=PlatformSettings(groups={"matrix": MatrixSettings(**values_of_bot)}))
    async with Prober(SystemClock()) as prober:
        return [
            finding.about for finding in await examine(settings, prober, can_decrypt=can_decrypt) if finding.is_problem
        ]


@pytest.fixture(scope="module")
def dora(homeserver):
    server, people, _ = homeserver
    dora = MatrixPerson(server.port, "dora")
    dora.register()
    return server.port, dora, people["ann"]


async def test_doctor_distinguishes_working_and_broken_accounts(dora):
    port, person, _ = dora
    right, invited = SecretStr(person.password), {"inviters": ("*:localhost",)}

    assert await find_problems(port, password=right, **invited) == []
    assert await find_problems(port, access_token=SecretStr(person.token), **invited) == []
    assert await find_problems(port, password=SecretStr("wrong"), **invited) == ["matrix account"]
    assert await find_problems(port, access_token=SecretStr("wrong"), **invited) == ["matrix account"]
    assert await find_problems(port, access_token=SecretStr(person.token), user="@ann:localhost") == ["matrix account"]
    assert await find_problems(port, **invited) == ["matrix account"]


async def test_doctor_finds_an_invalid_homeserver(dora):
    port, _, _ = dora

    assert await find_problems(9) == ["matrix"]
    assert await find_problems(port, homeserver=f"http://{HOST}:{port}/elsewhere") == ["matrix"]
    assert await find_problems(port, homeserver="") == ["matrix"]


async def test_doctor_leaves_no_device_and_ends_no_session(dora):
    port, person, _ = dora
    await find_problems(port, password=SecretStr(person.password))

    assert [each["device_id"] for each in person.client("GET", "devices")["devices"]] == [person.device]


async def test_doctor_finds_a_bot_without_inviters_and_unreadable_rooms(dora):
    port, person, ann = dora
    password = SecretStr(person.password)

    assert await find_problems(port, password=password) == ["matrix rooms"]
    assert await find_problems(port, password=password, invites="everyone") == []

    open_room, secret_room = (ann.create_room(name=name, invite=(person.user_id,)) for name in ("open", "secret"))
    person.join(open_room)

    assert await find_problems(port, password=password) == []

    ann.client("PUT", f"rooms/{secret_room}/state/m.room.encryption", {"algorithm": "m.megolm.v1.aes-sha2"})
    person.join(secret_room)

    assert await find_problems(port, password=password) == ["matrix rooms"]
    assert await find_problems(port, password=password, can_decrypt=True) == []
