"""Carry out the frames that a person sends over a socket: messages, edits, reactions, typing."""

from collections.abc import Awaitable, Callable, Mapping

from bot.http.chat.sending import Sending, edit_own, incoming_post, put_reaction, withdraw_own
from bot.http.core.bodies import LONGEST_MESSAGE, ReactionBody, SendBody
from bot.http.core.context import HttpContext
from bot.http.core.errors import HttpRefused
from bot.http.rooms.memberships import note_read
from bot.http.security.auth import Viewer
from bot.platforms.web.frames import author_shape
from bot.platforms.web.room import Listener

Data = Mapping[str, object]
Act = Callable[[Data], Awaitable[None]]


class SocketActions:
    """Does what the frames of one person in one room say; `by_kind` has what each kind of frame is for.

    `page` is the socket that the frames come over.

    An act raises what the socket reports: `HttpRefused`, `StorageFull`, and `ValidationError` of Pydantic.
    """

    def __init__(self, context: HttpContext, session_id: str, viewer: Viewer, page: Listener) -> None:
        self._context = context
        self._session_id = session_id
        self._viewer = viewer
        self._page = page
        self._room = context.room.room(session_id)
        self.by_kind: Mapping[str, Act] = {
            "send": self._send,
            "edit": self._edit,
            "delete": self._delete,
            "typing": self._typing,
            "read": self._read,
            "react": self._react,
            "stop": self._stop,
            "execute:result": self._resolve_client_call,
        }

    async def _send(self, data: Data) -> None:
        body = SendBody.model_validate(
            {
                "session_id": self._session_id,
                "message": data.get("text"),
                "client_id": data.get("client_id"),
                "reply_to": data.get("reply_to"),
                "attachments": data.get("attachments"),
                "tool_servers": data.get("tool_servers"),
            }
        )
        words = incoming_post(body, self._viewer)
        await Sending(self._context, self._session_id, words, body.tool_servers or (), self._page).begin()

    async def _edit(self, data: Data) -> None:
        text = _text(data, "text")
        if not text.strip() or len(text) > LONGEST_MESSAGE:
            raise HttpRefused(422, "message_blank")
        await edit_own(self._context, self._session_id, _text(data, "message_id"), text, self._viewer)

    async def _delete(self, data: Data) -> None:
        await withdraw_own(self._context, self._session_id, _text(data, "message_id"), self._viewer)

    async def _typing(self, data: Data) -> None:
        told = {"who": author_shape(self._viewer.person), "on": data.get("on") is True, "expires_in": 6}
        self._room.hint("typing", told)

    async def _read(self, data: Data) -> None:
        message_id = _text(data, "message_id")[:200]
        await note_read(self._context, self._viewer.person.id, self._session_id, message_id)
        told = {"who": author_shape(self._viewer.person), "message_id": message_id}
        self._room.hint("read", told)

    async def _react(self, data: Data) -> None:
        body = ReactionBody.model_validate({"emoji": data.get("emoji")})
        await put_reaction(self._context, self._session_id, _text(data, "message_id"), body.emoji, self._viewer)

    async def _stop(self, data: Data) -> None:
        if not await self._context.room.stop(self._session_id, _text(data, "message_id")):
            raise HttpRefused(404, "nothing_to_stop")

    async def _resolve_client_call(self, data: Data) -> None:
        self._context.room.client_calls.answer(self._viewer.person.id, _text(data, "id"), data)


def _text(data: Data, key: str) -> str:
    value = data.get(key)
    if not isinstance(value, str):
        raise HttpRefused(422, "frame_unknown")
    return value
