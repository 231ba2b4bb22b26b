"""Decide which rooms a person may read and write, apply the rate limit, and count unread messages.

Admins may enter all rooms, and everybody may enter the lobby. A member belongs to the rooms that they used first, have
written in, or were invited to by another member. A token that was issued for a list of rooms gives access to those.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Annotated, Final

from fastapi import Depends
from msgspec.structs import replace

from bot.http.core.bodies import IN_ROOM, SESSION
from bot.http.core.context import Context, HttpContext
from bot.http.core.errors import HttpRefused
from bot.http.security.auth import ApiViewer, ChatViewer, ReminderViewer, ToolViewer
from services.kernel.chat import ChatAddress, Person
from services.kernel.state import FOREVER, Json
from services.storage.messages.pages import ChatUse, Unread

LOBBY: Final = "lobby"
NOTHING_UNREAD: Final = Unread()
_MAX_ROOMS_PER_PERSON: Final = 500
_EVERYONE: Final = ("all", "everyone", "here", "所有人", "全体成员")
_UNREAD_PERIOD: Final = timedelta(days=7)


def admit(context: HttpContext, address: ChatAddress, person_id: str) -> None:
    """Count the request as a message of the person in the chat.

    Raises:
        HttpRefused: the chat is not served (403), or there were too many messages (429).
    """
    if not context.app.pipeline.access.serves(address):
        raise HttpRefused(403, "chat_not_served", chat=address.key)
    if wait := context.app.pipeline.rate_limit.take(address, person_id):
        raise HttpRefused(429, "too_fast", retry_after=wait)


async def can_enter(context: HttpContext, viewer: ApiViewer, session_id: str) -> bool:
    """Return whether `viewer` belongs to a room; the first person who enters an unused room joins it."""
    if viewer.rooms is not None:
        return session_id in viewer.rooms
    if viewer.role == "admin" or session_id == LOBBY:
        return True
    if session_id in await _joined_rooms(context, viewer.person.id):
        return True
    chat, use = context.room.address(session_id), ChatUse(context.database)
    is_own = bool(await use.chats_of_writer(viewer.person.id, [chat]))
    if not is_own and not await use.is_used(chat):
        is_own = await _open_room(context, viewer.person.id, session_id)
    if is_own:
        await join(context, viewer.person.id, session_id)
    return is_own


async def _open_room(context: HttpContext, person_id: str, session_id: str) -> bool:
    """Store who entered an unused room first; return whether it is this person."""
    async with context.membership_lock:
        opener = await context.state.get(_opener_key(session_id))
        if opener is None:
            await context.state.set(_opener_key(session_id), person_id, keep=FOREVER, is_promised=True)
    return opener in {None, person_id}


async def enter_room(context: HttpContext, viewer: ApiViewer, session_id: str) -> None:
    """Check that `viewer` may read and write in a room.

    Raises:
        HttpRefused: they do not belong to the room (403).
    """
    if not await can_enter(context, viewer, session_id):
        raise HttpRefused(403, "room_not_yours", room=session_id)


async def filter_rooms(context: HttpContext, viewer: ApiViewer, chats: Sequence[ChatAddress]) -> frozenset[str]:
    """Return the keys of the rooms among `chats` that `viewer` belongs to."""
    if viewer.rooms is not None:
        return frozenset(chat.key for chat in chats if chat.chat_id in viewer.rooms)
    if viewer.role == "admin":
        return frozenset(chat.key for chat in chats)
    joined = {LOBBY, *await _joined_rooms(context, viewer.person.id)}
    written = await ChatUse(context.database).chats_of_writer(viewer.person.id, chats)
    return frozenset(chat.key for chat in chats if chat.chat_id in joined or chat in written)


async def join(context: HttpContext, person_id: str, session_id: str, *, is_invited: bool = False) -> None:
    """Add a room to the memberships of a person, of which the last 500 are stored.

    Raises:
        HttpRefused: others invite the person, who belongs to 500 other rooms (409).
    """
    async with context.membership_lock:
        rooms = [each for each in await _joined_rooms(context, person_id) if each != session_id]
        if is_invited and len(rooms) >= _MAX_ROOMS_PER_PERSON:  # strangers could end all memberships of a person
            raise HttpRefused(409, "too_many_rooms", limit=_MAX_ROOMS_PER_PERSON)
        for dropped in rooms[: 1 - _MAX_ROOMS_PER_PERSON]:
            if await context.state.get(_opener_key(dropped)) == person_id:
                await context.state.set(_opener_key(dropped), None, keep=FOREVER)
        await context.state.set(
            _key(person_id), [*rooms[1 - _MAX_ROOMS_PER_PERSON :], session_id], keep=FOREVER, is_promised=True
        )


async def _joined_rooms(context: HttpContext, person_id: str) -> list[str]:
    stored = await context.state.get(_key(person_id))
    return [str(each) for each in stored] if isinstance(stored, list) else []


async def mark_read(context: HttpContext, person_id: str, session_id: str, message_id: str) -> None:
    """Store that a person has read a room up to a message."""
    if found := await context.messages.one(context.room.address(session_id), message_id):
        await _store_read_place(context, person_id, session_id, found.message.sent_at)


async def mark_empty_room_read(context: HttpContext, person_id: str, session_id: str, entered_at: datetime) -> None:
    """Store that a person has entered a room without messages, so that later ones of others will be unread."""
    if session_id not in await _read_places(context, person_id):
        await _store_read_place(context, person_id, session_id, entered_at)


async def _store_read_place(context: HttpContext, person_id: str, session_id: str, at: datetime) -> None:
    async with context.membership_lock:
        places = await _read_places(context, person_id)
        places.pop(session_id, None)
        places[session_id] = at.isoformat()
        latest: Json = {**dict(list(places.items())[-_MAX_ROOMS_PER_PERSON:])}
        await context.state.set(f"http.read:{person_id}", latest, keep=FOREVER)


async def count_unread(
    context: HttpContext, person: Person, chats: Sequence[ChatAddress], words: Sequence[str] = ()
) -> Mapping[str, Unread]:
    """Count the unread messages of a person by chat key; in chats never read, only mentions of the last week.

    A message with one of `words` counts as a mention.
    """
    places = await _read_places(context, person.id)
    earliest = (context.clock.now() - _UNREAD_PERIOD).isoformat()
    since = {chat: datetime.fromisoformat(places.get(chat.chat_id, earliest)) for chat in chats}
    mentions = [f"@{name}" for name in (person.name, *_EVERYONE)]
    unread = await context.messages.unread(since, person, [*mentions, *filter(None, words)])
    read = {chat.key for chat in chats if chat.chat_id in places}
    return {key: each if key in read else replace(each, messages=0) for key, each in unread.items()}


async def _read_places(context: HttpContext, person_id: str) -> dict[str, str]:
    stored = await context.state.get(f"http.read:{person_id}")
    return {room: str(at) for room, at in stored.items()} if isinstance(stored, dict) else {}


def _key(person_id: str) -> str:
    return f"http.rooms:{person_id}"


def _opener_key(session_id: str) -> str:
    return f"http.opener:{session_id}"


async def _in_room(session_id: SESSION, context: Context, viewer: ChatViewer) -> ApiViewer:
    await enter_room(context, viewer, session_id)
    return viewer


async def _for_reminders(context: Context, viewer: ReminderViewer, session_id: IN_ROOM = LOBBY) -> ApiViewer:
    await enter_room(context, viewer, session_id)
    return viewer


async def _for_tools(context: Context, viewer: ToolViewer, session_id: IN_ROOM = LOBBY) -> ApiViewer:
    await enter_room(context, viewer, session_id)
    return viewer


RoomViewer = Annotated[ApiViewer, Depends(_in_room)]
"""The viewer of a request with a room in its path."""

RoomReminderViewer = Annotated[ApiViewer, Depends(_for_reminders)]
"""The viewer of a request for reminders, with a room in its query."""

RoomToolViewer = Annotated[ApiViewer, Depends(_for_tools)]
"""The viewer of a request for tools, with a room in its query."""
