"""Publish the answers in progress to their rooms, as streams of events."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from msgspec.structs import replace

from bot.config.platform_catalog import PAGE
from bot.platforms.base import Receive
from bot.platforms.web.extras import Extras, ExtrasRepository
from bot.platforms.web.frames import (
    MAX_RESULT_LENGTH,
    CallChange,
    CallShape,
    ChoiceShape,
    MessageShape,
    add_rule_words,
    format_instant,
    mark_expired,
    mark_pressed,
    mark_used,
)
from bot.platforms.web.rooms import Room, Rooms
from function_calls.tools.calls import ToolResult
from function_calls.tools.dispatch.events import TOOL_COMPLETE, TOOL_START, Event
from services.history.service import HistoryService
from services.kernel.chat import ChatAddress, ChatMessage
from services.kernel.clock import Clock
from services.kernel.text import shorten

FLUSH_SECONDS: Final = 0.05
"""Interval in which pieces of text are collected before they are sent."""

Finished = asyncio.Future[MessageShape | None]
Stop = Callable[[ChatAddress, str], Awaitable[bool]]
_Key = tuple[str, str]


class Answer:
    """The answer to one message and its tool calls, published while they are made.

    `id` is the id of the message that will have the answer; it is the same if the question is handled again. `text` is
    the text that a model has written so far, `sent` the sent message. `confirmed` are the earlier messages whose calls
    the question confirms.
    """

    def __init__(self, room: Room, question: ChatMessage) -> None:
        self.id = f"{question.id}.r"
        self.question = question
        self.calls: dict[str, CallShape] = {}
        self.confirmed: list[str] = []
        self.sent: MessageShape | None = None
        self.is_begun = False
        self.is_stopped = False
        self.text = ""
        self._room = room
        self._published = 0
        self._index = 0
        self._flushed_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Publish the start of the answer, once."""
        if not self.is_begun:
            self.is_begun = True
            self._room.emit("start", {"message_id": self.id, "reply_to": self.question.id})

    async def add_text(self, text: str) -> None:
        """Append text that a model streams."""
        if self.sent is not None or self.is_stopped:
            return
        self.begin()
        self.text += text
        loop = asyncio.get_running_loop()
        wait = self._flushed_at + FLUSH_SECONDS - loop.time()
        if wait <= 0:
            self.flush()
        elif self._timer is None:
            self._timer = loop.call_later(wait, self.flush)

    def flush(self) -> None:
        """Publish the text that was not published yet."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        delta = self.text[self._published :]
        if not delta:
            return
        self._published = len(self.text)
        self._flushed_at = asyncio.get_running_loop().time()
        self._room.emit("message", {"message_id": self.id, "index": self._index, "delta": delta, "content": delta})
        self._index += 1

    def finish(self, text: str, finish_reason: str, usage: Mapping[str, int] | None = None) -> None:
        """Publish the complete answer; `text` replaces the streamed pieces, `usage` counts tokens."""
        self._published = len(self.text)
        self.flush()
        self._room.emit(
            "done",
            {
                "message_id": self.id,
                "reply_to": self.question.id,
                "text": text,
                "usage": usage,
                "finish_reason": finish_reason,
            },
        )

    def start_call(self, call_id: str, tool: str, arguments: object, at: str, timestamp: float) -> None:
        """Publish the start of a tool call."""
        self.begin()
        call = CallShape(id=call_id, name=tool, arguments=arguments, started_at=at, status="running")
        add_rule_words(call)
        self.calls[call_id] = call
        self._room.emit(
            "tool_start",
            {"message_id": self.id, "call": call.copy()},
            top={"tool": tool, "arguments": arguments, "timestamp": timestamp},
        )

    def end_call(self, call_id: str, tool: str, result: ToolResult) -> None:
        """Publish the result or the failure of a tool call."""
        call = self.calls.setdefault(call_id, CallShape(id=call_id, name=tool, status="running"))
        call["status"] = "ok" if result.ok else result.failure
        call["duration_ms"] = round(result.duration_ms, 1)
        if result.ok:
            call["result"], call["truncated"] = shorten_result(result)
            call["text"] = result.text
            call["changes"] = [CallChange(action=each.action, subject=each.subject) for each in result.receipts]
        else:
            call["error"] = result.text or result.error
        add_rule_words(call)
        shown = call.get("result", call.get("error"))
        self._room.emit(
            "tool_complete",
            {"message_id": self.id, "call": call.copy()},
            top={"tool": tool, "result": shown, "duration_ms": round(result.duration_ms)},
        )


def shorten_result(result: ToolResult) -> tuple[object, bool]:
    """Return the result of a tool, cut if it is very long, and whether it was cut."""
    value = result.for_model()
    text = value if isinstance(value, str) else str(value)
    if len(text) <= MAX_RESULT_LENGTH:
        return value, False
    return shorten(text, MAX_RESULT_LENGTH), True


class AnswerTracker:
    """Tracks the answer to each message until the message is handled."""

    def __init__(self, rooms: Rooms, extras: ExtrasRepository, clock: Clock) -> None:
        self._rooms = rooms
        self._extras = extras
        self._clock = clock
        self._history: HistoryService | None = None
        self._stop: Stop | None = None
        self._answers: dict[_Key, Answer] = {}
        self._results: dict[_Key, Finished] = {}

    def attach(self, history: HistoryService, stop: Stop) -> None:
        """Attach the history for stopped answers, and the function that stops the bot."""
        self._history = history
        self._stop = stop

    def begin(self, question: ChatMessage) -> Answer:
        """Expect an answer to `question`."""
        session_id = question.address.chat_id
        answer = self._answers[(session_id, question.id)] = Answer(self._rooms.open(session_id), question)
        return answer

    async def hand_over(self, question: ChatMessage, receive: Receive) -> Finished:
        """Pass a recorded message to the bot, and return its result: the bot's answer."""
        key = (question.address.chat_id, question.id)
        handled = await receive(replace(question, is_recorded=True))
        finished = self._results[key] = asyncio.ensure_future(self._watch(key, handled))
        return finished

    def find(self, chat: ChatAddress, question_id: str | None) -> Answer | None:
        """Return the answer in progress to a message."""
        return None if question_id is None else self._answers.get((chat.chat_id, question_id))

    def find_result(self, chat: ChatAddress, question_id: str) -> Finished | None:
        """Return the result of a message that is being handled, else None."""
        return self._results.get((chat.chat_id, question_id))

    async def stop(self, chat: ChatAddress, answer_id: str) -> bool:
        """Stop an answer in progress; return False if none has this id."""
        answer = self.find(chat, answer_id.removesuffix(".r"))
        if answer is None or answer.sent is not None or self._stop is None:
            return False
        answer.is_stopped = True
        return await self._stop(chat, answer.question.id)

    def show_call(self, event: Event) -> None:
        """Show a tool call while it runs, and its result."""
        platform, _, chat_id = event.chat.partition(":")
        answer = self._answers.get((chat_id, event.message_id)) if platform == PAGE else None
        if answer is None:
            return
        asked_in = event.data.get("asked_in")
        if isinstance(asked_in, str) and asked_in not in answer.confirmed:
            answer.confirmed.append(asked_in)
        call_id, tool = str(event.data.get("id")), str(event.data.get("tool"))
        if event.name == TOOL_START:
            at = self._clock.now()
            answer.start_call(call_id, tool, event.data.get("args"), format_instant(at), at.timestamp())
        elif event.name == TOOL_COMPLETE:
            result = event.data.get("result")
            if isinstance(result, ToolResult):
                answer.end_call(call_id, tool, result)

    async def _watch(self, key: _Key, handled: Awaitable[object]) -> MessageShape | None:
        """Wait until the message is handled, end an answer that was begun and not sent, and return the answer."""
        answer = self._answers.get(key)
        try:
            await handled
            if answer is not None:
                await self._mark_pressed_button(answer)
        finally:
            self._results.pop(key, None)
            self._answers.pop(key, None)
            if answer is not None and answer.sent is None and (answer.is_begun or answer.is_stopped):
                await self._end(answer)
        return None if answer is None else answer.sent

    async def _mark_pressed_button(self, answer: Answer) -> None:
        """Mark the button whose press was the message that is answered."""
        question = answer.question
        if question.reply_to is None:
            return
        extras = await self._extras.room(question.address).get(question.reply_to)
        is_done = all(call["status"] == "ok" for call in answer.calls.values())
        choices = mark_pressed(extras.choices, question.text.strip(), question.sender.id, is_done=is_done)
        if choices is not None:
            await self._change_choices(question.address, question.reply_to, choices)

    async def mark_closed(self, chat: ChatAddress, asked_in: str) -> None:
        """Mark the buttons of a closed question, which is in the answer to `asked_in`."""
        message_id = f"{asked_in}.r"
        extras = await self._extras.room(chat).get(message_id)
        choices = mark_used(extras.choices, lambda each: each["expires_at"] is not None)
        if choices != extras.choices:
            await self._change_choices(chat, message_id, choices)

    async def mark_undone(self, chat: ChatAddress, change_id: str) -> None:
        """Mark the buttons that undo the change `change_id` as used."""
        for message_id in await self._extras.room(chat).with_change(change_id):
            extras = await self._extras.room(chat).get(message_id)
            choices = mark_used(extras.choices, lambda each: each["change_id"] == change_id)
            await self._change_choices(chat, message_id, choices)

    async def _change_choices(self, chat: ChatAddress, message_id: str, choices: list[ChoiceShape]) -> None:
        extras = await self._extras.room(chat).get(message_id)
        await self._extras.room(chat).set(message_id, replace(extras, choices=choices))
        room = self._rooms.open(chat.chat_id)
        changed = {"id": message_id, "author": room.bot, "choices": mark_expired(choices, self._clock.now())}
        room.emit("message_updated", {"message": changed})

    async def _end(self, answer: Answer) -> None:
        """End an answer that was not sent; the streamed part of a stopped one is kept."""
        if answer.is_stopped and answer.text and self._history is not None:
            chat, now = answer.question.address, self._clock.now()
            await self._history.record_own(
                chat, answer.text, message_id=answer.id, sent_at=now, reply_to=answer.question.id
            )
            await self._extras.room(chat).set(answer.id, Extras(stopped=True))
        answer.finish(answer.text, "stopped" if answer.is_stopped else "silent")
