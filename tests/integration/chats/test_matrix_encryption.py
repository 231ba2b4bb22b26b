"""Encrypted rooms on a real homeserver, with a person who uses another client and other keys."""

import asyncio
from contextlib import asynccontextmanager

import nio
import pytest
from pydantic import SecretStr

from bot.config.platform_catalog import MatrixSettings
from bot.platforms.base import OutgoingMessage
from bot.platforms.matrix.adapter import MatrixPlatform
from bot.platforms.matrix.client import sync_keys
from bot.testing.platform_rig import until
from services.kernel.chat import ChatAddress, ChatMessage, SentFile
from services.kernel.clock import SystemClock
from tests.support.real_servers.synapse import MatrixPerson, synapse

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]
BOT = "@bubbles:localhost"
ENCRYPTED = {"type": "m.room.encryption", "state_key": "", "content": {"algorithm": "m.megolm.v1.aes-sha2"}}
UNREADABLE = {
    "algorithm": "m.megolm.v1.aes-sha2",
    "sender_key": "0" * 43,
    "device_id": "LOST",
    "session_id": "0" * 43,
    "ciphertext": "AwgAEnACgAkLmt6qF84IK++J7UDH2Za1YVchHyprqTqsg",
}


class EncryptingClient:
    """A client of a person that encrypts and decrypts messages."""

    def __init__(self, account, folder):
        self.account = account
        config = nio.AsyncClientConfig(encryption_enabled=True)
        self.client = nio.AsyncClient(account.address, account.user_id, store_path=str(folder), config=config)
        self._events = []

    async def listen(self):
        await self.client.login(self.account.password)
        while True:
            answer = await self.client.sync(timeout=1000, full_state=not self.client.next_batch)
            await sync_keys(self.client)
            self._events += [
                (room_id, event) for room_id, room in answer.rooms.join.items() for event in room.timeline.events
            ]

    def messages_of_bot(self, room):
        """Return the contents of the bot's messages in a room that the client could decrypt."""
        return [
            event.source["content"]
            for room_id, event in self._events
            if room_id == room and event.sender == BOT and event.source["type"] == "m.room.message"
        ]

    def create_room(self):
        invited = {"name": "secret", "invite": [BOT], "initial_state": [ENCRYPTED]}
        return str(self.account.client("POST", "createRoom", invited)["room_id"])

    async def say(self, room, text):
        assert await until(lambda: self._can_encrypt_for_bot(room))
        content = {"msgtype": "m.text", "body": text}
        sent = await self.client.room_send(room, "m.room.message", content, ignore_unverified_devices=True)
        return sent.event_id

    def _can_encrypt_for_bot(self, room):
        """Return whether the bot is in the room with a device for which the client can encrypt."""
        is_there = room in self.client.rooms and BOT in self.client.rooms[room].users
        return is_there and not self.client.should_query_keys and any(self.client.device_store.active_user_devices(BOT))


@pytest.fixture(scope="module")
def accounts(tmp_path_factory):
    """Start a homeserver; yield the accounts of Ann and the bot."""
    server = synapse(tmp_path_factory.mktemp("synapse"))
    server.start()
    people = MatrixPerson(server.port, "ann"), MatrixPerson(server.port, "bubbles")
    for person in people:
        person.register()
    yield people
    server.stop()


@pytest.fixture
async def ann(accounts, tmp_path):
    ann = EncryptingClient(accounts[0], tmp_path)
    listening = asyncio.create_task(ann.listen())
    yield ann
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    await ann.client.close()


@pytest.fixture
def connect_bot(accounts, tmp_path):
    """Return a context manager that connects a bot with keys in a folder; it yields the platform and its events."""
    _, bubbles = accounts
    common = {"homeserver": bubbles.address, "user": BOT, "inviters": ("@ann:localhost",), "poll_seconds": 1}

    @asynccontextmanager
    async def connect(keys=tmp_path / "keys", **secret):
        settings = MatrixSettings(**common, **(secret or {"password": SecretStr(bubbles.password)}))
        platform = MatrixPlatform(settings, clock=SystemClock(), bot_name="Bubbles", keys=keys)
        received = []

        async def receive(incoming):
            received.append(incoming)
            done = asyncio.get_running_loop().create_future()
            done.set_result(None)
            return done

        running = asyncio.create_task(platform.run(receive))
        assert await until(lambda: platform.health.state == "live")
        try:
            yield platform, received
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    return connect


def texts(received):
    return [each.text for each in received if isinstance(each, ChatMessage)]


async def test_encrypted_room_is_read_and_written_before_and_after_a_restart(ann, connect_bot):
    picture = SentFile(name="cat.png", media_type="image/png", content=b"PNG")
    async with connect_bot() as (platform, received):
        room = await asyncio.to_thread(ann.create_room)
        address = ChatAddress(platform="matrix", chat_id=room)
        question = await ann.say(room, "Bubbles, tea? 喝茶？")
        assert await until(lambda: texts(received))
        await platform.send(address, OutgoingMessage(text="yes", reply_to=question, files=(picture,)))
        assert await until(lambda: len(ann.messages_of_bot(room)) == 2)
    async with connect_bot() as (platform, received_later):
        await ann.say(room, "and cake?")
        assert await until(lambda: texts(received_later))
        await platform.send(address, OutgoingMessage(text="cake too"))
        assert await until(lambda: len(ann.messages_of_bot(room)) == 3)
    on_the_server = [
        each["type"]
        for each in await asyncio.to_thread(ann.account.events, room)
        if "ciphertext" in str(each["content"]) or each["type"] == "m.room.message"
    ]

    assert (texts(received), texts(received_later)) == (["Bubbles, tea? 喝茶？"], ["and cake?"])
    assert [each["body"] for each in ann.messages_of_bot(room)] == ["yes", "cat.png", "cake too"]
    assert ann.messages_of_bot(room)[0]["m.relates_to"]["m.in_reply_to"]["event_id"] == question
    assert "key" in ann.messages_of_bot(room)[1]["file"]
    assert on_the_server == ["m.room.encrypted"] * 5


async def test_bot_without_keys_reports_once_that_it_cannot_read(ann, connect_bot):
    async with connect_bot(keys=None) as (_, received):
        room = await asyncio.to_thread(ann.create_room)
        for text in ("one", "two"):
            await ann.say(room, text)
        assert await until(lambda: ann.messages_of_bot(room))
        await asyncio.to_thread(ann.account.send, room, {"msgtype": "m.text", "body": "in clear"})
        assert await until(lambda: texts(received))

    assert texts(received) == ["in clear"]
    assert [each["body"].partition(" ")[0] for each in ann.messages_of_bot(room)] == ["🔒"]


async def test_message_with_an_unknown_key_is_requested_again(ann, accounts, connect_bot):
    async with connect_bot(access_token=SecretStr(accounts[1].token)) as (_, received):
        room = await asyncio.to_thread(ann.create_room)
        await ann.say(room, "hello")
        await asyncio.to_thread(ann.account.send, room, UNREADABLE, kind="m.room.encrypted")
        assert await until(lambda: ann.messages_of_bot(room))

    assert "say it again" in ann.messages_of_bot(room)[0]["body"]
    assert texts(received) == ["hello"]
