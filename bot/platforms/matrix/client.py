"""Wrap matrix-nio: send requests and receive plain JSON. No other module imports it."""

import asyncio
import secrets
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

import aiohttp
import nio
from msgspec import Struct, field
from nio.crypto import ENCRYPTION_ENABLED

from bot.config.platform_catalog import MatrixSettings
from bot.platforms.kit.connection import ConnectionEnded, ConnectionRefusedForGood
from bot.platforms.matrix.wire import Event, Json, Room
from function_calls.language.messages import Message
from services.kernel.chat import Person, Reaction, SentFile
from services.kernel.errors import DeliveryFailed

CAN_ENCRYPT: Final = bool(ENCRYPTION_ENABLED)
"""True if the encryption extra of the library is installed."""

# The server recognises a repeated request by transaction id and device.
_DEVICE: Final = "BUBBLES"
# The first sync has the whole state of all rooms; the library itself has no timeout.
_FIRST_SYNC_SECONDS: Final = 300.0
_HISTORY_PAGE: Final = 100
_MAX_PAGES: Final = 50
_FILTER: Final = {
    "presence": {"types": []},
    "account_data": {"types": []},
    "room": {"ephemeral": {"types": []}, "account_data": {"types": []}, "timeline": {"limit": 50}},
}
_PERMANENT: Final = frozenset({"M_FORBIDDEN", "M_NOT_FOUND", "M_TOO_LARGE", "M_BAD_JSON", "M_INVALID_PARAM"})
_SERVER_ERROR: Final = 500
_LOGIN_REFUSALS: Final = frozenset({"M_FORBIDDEN", "M_USER_DEACTIVATED", "M_INVALID_USERNAME", "M_UNKNOWN_TOKEN"})

R = TypeVar("R")


