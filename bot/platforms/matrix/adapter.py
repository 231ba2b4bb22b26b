"""Connect one account to the rooms of a Matrix homeserver."""

import asyncio
import hashlib
import uuid
from collections.abc import Awaitable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from loguru import logger

from bot.config.field_errors import SettingInvalid
from bot.config.platform_catalog import MatrixSettings
from bot.platforms.base import Capabilities, OutgoingMessage
from bot.platforms.kit.adapter import NetworkPlatform, PlatformParts
from bot.platforms.kit.connection import MAX_PAUSE, Connection
from bot.platforms.kit.pieces import pieces, send_in_order
from bot.platforms.matrix.client import MatrixClient, SyncBatch
from bot.platforms.matrix.wire import (
    NAME,
    Account,
    Json,
    events_since_join,
    is_new_group,
    link,
    text_of,
    to_content,
    to_edit,
    to_file,
    to_incoming,
)
from services.kernel.background_tasks import run_beside
from services.kernel.bounded import BoundedDict
from services.kernel.chat import BotAdded, ChatAddress, Person, Reaction, SentFile
from services.kernel.clock import Clock
from services.kernel.errors import AssistantError, DeliveryFailed
from services.kernel.state import MemoryStateStore, StateStore

# An event has at most 65,536 bytes, and contains the text twice: plain and formatted.
_EVENT_BYTES: Final = 50_000
_REMEMBERED_EVENTS: Final = 2_000
# The default limit of Synapse.
_MAX_FILE_KILOBYTES: Final = 50_000
# Less than the timeout of a round of syncing.
_SPARE_TIME: Final = timedelta(seconds=10)
_TYPING_MILLISECONDS: Final = 6_000
_TOKEN_LIFETIME: Final = timedelta(days=365)
_CANNOT_READ: Final = (
    "🔒 I cannot read encrypted messages; please invite me to a room without encryption. / "
    "我读不了加密消息，请邀请我进入未加密的房间。"
)
_CANNOT_DECRYPT: Final = (
    "🔒 There is a message here whose key I do not have; please say it again. / 这里有一条消息我没有密钥，请再说一遍。"
)

Handled: TypeAlias = "asyncio.Queue[tuple[str, list[Awaitable[object]]]]"
"""Sync tokens, each with awaitables that end when the events before it are handled."""


def create(parts: PlatformParts) -> "MatrixPlatform":
    """Return the platform of the settings."""
    settings = parts.group(NAME, MatrixSettings)
    if not settings.homeserver or not settings.user:
        raise SettingInvalid("settings", "platforms.matrix.homeserver", "matrix_account")
    if not settings.password.get_secret_value() and not settings.access_token.get_secret_value():
        raise SettingInvalid("environment", "BUBBLES_PLATFORMS__MATRIX__PASSWORD", "matrix_password")
    keys = parts.settings.bot.data_dir / "matrix"
    return MatrixPlatform(settings, clock=parts.clock, bot_name=parts.bot_name, keys=keys)


