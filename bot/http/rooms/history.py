"""Read the messages of a room with their calls and extras, in the forms of the page and the API."""

from collections.abc import Sequence

from msgspec.structs import replace

from bot.http.core.bodies import SessionMessage, SpecCall
from bot.http.core.context import HttpContext
from bot.platforms.web.extras import Extras
from bot.platforms.web.frames import (
    MAX_RESULT_LENGTH,
    CallChange,
    CallShape,
    MessageShape,
    add_rule_words,
    attachment_shape,
    author_shape,
    format_instant,
    mark_expired,
)
from bot.platforms.web.shapes import message_shape
from services.call_log.model import CallRecord
from services.call_log.service import CallLog
from services.kernel.chat import ChatAddress, ChatMessage
from services.kernel.text import shorten
from services.storage.messages.pages import PagedMessage


class RoomHistory:
    """Reads the rooms' history."""

    def __init__(self, context: HttpContext) -> None:
        self._pages = context.messages
        self._room = context.room
        self._clock = context.clock
        self._log = context.app.services.get(CallLog)

    async def list_messages(self, chat: ChatAddress, *, before: str | None = None, limit: int) -> list[MessageShape]:
        """Return the last messages of a chat, before the message `before`, oldest first, in the form of the page."""
        return await self._shapes(chat, await self._pages.of_chat(chat, before=before, limit=limit))

    async def one(self, chat: ChatAddress, message_id: str) -> MessageShape | None:
        """Return a message in the form of the page; None if it does not exist."""
        found = await self._pages.one(chat, message_id)
        return None if found is None else (await self._shapes(chat, [found]))[0]

    async def reply_to(self, chat: ChatAddress, message_id: str) -> MessageShape | None:
        """Return the last reply of the bot to a message, or None."""
        found = await self._pages.replies(chat, [message_id])
        return (await self._shapes(chat, found[-1:]))[0] if found else None

    async def to_session_messages(self, chat: ChatAddress, paged: Sequence[PagedMessage]) -> list[SessionMessage]:
        """Return messages in the form of the specification."""
        calls = await self._calls(chat, paged)
        return [
            SessionMessage(
                id=each.message.id,
                session_id=chat.chat_id,
                role="assistant" if each.message.sender.is_bot else "user",
                content=each.message.text,
                created_at=format_instant(each.message.sent_at),
                author=author_shape(each.message.sender),
                reply_to=each.message.reply_to,
                tool_calls=[SpecCall(**call.as_tool_call()) for call in calls.get(each.message.id, ())],
            )
            for each in paged
        ]

    async def _shapes(self, chat: ChatAddress, paged: Sequence[PagedMessage]) -> list[MessageShape]:
        calls = await self._calls(chat, paged)
        return [
            message_shape(
                each.message.id,
                author_shape(each.message.sender),
                each.message.text,
                each.message.sent_at,
                reply_to=each.message.reply_to,
                extras=await self._extras(each.message),
                calls=[_call_shape(call) for call in calls.get(each.message.id, ())],
                edited=each.is_edited,
            )
            for each in paged
        ]

    async def _extras(self, message: ChatMessage) -> Extras:
        """Return the extras of a message; its attachments come from the message if the extras have expired."""
        extras = await self._room.extras(message.address.chat_id, message.id)
        if extras.choices:
            extras = replace(extras, choices=mark_expired(extras.choices, self._clock.now()))
        if extras.attachments or not message.attachments:
            return extras
        return replace(extras, attachments=[attachment_shape(each) for each in message.attachments])

    async def _calls(self, chat: ChatAddress, paged: Sequence[PagedMessage]) -> dict[str, tuple[CallRecord, ...]]:
        """Group calls by the message that shows them: the bot's first answer, or the question if there is none."""
        found = await self._confirmed_calls(chat, paged)
        message_ids = {each.message.reply_to for each in paged if each.message.sender.is_bot and each.message.reply_to}
        message_ids |= {each.message.id for each in paged if not each.message.sender.is_bot}
        if not message_ids:
            return found
        of_questions = await self._log.records_of_messages(chat, sorted(message_ids))
        called = [question for question, calls in of_questions.items() if calls]
        hosts: dict[str, str] = {}
        for reply in await self._pages.replies(chat, called) if called else ():
            hosts.setdefault(reply.message.reply_to or "", reply.message.id)
        for question in called:
            host = hosts.get(question, question)
            found[host] = (*found.get(host, ()), *of_questions[question])
        return found

    async def _confirmed_calls(
        self, chat: ChatAddress, paged: Sequence[PagedMessage]
    ) -> dict[str, tuple[CallRecord, ...]]:
        """Group confirmed calls by the answer to the confirmation; they are recorded under the message before it."""
        found: dict[str, tuple[CallRecord, ...]] = {}
        for each in paged:
            extras = await self._room.extras(chat.chat_id, each.message.id)
            if extras.confirmed:
                found[each.message.id] = await self._log.confirmed_calls(chat, extras.confirmed)
        return found


def _call_shape(record: CallRecord) -> CallShape:
    """Return a call in the form of the page; a failure has the text that the person got."""
    call = record.as_tool_call()
    shape = CallShape(
        id=call["id"],
        name=call["name"],
        arguments=call["arguments"],
        status="ok" if call["status"] == "success" else call["status"],
        duration_ms=float(call["duration"]),
    )
    if call["error"] is not None:
        shape["error"] = record.said or call["error"]
    result = call["result"]
    if result is not None:
        shape["result"] = shorten(result, MAX_RESULT_LENGTH)
        shape["truncated"] = len(result) > MAX_RESULT_LENGTH
        shape["text"] = record.said
        shape["changes"] = [CallChange(action=action, subject=subject) for action, subject in record.receipts]
    add_rule_words(shape)
    return shape