def device_in(folder: Path) -> str:
    """Return the id of the bot's device, which is created together with its keys and stored beside them."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / "device"
    path.touch()
    if not path.stat().st_size:  # new, or the process was killed before it had written the id
        path.write_text(f"BUBBLES-{secrets.token_hex(4).upper()}", encoding="utf-8")
    return path.read_text(encoding="utf-8")


async def sync_keys(client: nio.AsyncClient) -> None:
    """Upload the keys of this device, and fetch those of other devices."""
    if client.should_upload_keys:
        await client.keys_upload()
    if client.should_query_keys:
        await client.keys_query()
    if client.should_claim_keys:
        await client.keys_claim(client.get_users_for_key_claiming())
    await client.send_to_device_messages()


class SyncBatch(Struct, frozen=True, kw_only=True):
    """Result of one sync: events of each room in order, who invited to which room, and the token for the next."""

    token: str
    events: Mapping[str, tuple[Event, ...]] = field(default_factory=dict)
    inviters: Mapping[str, str] = field(default_factory=dict)


class MatrixClient:
    """A session with a homeserver. `keys` is the folder of the keys of encrypted rooms; None reads none of them."""

    def __init__(self, settings: MatrixSettings, keys: Path | None) -> None:
        self._settings = settings
        folder = keys if CAN_ENCRYPT else None
        self.reads_encrypted = folder is not None
        # The callers decide on retries.
        config = nio.AsyncClientConfig(
            max_limit_exceeded=0, max_timeouts=0, request_timeout=60, encryption_enabled=self.reads_encrypted
        )
        device = _DEVICE if folder is None else device_in(folder)
        self._nio = nio.AsyncClient(
            settings.homeserver, settings.user, device_id=device, store_path=str(folder or ""), config=config
        )

    @property
    def user_id(self) -> str:
        """The bot's Matrix ID."""
        return str(self._nio.user_id or self._settings.user)

    async def login(self) -> None:
        """Log in.

        Raises:
            ConnectionRefusedForGood: the account or its password is wrong.
            ConnectionEnded: the server is unavailable or limits logins.
        """
        token = self._settings.access_token.get_secret_value()
        if token:
            self._nio.access_token = token
            owner = await _call_server(self._nio.whoami())
            _check_session(owner)
            self._nio.restore_login(owner.user_id, owner.device_id or _DEVICE, token)
        else:
            password = self._settings.password.get_secret_value()
            _check_session(await _call_server(self._nio.login(password, device_name="Bubbles")))

    async def sync(self, since: str | None, *, is_first: bool) -> SyncBatch:
        """Wait for events after the token `since`; the first round of a process also fetches the state of the rooms.

        Raises:
            ConnectionEnded, ConnectionRefusedForGood: as for `login`.
        """
        milliseconds = 0 if is_first else 1000 * self._settings.poll_seconds
        request = self._nio.sync(timeout=milliseconds, since=since, sync_filter=_FILTER, full_state=is_first or None)
        answer = await _call_server(request, seconds=_FIRST_SYNC_SECONDS)
        _check_session(answer)
        await _call_server(sync_keys(self._nio))
        events = {room_id: await self._timeline(room_id, room, since) for room_id, room in answer.rooms.join.items()}
        return SyncBatch(token=answer.next_batch, events=events, inviters=self._inviters(answer))

    def room(self, room_id: str, own_events: Mapping[str, None], reactions: Mapping[str, Reaction]) -> Room:
        """Return the known state of a room."""
        known = self._nio.rooms.get(room_id)
        if known is None:
            return Room(id=room_id, own_events=own_events, reactions=reactions)
        return Room(
            id=room_id,
            names={user_id: user.display_name for user_id, user in known.users.items() if user.display_name},
            levels=dict(known.power_levels.users),
            is_private=known.member_count <= 2 and not known.named_room_name(),
            own_events=own_events,
            reactions=reactions,
        )

    def members(self, room_id: str) -> list[Person]:
        """Return the people of a room, with the bot; an empty list for a room that the bot does not know."""
        known = self._nio.rooms.get(room_id)
        room = self.room(room_id, {}, {})
        return [] if known is None else [room.person(user_id) for user_id in known.users]

    def is_member(self, room_id: str, user_id: str) -> bool | None:
        """Return whether somebody is in a room; None for a room that the bot does not know."""
        known = self._nio.rooms.get(room_id)
        return None if known is None else user_id in known.users

    async def upload(self, file: SentFile, room_id: str) -> Mapping[str, Json]:
        """Upload `file`; return the fields by which a message of the room refers to it: its address and maybe a key."""
        room = self._nio.rooms.get(room_id)
        with _convert_errors():
            answer, key = await self._nio.upload(
                lambda *_: file.content,
                file.media_type,
                file.name,
                encrypt=room is not None and bool(room.encrypted),
                filesize=len(file.content),
            )
        if isinstance(answer, nio.ErrorResponse):
            raise _to_delivery_failed(answer)
        address = str(answer.content_uri)
        return {"url": address} if key is None else {"file": {**key, "url": address}}

    async def put(self, room_id: str, kind: str, content: Mapping[str, Json], transaction: str) -> str:
        """Send an event; the same transaction twice is one event. Return its id."""
        with _convert_errors():
            answer = await self._nio.room_send(
                room_id, kind, dict(content), tx_id=transaction, ignore_unverified_devices=True
            )
        if isinstance(answer, nio.ErrorResponse):
            raise _to_delivery_failed(answer)
        return str(answer.event_id)

    async def show_typing(self, room_id: str, milliseconds: int) -> None:
        """Show the typing indicator; a refusal is ignored."""
        await _call_server(self._nio.room_typing(room_id, typing_state=True, timeout=milliseconds))

    async def join(self, room_id: str) -> bool:
        """Accept an invitation; return whether that succeeded."""
        return not isinstance(await _call_server(self._nio.join(room_id)), nio.ErrorResponse)

    async def leave(self, room_id: str) -> None:
        """Leave a room, or decline an invitation to it."""
        await _call_server(self._nio.room_leave(room_id))

    async def close(self) -> None:
        """Close the connections."""
        await self._nio.close()
        await asyncio.sleep(0)  # the transports close in the next round of the loop

    async def _timeline(self, room_id: str, room: "nio.RoomInfo", since: str | None) -> tuple[Event, ...]:
        """Return the events of a room since the last round, with those that the server left out of a long list."""
        events = tuple(event.source for event in room.timeline.events)
        if since is None or not room.timeline.limited or not room.timeline.prev_batch:
            return events
        return (*await self._between(room_id, room.timeline.prev_batch, since), *events)

    async def _between(self, room_id: str, newest: str, oldest: str) -> tuple[Event, ...]:
        found: list[Event] = []
        start: str | None = newest
        for _ in range(_MAX_PAGES):
            if start is None:
                break
            page = await _call_server(
                self._nio.room_messages(
                    room_id, start, end=oldest, direction=nio.MessageDirection.back, limit=_HISTORY_PAGE
                )
            )
            if isinstance(page, nio.ErrorResponse) and page.retry_after_ms:
                raise ConnectionEnded(str(page), retry_after=_seconds(page))  # syncs anew, so that no event is lost
            if isinstance(page, nio.ErrorResponse) or not page.chunk:
                break
            found += [event.source for event in page.chunk]
            start = page.end
        return tuple(reversed(found))

    def _inviters(self, answer: "nio.SyncResponse") -> dict[str, str]:
        return {
            room_id: str(event.sender)
            for room_id, room in answer.rooms.invite.items()
            for event in room.invite_state
            if isinstance(event, nio.InviteMemberEvent)
            and event.state_key == self.user_id
            and event.membership == "invite"
        }