class MatrixPlatform(NetworkPlatform):
    """One account on one homeserver."""

    name = NAME
    capabilities = Capabilities(
        replies=True,
        max_length=_EVENT_BYTES // 2,
        takes_idempotency_key=True,
        files=True,
        max_file_kilobytes=_MAX_FILE_KILOBYTES,
        seconds_between_edits=5.0,  # by default Synapse accepts ten messages at once, and then one in five seconds
    )

    def __init__(
        self,
        settings: MatrixSettings,
        *,
        clock: Clock,
        bot_name: str,
        keys: Path | None = None,
        stale_after: timedelta | None = None,
        max_pause: timedelta = MAX_PAUSE,
    ) -> None:
        limit = stale_after or timedelta(seconds=settings.poll_seconds) + _SPARE_TIME
        super().__init__(clock, bot_name, Connection(NAME, clock, stale_after=limit, max_pause=max_pause))
        self._settings = settings
        self._keys = keys
        self._client: MatrixClient | None = None
        self._state: StateStore = MemoryStateStore(clock)
        self._own_events: BoundedDict[str, None] = BoundedDict(_REMEMBERED_EVENTS)
        self._reactions: BoundedDict[str, Reaction] = BoundedDict(_REMEMBERED_EVENTS)
        self._token: str | None = None

    def use_state(self, state: StateStore) -> None:
        """Store the sync token there, so that a restart misses nothing."""
        self._state = state

    async def send(self, address: ChatAddress, message: OutgoingMessage) -> str | None:
        """Send `message`, its files after its text, in its thread if it has one; return the id of the first event."""
        key = _transaction(address, message)
        parts = pieces(message.text, _EVENT_BYTES, measure=_measure, people=message.mentions)
        texts = [
            partial(self._put, address, "m.room.message", to_content(message, piece, address), f"{key}-{number}")
            for number, piece in enumerate(parts)
        ]
        files = [
            partial(self._send_file, address, file, f"{key}-file-{number}") for number, file in enumerate(message.files)
        ]
        return await send_in_order([*texts, *files], self._clock)

    async def edit(self, address: ChatAddress, message_id: str, message: OutgoingMessage) -> None:
        """Edit an earlier event of the bot to `message`."""
        await self._put(address, "m.room.message", to_edit(message, address, message_id), uuid.uuid4().hex)

    async def typing(self, address: ChatAddress) -> None:
        """Show for a few seconds that an answer is being written."""
        if self._client is not None:
            await self._client.show_typing(address.chat_id, _TYPING_MILLISECONDS)

    def link(self, address: ChatAddress, message_id: str) -> str | None:
        """Return an address that opens the event in any client."""
        return link(address.chat_id, message_id)

    async def is_member(self, address: ChatAddress, person_id: str) -> bool | None:
        """Return whether somebody is in a room."""
        return self._require_client().is_member(address.chat_id, person_id)

    async def members(self, address: ChatAddress) -> Sequence[Person]:
        """Return the people in a room."""
        client = self._require_client()
        return [each for each in client.members(address.chat_id) if each.id != client.user_id]

    async def _send_file(self, address: ChatAddress, file: SentFile, transaction: str) -> str:
        place = await self._require_client().upload(file, address.chat_id)
        return await self._put(address, "m.room.message", to_file(file, address, place), transaction)

    def _require_client(self) -> MatrixClient:
        if self._client is None:
            raise DeliveryFailed("not connected to the homeserver")
        return self._client

    async def _put(self, address: ChatAddress, kind: str, content: Mapping[str, Json], transaction: str) -> str:
        event_id = await self._require_client().put(address.chat_id, kind, content, transaction)
        self._own_events[event_id] = None
        return event_id

    async def _session(self) -> None:
        client = MatrixClient(self._settings, self._keys)
        handled: Handled = asyncio.Queue()
        try:
            await client.login()
            self._client = client
            stored = await self._state.get(self._state_key)
            since = self._token or (stored if isinstance(stored, str) else None)
            async with run_beside(self._save_sync_tokens(handled), "matrix sync tokens"):
                await self._sync_forever(client, since, handled)
        finally:
            self._client = None
            await client.close()

    async def _sync_forever(self, client: MatrixClient, since: str | None, handled: Handled) -> None:
        """Sync and pass on events until cancelled; those before the first sync ever are skipped."""
        is_first = True
        while True:
            batch = await client.sync(since, is_first=is_first)
            if not is_first:
                self._connection.note_received()
            is_new_here = is_first and since is None
            taken = [] if is_new_here else await self._deliver_events(client, batch)
            for room_id, inviter in batch.inviters.items():
                await self._answer_invitation(client, room_id, inviter)
            handled.put_nowait((batch.token, taken))
            since, is_first, self._token = batch.token, False, batch.token
            self._connection.note_received()

    async def _deliver_events(self, client: MatrixClient, batch: SyncBatch) -> list[Awaitable[object]]:
        account = Account(user_id=client.user_id, bot_name=self._bot_name)
        taken = []
        for room_id, events in batch.events.items():
            room = client.room(room_id, self._own_events, self._reactions)
            new_events = events_since_join(events, account)
            if is_new_group(events, account):  # before its join is synced nothing can be sent to a room
                taken.append(await self._deliver(BotAdded(address=ChatAddress(platform=NAME, chat_id=room_id))))
            for event in new_events:
                incoming = to_incoming(event, room, account)
                if isinstance(incoming, Reaction) and incoming.is_added:  # its withdrawal names only this event
                    self._reactions[text_of(event.get("event_id"))] = incoming
                taken.append(await self._deliver(incoming))
            if any(event.get("type") == "m.room.encrypted" for event in new_events):
                text = _CANNOT_DECRYPT if client.reads_encrypted else _CANNOT_READ
                await self._report_unreadable(room_id, text)
        return [each for each in taken if each is not None]

    async def _save_sync_tokens(self, handled: Handled) -> None:
        """Store each sync token after the events before it are handled."""
        while True:
            token, taken = await handled.get()
            await asyncio.gather(*taken, return_exceptions=True)
            try:
                await self._state.set(self._state_key, token, keep=_TOKEN_LIFETIME)
            except AssistantError as error:  # the token of a later round is stored instead
                logger.bind(platform=NAME).debug("sync token not stored: {}", error)

    async def _answer_invitation(self, client: MatrixClient, room_id: str, inviter: str) -> None:
        """Join or decline as the settings say; the room is greeted after a later sync."""
        log = logger.bind(platform=NAME)
        if not self._is_welcome_inviter(inviter):
            log.info("declined the invitation of {} to {}", inviter, room_id)
            await client.leave(room_id)
        elif not await client.join(room_id):
            log.warning("cannot join {}, to which {} invited", room_id, inviter)

    def _is_welcome_inviter(self, user_id: str) -> bool:
        if self._settings.invites == "listed":
            return user_id in self._settings.inviters or f"*:{user_id.partition(':')[2]}" in self._settings.inviters
        return self._settings.invites == "everyone"

    async def _report_unreadable(self, room_id: str, text: str) -> None:
        key = f"matrix.told_unreadable:{room_id}"
        if await self._state.get(key):
            return
        await self._state.set(key, value=True, keep=_TOKEN_LIFETIME)
        try:
            await self.send(ChatAddress(platform=NAME, chat_id=room_id), OutgoingMessage(text=text))
        except DeliveryFailed as failure:
            logger.bind(platform=NAME).warning("could not report unreadable messages to {}: {}", room_id, failure)

    @property
    def _state_key(self) -> str:
        return f"matrix.place:{self._settings.user}"


def _measure(text: str) -> int:
    content = to_content(OutgoingMessage(text=text), text, ChatAddress(platform=NAME, chat_id=""))
    return max(2 * len(text), sum(len(text_of(content.get(key)).encode()) for key in ("body", "formatted_body")))


def _transaction(address: ChatAddress, message: OutgoingMessage) -> str:
    """Return a transaction id, which is the same for the same key and room."""
    if message.idempotency_key is None:
        return uuid.uuid4().hex
    return hashlib.sha256(f"{address.chat_id} {message.idempotency_key}".encode()).hexdigest()[:32]
