"""Edit and delete own messages, and react to any message."""

from bot.http.core.context import HttpContext
from bot.http.core.errors import HttpRefused
from bot.http.rooms.history import RoomHistory
from bot.http.security.auth import Viewer


async def edit_own(context: HttpContext, session_id: str, message_id: str, text: str, viewer: Viewer) -> None:
    """Let a message of `viewer` say `text`, in the history and in the room.

    Raises:
        HttpRefused: there is none, or it is somebody else's.
    """
    await _own(context, session_id, message_id, viewer)
    await context.room.edit_own(session_id, message_id, text)
    changed = await RoomHistory(context).one(context.room.address(session_id), message_id)
    if changed is not None:
        context.room.room(session_id).emit("message_updated", {"message": changed})


async def withdraw_own(context: HttpContext, session_id: str, message_id: str, viewer: Viewer) -> None:
    """Take a message of `viewer` back.

    Raises:
        HttpRefused: there is none, or it is somebody else's.
    """
    await _own(context, session_id, message_id, viewer)
    await context.room.withdraw(session_id, message_id)


async def put_reaction(context: HttpContext, session_id: str, message_id: str, emoji: str, viewer: Viewer) -> None:
    """Put the emoji of `viewer` on a message, or take it off again.

    Raises:
        HttpRefused: there is no such message.
    """
    if await context.messages.one(context.room.address(session_id), message_id) is None:
        raise HttpRefused(404, "message_unknown")
    await context.room.put_reaction(session_id, message_id, viewer.person, emoji)


async def _own(context: HttpContext, session_id: str, message_id: str, viewer: Viewer) -> None:
    found = await context.messages.one(context.room.address(session_id), message_id)
    if found is None:
        raise HttpRefused(404, "message_unknown")
    if found.message.sender.is_bot or found.message.sender.id != viewer.person.id:
        raise HttpRefused(403, "not_your_message")