async def _call_server(request: Coroutine[object, object, R], *, seconds: float | None = None) -> R:
    """Await `request` for at most `seconds`; raise `ConnectionEnded` if the server cannot be reached."""
    try:
        # Not `wait_for`: that of Python 3.11 loses a cancellation that comes together with the answer.
        async with asyncio.timeout(seconds):
            return await request
    except TimeoutError as error:  # before the errors of the library, of which some are timeouts too
        raise ConnectionEnded(Message("server.timeout")) from error
    except aiohttp.ClientError as error:
        was_reached = isinstance(error, aiohttp.ServerDisconnectedError | aiohttp.ClientPayloadError)
        raise ConnectionEnded(Message("server.ended" if was_reached else "server.not_reached")) from error


@contextmanager
def _convert_errors() -> Iterator[None]:
    try:
        yield
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise DeliveryFailed(f"the homeserver cannot be reached: {type(error).__name__}") from error
    except (nio.LocalProtocolError, nio.EncryptionError) as error:
        # The room is not synced yet, or its keys are not shared: other rooms are not affected.
        raise DeliveryFailed(f"cannot be sent now: {error}", is_of_chat=True) from error


def _check_session(answer: object) -> None:
    if not isinstance(answer, nio.ErrorResponse):
        return
    code, reason = str(answer.status_code), f"{answer.status_code}: {answer.message}"
    if code in _LOGIN_REFUSALS:
        raise ConnectionRefusedForGood(reason)
    raise ConnectionEnded(reason, retry_after=_seconds(answer))


def _to_delivery_failed(answer: "nio.ErrorResponse") -> DeliveryFailed:
    code, seconds = str(answer.status_code), _seconds(answer)
    # Rate limits are those of the account, not of a room.
    status = getattr(answer.transport_response, "status", _SERVER_ERROR)
    return DeliveryFailed(
        f"{code}: {answer.message}",
        retry_after=seconds,
        is_permanent=code in _PERMANENT,
        is_global=seconds is not None,
        is_of_chat=seconds is None and code not in _PERMANENT and status < _SERVER_ERROR,
    )


def _seconds(answer: "nio.ErrorResponse") -> float | None:
    return answer.retry_after_ms / 1000 if answer.retry_after_ms else None
