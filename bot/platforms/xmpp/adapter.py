"""Connect one account to the XMPP multi-user chat rooms of the settings."""

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Final
from xml.etree.ElementTree import Element

from loguru import logger
from msgspec.structs import replace
from slixmpp.stanza import Message

from bot.config.field_errors import SettingInvalid
from bot.config.platform_catalog import XmppSettings
from bot.platforms.base import Capabilities, Health, OutgoingMessage, Receive
from bot.platforms.kit.adapter import NetworkPlatform, PlatformParts
from bot.platforms.kit.connection import MAX_PAUSE, Backlog, Connection, ConnectionEnded, PendingAnswers
from bot.platforms.kit.pieces import pieces, send_in_order
from bot.platforms.xmpp.client import ReceivedMessage, XmppClient
from bot.platforms.xmpp.wire import (
    NAME,
    Occupant,
    RecentMessages,
    Room,
    add_file,
    add_replacement,
    add_reply,
    message_id,
    private_message,
    refusal,
    text_of,
    to_incoming,
    to_reactions,
)
from function_calls.language import messages
from services.kernel.background_tasks import run_beside
from services.kernel.chat import ChatAddress, Person, SentFile
from services.kernel.clock import Clock
from services.kernel.errors import DeliveryFailed
from services.kernel.network import growing_pauses
from services.kernel.state import MemoryStateStore, StateStore

_MAX_MESSAGE_CHARS: Final = 8_000
# The default limit of Prosody; servers check their own limits at an upload.
_MAX_FILE_KILOBYTES: Final = 10_000
_STALE_AFTER: Final = timedelta(seconds=120)
_REJOIN_AFTER: Final = timedelta(seconds=10)
_MAX_REJOIN_SECONDS: Final = 600.0
_REFLECTION_SECONDS: Final = 30.0
_LIFETIME: Final = timedelta(days=365)
_ONE_TO_ONE: Final = frozenset({None, "chat", "normal"})
# Rooms give the time of repeated messages in seconds, by their own clock; duplicates are recognised by id.
_STAMP_SLACK: Final = timedelta(seconds=3)


def create(parts: PlatformParts) -> "XmppPlatform":
    """Return the platform of the settings."""
    settings = parts.group(NAME, XmppSettings, "jid", hint="xmpp_jid")
    if not settings.password.get_secret_value():
        raise SettingInvalid("environment", "BUBBLES_PLATFORMS__XMPP__PASSWORD", "password")
    return XmppPlatform(settings, clock=parts.clock, bot_name=parts.bot_name)


