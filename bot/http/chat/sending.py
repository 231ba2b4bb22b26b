"""Send, change and delete messages of a room, and return the bot's answer as events or as one body."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from typing import Final

from bot.http.core.bodies import SendAnswer, SendBody
from bot.http.core.context import HttpContext
from bot.http.core.errors import HttpRefused
from bot.http.rooms.calls import offer_direct_tools
from bot.http.rooms.history import RoomHistory
from bot.http.security.auth import ApiViewer
from bot.platforms.web.adapter import IncomingPost, PostResult
from bot.platforms.web.frames import Frame, MessageShape, json_text
from bot.platforms.web.rooms import Listener
from function_calls.language.messages import say
from services.kernel.chat import Attachment
from services.kernel.languages import language_of
from services.storage.messages.pages import UnansweredMessages

_BEAT_SECONDS: Final = 15.0
_RETRY_SECONDS: Final = 5.0
_STREAMED_FRAMES: Final = frozenset({"message", "tool_start", "tool_complete"})


async def edit_own(context: HttpContext, session_id: str, message_id: str, text: str, viewer: ApiViewer) -> None:
    """Change the text of a message of `viewer`, in the history and in the room.

    Raises:
        HttpRefused: the message does not exist (404), or another person wrote it (403).
    """
    await _check_author(context, session_id, message_id, viewer)
    await context.room.edit_own(session_id, message_id, text)
    changed = await RoomHistory(context).one(context.room.address(session_id), message_id)
    if changed is not None:
        context.room.room(session_id).emit("message_updated", {"message": changed})


async def delete_own(context: HttpContext, session_id: str, message_id: str, viewer: ApiViewer) -> None:
    """Delete a message of `viewer`.

    Raises:
        HttpRefused: the message does not exist (404), or another person wrote it (403).
    """
    await _check_author(context, session_id, message_id, viewer)
    await context.room.withdraw(session_id, message_id)


async def put_reaction(context: HttpContext, session_id: str, message_id: str, emoji: str, viewer: ApiViewer) -> None:
    """Add a reaction of `viewer` to a message, or remove it again.

    Raises:
        HttpRefused: the message does not exist (404).
    """
    if await context.messages.one(context.room.address(session_id), message_id) is None:
        raise HttpRefused(404, "message_unknown")
    await context.room.put_reaction(session_id, message_id, viewer.person, emoji)


async def _check_author(context: HttpContext, session_id: str, message_id: str, viewer: ApiViewer) -> None:
    found = await context.messages.one(context.room.address(session_id), message_id)
    if found is None:
        raise HttpRefused(404, "message_unknown")
    if found.message.sender.is_bot or found.message.sender.id != viewer.person.id:
        raise HttpRefused(403, "not_your_message")


def incoming_post(body: SendBody, viewer: ApiViewer) -> IncomingPost:
    """Return the post of `viewer` with `body`.

    Raises:
        HttpRefused: the message is blank (422).
    """
    if not body.message.strip() and not body.attachments:
        raise HttpRefused(422, "message_blank", problems={"message": "blank"})
    return IncomingPost(
        person=viewer.with_name(body.name).person,
        text=body.message,
        client_id=body.client_id or uuid.uuid4().hex,
        reply_to=body.reply_to,
        attachments=tuple(
            Attachment(kind=each.kind, description=each.description, url=each.url) for each in body.attachments or ()
        ),
    )


class MessageSender:
    """Sends a message to a room and follows the answer; the bot answers even if nobody follows it."""

    def __init__(
        self,
        context: HttpContext,
        session_id: str,
        post: IncomingPost,
        tool_servers: Sequence[object] = (),
        page: Listener | None = None,
    ) -> None:
        self._room = context.room
        self._offer_tools = partial(offer_direct_tools, context, session_id, post.person, tool_servers, page)
        self._history = RoomHistory(context)
        self._unanswered = UnansweredMessages(context.database)
        self._started_at = context.started_at
        self._session_id = session_id
        self._incoming = post

    async def send(self) -> PostResult:
        """Send the message; its tools are offered until the bot has answered it."""
        with ExitStack() as offered:
            offered.enter_context(self._offer_tools())
            post = await self._room.say(self._session_id, self._incoming)
            if post.finished is not None:
                withdraw = offered.pop_all().close
                post.finished.add_done_callback(lambda _: withdraw())
        return post

    async def send_and_wait(self) -> SendAnswer:
        """Send the message and wait for the answer.

        Raises:
            HttpRefused: the message was sent before, and the bot stopped before it answered (503).
        """
        post = await self.send()
        return SendAnswer(message_id=post.message.id, is_new=post.is_new, reply=await self._reply(post))

    async def stream_events(self) -> AsyncIterator[str]:
        """Send the message and yield server-sent events: start, tool_start, tool_complete, message, done."""
        frames: asyncio.Queue[Frame | None] = asyncio.Queue()
        unlisten = self._room.room(self._session_id).listen(frames.put_nowait)
        try:
            post = await self.send()
            if post.finished is not None:  # a client that does not read would collect the frames of the room for ever
                post.finished.add_done_callback(lambda _: unlisten())
            yield _event("start", {"message_id": post.message.id})
            has_text = False
            async for frame in _frames_until_finished(frames, post):
                if frame is None:
                    yield ": still here\n\n"
                else:
                    has_text = has_text or frame.type == "message"
                    yield _event(frame.type, frame.data)
            yield await self._final_events(post, has_text=has_text)
        except HttpRefused as error:
            detail = say(language_of(self._incoming.text, "en"), f"http.{error.code}", **error.fields)
            yield _event("error", {"code": error.code, "detail": detail, "hint": ""})
        except Exception:
            yield _event("error", {"code": "internal", "detail": "the answer could not be followed", "hint": ""})
            raise
        finally:
            unlisten()

    async def _final_events(self, post: PostResult, *, has_text: bool) -> str:
        reply = await self._reply(post)
        done = _event("done", {"message_id": None if reply is None else reply["id"], "message": reply})
        if reply is None or has_text:
            return done
        return _event("message", {"message_id": reply["id"], "content": reply["text"]}) + done

    async def _reply(self, post: PostResult) -> MessageShape | None:
        """Wait for the answer; return it from the history, or as sent if the history cannot be written."""
        sent = await _wait_finished(post)
        chat, message_id = post.message.address, post.message.id
        reply = await self._history.one(chat, post.answer_id) or sent
        if reply is not None or post.is_new:
            return reply
        reply = await self._history.reply_to(chat, message_id)
        if reply is None and await self._unanswered.has(chat, message_id, before=self._started_at):
            raise HttpRefused(503, "not_answered", retry_after=_RETRY_SECONDS)
        return reply


async def _frames_until_finished(
    frames: "asyncio.Queue[Frame | None]", post: PostResult
) -> AsyncIterator[Frame | None]:
    """Yield the frames of the answer until the bot is done with the message.

    Yield None after `_BEAT_SECONDS` without a frame of the answer, to keep the connection alive.
    """
    if post.finished is None:
        return
    post.finished.add_done_callback(lambda _: frames.put_nowait(None))
    loop = asyncio.get_running_loop()
    beat = loop.time() + _BEAT_SECONDS
    while True:
        frame: Frame | None = None
        try:
            async with asyncio.timeout_at(beat):
                frame = await frames.get()
        except TimeoutError:
            is_streamed = True
        else:
            if frame is None:
                return
            is_streamed = frame.data.get("message_id") == post.answer_id and frame.type in _STREAMED_FRAMES
        if is_streamed:
            yield frame
            beat = loop.time() + _BEAT_SECONDS


async def _wait_finished(post: PostResult) -> MessageShape | None:
    if post.finished is not None:
        with suppress(Exception):  # it is reported in the room and logged
            return await asyncio.shield(post.finished)
    return None


def _event(kind: str, data: object) -> str:
    return f"event: {kind}\ndata: {json_text(data)}\n\n"
