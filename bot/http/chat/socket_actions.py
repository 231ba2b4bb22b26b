"""Handle the frames that a person sends over a socket: messages, edits, reactions, typing."""

from collections.abc import Awaitable, Callable, Mapping

from bot.http.chat.sending import MessageSender, delete_own, edit_own, incoming_post, put_reaction
from bot.http.core.bodies import MAX_MESSAGE_LENGTH, ReactionBody, SendBody
from bot.http.core.context import HttpContext
from bot.http.core.errors import HttpRefused
from bot.http.rooms.memberships import mark_read
from bot.http.security.auth import ApiViewer
from bot.platforms.web.frames import author_shape
from bot.platforms.web.rooms import Listener

Data = Mapping[str, object]
FrameHandler = Callable[[Data], Awaitable[None]]


class FrameHandlers:
    """The handlers of the frames of a person in a room, in `by_kind` by the type of the frame.

    `page` gets the frames for the socket. A handler raises the errors that the socket reports: `HttpRefused`,
    `StorageFull`, and `ValidationError` of Pydantic.
    """

    def __init__(self, context: HttpContext, session_id: str, viewer: ApiViewer, page: Listener) -> None:
        self._context = context
        self._session_id = session_id
        self._viewer = viewer
        self._page = page
        self._room = context.room.room(session_id)
        self.by_kind: Mapping[str, FrameHandler] = {
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
        post = incoming_post(body, self._viewer)
        await MessageSender(self._context, self._session_id, post, body.tool_servers or (), self._page).send()

    async def _edit(self, data: Data) -> None:
        text = _text(data, "text")
        if not text.strip() or len(text) > MAX_MESSAGE_LENGTH:
            raise HttpRefused(422, "message_blank")
        await edit_own(self._context, self._session_id, _text(data, "message_id"), text, self._viewer)

    async def _delete(self, data: Data) -> None:
        await delete_own(self._context, self._session_id, _text(data, "message_id"), self._viewer)

    async def _typing(self, data: Data) -> None:
        who, is_on = author_shape(self._viewer.person), data.get("on") is True
        self._room.send_transient("typing", {"who": who, "on": is_on, "expires_in": 6})

    async def _read(self, data: Data) -> None:
        message_id = _text(data, "message_id")[:200]
        await mark_read(self._context, self._viewer.person.id, self._session_id, message_id)
        self._room.send_transient("read", {"who": author_shape(self._viewer.person), "message_id": message_id})

    async def _react(self, data: Data) -> None:
        body = ReactionBody.model_validate({"emoji": data.get("emoji")})
        await put_reaction(self._context, self._session_id, _text(data, "message_id"), body.emoji, self._viewer)

    async def _stop(self, data: Data) -> None:
        if not await self._context.room.answers.stop(
            self._context.room.address(self._session_id), _text(data, "message_id")
        ):
            raise HttpRefused(404, "nothing_to_stop")

    async def _resolve_client_call(self, data: Data) -> None:
        self._context.room.client_calls.answer(self._viewer.person.id, _text(data, "id"), data)


def _text(data: Data, key: str) -> str:
    value = data.get(key)
    if not isinstance(value, str):
        raise HttpRefused(422, "frame_unknown")
    return value