class XmppPlatform(NetworkPlatform):
    """One account on one server."""

    name = NAME
    # Clients without corrections show each as another message, so an answer is edited only once.
    capabilities = Capabilities(
        replies=True,
        max_edits=1,
        max_length=_MAX_MESSAGE_CHARS,
        files=True,
        max_file_kilobytes=_MAX_FILE_KILOBYTES,
    )

    def __init__(
        self,
        settings: XmppSettings,
        *,
        clock: Clock,
        bot_name: str,
        stale_after: timedelta = _STALE_AFTER,
        max_pause: timedelta = MAX_PAUSE,
        rejoin_after: timedelta = _REJOIN_AFTER,
    ) -> None:
        """`rejoin_after` is the first pause before the bot rejoins a room; it doubles each time."""
        connection = Connection(NAME, clock, stale_after=stale_after, probe=self._probe, max_pause=max_pause)
        super().__init__(clock, bot_name, connection)
        self._settings = settings
        self._client: XmppClient | None = None
        self._nicks: dict[str, str] = {}
        self._missing_rooms: dict[str, str] = {}
        self._rejoin_after = rejoin_after.total_seconds()
        self._private_backlog = Backlog()
        self._recent = RecentMessages()
        self._reflections: PendingAnswers[str] = PendingAnswers()
        self._state: StateStore = MemoryStateStore(clock)
        self._missed_since: datetime | None = None

    @property
    def health(self) -> Health:
        """Return the state of the connection; `detail` names the rooms that the bot could not join."""
        health = super().health
        if health.state != "live" or not self._missing_rooms:
            return health
        rooms = ", ".join(f"{room} ({why})" if why else room for room, why in self._missing_rooms.items())
        return replace(health, detail=messages.Message("connection.not_in_rooms", {"rooms": rooms}))

    def use_state(self, state: StateStore) -> None:
        """Store the time of the last message, so that a restart can ask for missed ones."""
        self._state = state

    async def run(self, receive: Receive) -> None:
        """Serve the rooms until cancelled."""
        async with self._private_backlog.forward(receive):
            await super().run(receive)

    async def send(self, address: ChatAddress, message: OutgoingMessage) -> str | None:
        """Send `message` and wait for its reflection in a room; files follow as addresses, or are named in the text."""
        uploaded, named = await self._upload_files(message.files)
        outgoing = replace(message, text="\n".join([message.text, *named]).strip())
        parts = pieces(outgoing.text, _MAX_MESSAGE_CHARS, people=outgoing.mentions)
        texts = [
            partial(self._send_text, address, text_of(outgoing, part), reply_to=None if number else outgoing.reply_to)
            for number, part in enumerate(parts)
        ]
        files = [partial(self._send_text, address, url, is_file=True) for url in uploaded]
        return await send_in_order([*texts, *files], self._clock)

    async def edit(self, address: ChatAddress, message_id: str, message: OutgoingMessage) -> None:
        """Correct an earlier message of the bot."""
        replaced = self._recent.own.get(message_id, message_id)
        await self._send_text(address, text_of(message, message.text), replaces=replaced)

    async def is_member(self, address: ChatAddress, person_id: str) -> bool | None:
        """Return whether somebody is in a room now; None for a private chat."""
        if self._client is None or address.chat_id not in self._nicks:
            return None
        here = self._client.occupants(address.chat_id).values()
        return any(occupant.person.id == person_id for occupant in here)

    async def members(self, address: ChatAddress) -> Sequence[Person]:
        """Return the people in a room; empty for a private chat."""
        own = self._nicks.get(address.chat_id)
        if self._client is None or own is None:
            return ()
        return [each.person for nick, each in self._client.occupants(address.chat_id).items() if nick != own]

    async def _upload_files(self, files: Sequence[SentFile]) -> tuple[list[str], list[str]]:
        """Upload `files`; return the addresses, and a line of text for each file that failed."""
        uploaded: list[str] = []
        named: list[str] = []
        for file in files:
            try:
                uploaded.append(await self._require_client().upload(file))
            except DeliveryFailed as failure:
                logger.bind(platform=NAME).info("could not upload a file; sending its name only: {}", failure)
                named.append(f"📎 {file.name}")
        return uploaded, named

    def _require_client(self) -> XmppClient:
        if self._client is None or self._connection.health.state not in {"live", "deaf"}:
            raise DeliveryFailed("not connected to the XMPP server")
        return self._client

    async def _send_text(
        self,
        address: ChatAddress,
        text: str,
        *,
        reply_to: str | None = None,
        replaces: str | None = None,
        is_file: bool = False,
    ) -> str:
        client, is_group = self._require_client(), address.chat_id in self._nicks
        if not is_group and _domain(address.chat_id) in {_domain(room) for room in self._settings.rooms}:
            raise DeliveryFailed(f"the bot is not in {address.chat_id}", is_of_chat=True)
        stanza = client.message_to(address.chat_id, text, is_group=is_group)
        if is_file:
            add_file(stanza.xml, text)
        if reply_to is not None:
            add_reply(stanza.xml, reply_to, self._recent.authors.get(reply_to, ""))
        if replaces is not None:
            add_replacement(stanza.xml, replaces)
        return await self._send(address, stanza)

    async def _send(self, address: ChatAddress, stanza: Message) -> str:
        own_id = str(stanza["id"])
        if address.chat_id not in self._nicks:
            stanza.send()
            return own_id
        # A room accepts a message by sending it back with an id of the room.
        async with self._reflections.expect(
            own_id, _REFLECTION_SECONDS, "the room did not repeat the message"
        ) as reflection:
            stanza.send()
            room_id = await reflection
        self._recent.own[room_id] = own_id
        return room_id

    async def _session(self) -> None:
        client = XmppClient(self._settings)
        try:
            await client.enter()
            stored = await self._state.get(self._state_key)
            since = self._missed_since or (datetime.fromisoformat(stored) if isinstance(stored, str) else None)
            self._missed_since = since
            self._missing_rooms = dict.fromkeys(self._settings.rooms, "")
            for room in self._settings.rooms:
                await self._join(client, room, since)
            self._client = client
            self._connection.note_received()
            async with run_beside(self._return_to_rooms(client), "xmpp rooms"):
                while (received := await client.received.get()) is not None:
                    self._connection.note_received()
                    await self._take(received)
            raise ConnectionEnded(messages.Message("connection.closed"))
        finally:
            self._client = None
            self._queue_private(client)
            self._nicks.clear()
            self._missing_rooms.clear()
            self._reflections.lose_all("the connection ended")
            await client.leave()

    async def _join(self, client: XmppClient, room: str, since: datetime | None) -> None:
        try:
            self._nicks[room] = await client.join(room, self._settings.nick or self._bot_name, since)
        except (PermissionError, ConnectionEnded) as error:  # the stream may be well if a room does not answer
            self._missing_rooms[room] = str(error)
            logger.bind(platform=NAME).error("cannot join {}: {}", room, error)
        else:
            self._missing_rooms.pop(room, None)

    async def _return_to_rooms(self, client: XmppClient) -> None:
        """Rejoin rooms that refused or removed the bot, with growing pauses, until cancelled."""
        async with asyncio.TaskGroup() as entering:
            for room in self._missing_rooms:
                entering.create_task(self._return_to(client, room))
            while True:
                room, reason = await client.left.get()
                if self._nicks.pop(room, None) is None:
                    continue
                self._missing_rooms[room] = reason
                logger.bind(platform=NAME).warning("left room {}: {}", room, reason)
                entering.create_task(self._return_to(client, room))

    async def _return_to(self, client: XmppClient, room: str) -> None:
        pauses = growing_pauses(self._rejoin_after, _MAX_REJOIN_SECONDS)
        while room in self._missing_rooms:
            await self._clock.nap(next(pauses))
            await self._join(client, room, self._missed_since)
        logger.bind(platform=NAME).info("rejoined room {}", room)

    async def _take(self, received: ReceivedMessage) -> None:
        stanza = received.stanza
        jid, _, nick = stanza.get("from", "").partition("/")
        if jid in self._nicks and nick == self._nicks[jid]:
            self._reflections.resolve(stanza.get("id", ""), message_id(stanza))
        elif stanza.get("type") == "error":
            self._reflections.refuse(stanza.get("id", ""), refusal(stanza))
        elif stanza.get("type") == "groupchat":
            await self._receive_message(stanza, self._room(jid, received.occupants))
        else:
            self._receive_private(stanza)

    def _queue_private(self, client: XmppClient) -> None:
        """Queue the one-to-one messages of an ended stream: unlike those of rooms they are not repeated."""
        while not client.received.empty():
            received = client.received.get_nowait()
            if received is not None and received.stanza.get("type") in _ONE_TO_ONE:
                self._receive_private(received.stanza)

    def _receive_private(self, stanza: Element) -> None:
        if stanza.get("from", "").partition("/")[0] not in self._settings.rooms:
            message = private_message(stanza, now=self._clock.now(), fresh_id=uuid.uuid4().hex)
            if message is not None:
                self._private_backlog.put(message)

    def _room(self, jid: str, occupants: Mapping[str, Occupant]) -> Room:
        return Room(
            jid=jid,
            nick=self._nicks.get(jid, self._bot_name),
            bot_name=self._bot_name,
            occupants=occupants,
            recent=self._recent,
            missed_since=self._missed_since,
        )

    async def _receive_message(self, stanza: Element, room: Room) -> None:
        now = self._clock.now()
        await self._note_reactions(stanza, room)
        incoming = to_incoming(stanza, room, now=now, fresh_id=uuid.uuid4().hex)
        given_id = message_id(stanza)
        if incoming is None or (given_id and given_id in self._recent.authors):  # rooms repeat their history
            return
        await self._deliver(incoming)
        self._recent.remember(stanza)  # not before: a message that is not recorded is taken from the history later
        if stanza.find("{urn:xmpp:delay}delay") is None:
            self._missed_since = now - _STAMP_SLACK
            await self._state.set(self._state_key, self._missed_since.isoformat(), keep=_LIFETIME)

    async def _note_reactions(self, stanza: Element, room: Room) -> None:
        """Pass on changes of somebody's reactions, except those in the history."""
        changed = self._recent.update_reactions(stanza)
        if changed is not None and stanza.find("{urn:xmpp:delay}delay") is None:
            for reaction in to_reactions(stanza, room, *changed):
                await self._deliver(reaction)

    async def _probe(self) -> None:
        if self._client is not None and await self._client.answers_ping():
            self._connection.note_received()

    @property
    def _state_key(self) -> str:
        return f"xmpp.heard:{self._settings.jid}"


def _domain(jid: str) -> str:
    return jid.partition("@")[2]
