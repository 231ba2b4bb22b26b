"""Track the answers in progress in all rooms: begin, stream, stop and end them."""

import asyncio
from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from bot.platforms.base import Receive
from bot.platforms.web.answer import Answer
from bot.platforms.web.extras import Extras, ExtrasRepository
from bot.platforms.web.frames import (
    ChoiceShape,
    MessageShape,
    choices_at,
    choices_closed,
    choices_pressed,
    choices_undone,
    written,
)
from bot.platforms.web.rooms import PLATFORM, Rooms
from function_calls.tools.calls import ToolResult
from function_calls.tools.dispatch.events import TOOL_COMPLETE, TOOL_START, Event
from services.history.service import HistoryService
from services.kernel.chat import ChatAddress, ChatMessage
from services.kernel.clock import Clock

Finished = asyncio.Future[MessageShape | None]
Stop = Callable[[ChatAddress, str], Awaitable[bool]]
_Key = tuple[str, str]


class AnswerTracker:
    """Tracks each answer from its question until the bot has handled it."""

    def __init__(self, rooms: Rooms, extras: ExtrasRepository, clock: Clock) -> None:
        self._rooms = rooms
        self._extras = extras
        self._clock = clock
        self._history: HistoryService | None = None
        self._stop: Stop | None = None
        self._answers: dict[_Key, Answer] = {}
        self._finishing: dict[_Key, Finished] = {}

    def attach(self, history: HistoryService, stop: Stop) -> None:
        """Attach the history for stopped answers, and the function that stops the bot."""
        self._history = history
        self._stop = stop

    def begin(self, question: ChatMessage) -> Answer:
        """Expect an answer to `question`."""
        session_id = question.address.chat_id
        answer = self._answers[(session_id, question.id)] = Answer(self._rooms.of(session_id), question)
        return answer

    async def hand_over(self, question: ChatMessage, receive: Receive) -> Finished:
        """Pass a recorded message to the bot; the result ends with the bot's answer."""
        key = (question.address.chat_id, question.id)
        handled = await receive(replace(question, is_recorded=True))
        finished = self._finishing[key] = asyncio.ensure_future(self._watch(key, handled))
        return finished

    def of(self, chat: ChatAddress, question_id: str | None) -> Answer | None:
        """Return the answer to a message, while it is being made."""
        return None if question_id is None else self._answers.get((chat.chat_id, question_id))

    def finishing(self, chat: ChatAddress, question_id: str) -> Finished | None:
        """Return the future of the answer to a message; None if the message is handled."""
        return self._finishing.get((chat.chat_id, question_id))

    async def stop(self, chat: ChatAddress, answer_id: str) -> bool:
        """Stop an answer that is being made; False when there is none of this id."""
        answer = self.of(chat, answer_id.removesuffix(".r"))
        if answer is None or answer.is_sent or self._stop is None:
            return False
        answer.is_stopped = True
        return await self._stop(chat, answer.question.id)

    def show_call(self, event: Event) -> None:
        """Show a tool call while it runs, and how it ended."""
        platform, _, chat_id = event.chat.partition(":")
        answer = self._answers.get((chat_id, event.message_id)) if platform == PLATFORM else None
        if answer is None:
            return
        asked_in = event.data.get("asked_in")
        if isinstance(asked_in, str) and asked_in not in answer.confirmed:
            answer.confirmed.append(asked_in)
        call_id, tool = str(event.data.get("id")), str(event.data.get("tool"))
        if event.name == TOOL_START:
            at = self._clock.now()
            answer.call_started(call_id, tool, event.data.get("args"), written(at), at.timestamp())
        elif event.name == TOOL_COMPLETE:
            result = event.data.get("result")
            if isinstance(result, ToolResult):
                answer.call_ended(call_id, tool, result)

    async def _watch(self, key: _Key, handled: Awaitable[object]) -> MessageShape | None:
        """Wait for the bot, end an answer that was begun and never sent, and return the answer."""
        answer = self._answers.get(key)
        try:
            await handled
            if answer is not None:
                await self._note_press(answer)
        finally:
            self._finishing.pop(key, None)
            self._answers.pop(key, None)
            if answer is not None and not answer.is_sent and (answer.is_begun or answer.is_stopped):
                await self._end(answer)
        return None if answer is None else answer.sent

    async def _note_press(self, answer: Answer) -> None:
        """Mark a button that was pressed with the message which `answer` is for."""
        question = answer.question
        if question.reply_to is None:
            return
        extras = await self._extras.room(question.address).of(question.reply_to)
        is_done = all(call["status"] == "ok" for call in answer.calls.values())
        choices = choices_pressed(extras.choices, question.text.strip(), question.sender.id, is_done=is_done)
        if choices is not None:
            await self._change_choices(question.address, question.reply_to, choices)

    async def mark_closed(self, chat: ChatAddress, asked_in: str) -> None:
        """Mark the buttons of a question that is answered or dropped; it stands in the answer to `asked_in`."""
        message_id = f"{asked_in}.r"
        extras = await self._extras.room(chat).of(message_id)
        choices = choices_closed(extras.choices)
        if choices != extras.choices:
            await self._change_choices(chat, message_id, choices)

    async def mark_undone(self, chat: ChatAddress, change_id: str) -> None:
        """Mark the buttons that undo the change `change_id` as used."""
        for message_id in await self._extras.room(chat).with_change(change_id):
            extras = await self._extras.room(chat).of(message_id)
            await self._change_choices(chat, message_id, choices_undone(extras.choices, change_id))

    async def _change_choices(self, chat: ChatAddress, message_id: str, choices: list[ChoiceShape]) -> None:
        extras = await self._extras.room(chat).of(message_id)
        await self._extras.room(chat).change(message_id, replace(extras, choices=choices))
        room = self._rooms.of(chat.chat_id)
        changed = {"id": message_id, "author": room.bot, "choices": choices_at(choices, self._clock.now())}
        room.emit("message_updated", {"message": changed})

    async def _end(self, answer: Answer) -> None:
        """End an answer that was not sent; the streamed part of a stopped one is kept."""
        if answer.is_stopped and answer.text and self._history is not None:
            chat, now = answer.question.address, self._clock.now()
            await self._history.record_own(
                chat, answer.text, message_id=answer.id, sent_at=now, reply_to=answer.question.id
            )
            await self._extras.room(chat).change(answer.id, Extras(stopped=True))
        answer.done(answer.text, "stopped" if answer.is_stopped else "silent")
