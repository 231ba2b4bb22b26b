"""Store calls until the person confirms or declines them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

from loguru import logger
from msgspec import Struct, convert, field, to_builtins
from msgspec.structs import replace

from function_calls.tools.calls import Conversation, Form, ReplyScope, ToolCall
from function_calls.tools.confirmation.yes_no import Answer
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.kernel.state import StateStore

if TYPE_CHECKING:
    from function_calls.tools.context import CallContext

ANSWER_TIME: Final = timedelta(minutes=10)
_STORED_FOR: Final = timedelta(days=1)  # so that a late press of a button is answered with the reason
_MAX_CLOSED_QUESTIONS: Final = 10
ClosedQuestion = Literal["", "closed", "answered"]
CloseListener = Callable[[ChatAddress, str], Awaitable[None]]
"""Receives the chat, and the id of the message whose answer has the closed question."""


class PendingCall(Struct, frozen=True, kw_only=True):
    """A call that waits for a confirmation, with the message that requested it.

    Attributes:
        call_id: that of its context, so that a confirmed call has the same request key.
        agent_name: the calling agent; empty outside of agents.
        answers: the picks that choose this call among several (see `yes_no.parse_pick`); without them it needs a yes.
        needs: the action that the confirmation must name, a key of `Phrases.confirms`; may be empty.
        form: the questions to answer before the call.
        asked_in: the ids of the messages whose answers have the question.
        asked_at: the time of the question, timezone-aware.
    """

    call: ToolCall
    call_id: str
    message: ChatMessage
    agent_name: str = ""
    answers: tuple[str, ...] = ()
    needs: str = ""
    form: Form | None = None
    asked_in: tuple[str, ...] = ()
    asked_at: datetime | None = None

    @classmethod
    def of(
        cls,
        call: ToolCall,
        context: "CallContext",
        *,
        answers: tuple[str, ...] = (),
        needs: str = "",
        form: Form | None = None,
    ) -> "PendingCall":
        """Create the pending call for `call` in `context`."""
        turn_id = context.invocation_id.removeprefix(f"{context.chat.key}/")
        return cls(
            call=call,
            call_id=context.call_id,
            message=context.message,
            agent_name=context.agent_name,
            answers=answers,
            needs=needs,
            form=form,
            asked_in=tuple(dict.fromkeys(message_id for message_id in (context.message.id, turn_id) if message_id)),
            asked_at=context.clock.now(),
        )


class _Question(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A stored question with its pending call; a closed question has no data of the call.

    `has_no_call`: the interpreter that asked reads the answer. `is_answered`: it has read one.
    """

    message: str
    text: str = ""
    sent_at: datetime | None = None
    mentions: tuple[Person, ...] = ()
    call_id: str = ""
    agent: str = ""
    answers: tuple[str, ...] = ()
    needs: str = ""
    asked_in: tuple[str, ...] = ()
    asked_at: datetime | None = None
    name: str = ""
    arguments: dict[str, object] = field(default_factory=dict)
    is_closed: bool = False
    has_no_call: bool = False
    is_answered: bool = False
    form: Form | None = None

    @classmethod
    def of(cls, pending: PendingCall) -> "_Question":
        """Return the question about `pending`."""
        message = pending.message
        return cls(
            message=message.id,
            text=message.text,
            sent_at=message.sent_at,
            mentions=tuple(Person(id=person.id, name=person.name) for person in message.mentions),
            call_id=pending.call_id,
            agent=pending.agent_name,
            answers=pending.answers,
            needs=pending.needs,
            asked_in=pending.asked_in,
            asked_at=pending.asked_at,
            name=pending.call.name,
            arguments=dict(pending.call.arguments),
            form=pending.form,
        )

    def to_pending(self, answer: ChatMessage) -> PendingCall:
        """Return the pending call with the message that requested it; `answer` is the answering message."""
        request = replace(
            answer, id=self.message, text=self.text, sent_at=self.sent_at or answer.sent_at, mentions=self.mentions
        )
        return PendingCall(
            call=ToolCall(id=f"confirmed-{self.call_id}", name=self.name, arguments=self.arguments),
            call_id=self.call_id,
            message=request,
            agent_name=self.agent,
            answers=self.answers,
            needs=self.needs,
            form=self.form,
            asked_in=self.places,
        )

    @property
    def places(self) -> tuple[str, ...]:
        """The ids of the messages whose answers have the question."""
        return self.asked_in or (self.message,)

    def waits(self, message: ChatMessage, scope: ReplyScope) -> bool:
        """Return whether the question is open and `message` with `scope` can answer it."""
        is_late = self.asked_at is not None and message.sent_at - self.asked_at > ANSWER_TIME
        return not self.is_closed and not is_late and scope.covers(*self.places)

    def is_replied_to(self, scope: ReplyScope) -> bool:
        """Return whether a message with `scope` is a reply to the question."""
        return not scope.message_ids.isdisjoint(self.places)

    def is_answered_by(self, answer: Answer) -> bool:
        """Return whether `answer` confirms or declines the call: a no, or the required pick, words or yes."""
        if self.has_no_call or self.form is not None:
            return False
        if answer.is_yes is False:
            return True
        if self.answers:
            return answer.pick in self.answers
        return self.needs in answer.confirms if self.needs else answer.is_yes is True

    def is_vague(self, answer: Answer) -> bool:
        """Return whether `answer` is a bare yes although the action must be named."""
        return answer.is_yes is True and bool(self.needs)

    def close(self, *, is_answered: bool = False) -> "_Question":
        """Return the closed question, without the data of the call."""
        if self.is_closed:
            return self
        return _Question(
            message=self.message,
            asked_in=self.places,
            is_closed=True,
            has_no_call=self.has_no_call,
            is_answered=is_answered,
        )


class Confirmations:
    """The last question to each person in each chat, stored for ten minutes.

    The calls of one message are confirmed together, or one of them is picked; calls of a later message replace them. In
    a group an answer counts only within the scope of its message. Closed and expired questions are recognised for a
    day, and so are numbered questions without a call, whose answer the asking interpreter reads.
    """

    def __init__(self, state: StateStore) -> None:
        self._state = state
        self._lock = asyncio.Lock()
        self._listeners: list[CloseListener] = []

    def subscribe(self, listener: CloseListener) -> Callable[[], None]:
        """Call `listener` for each closed question; return a function that unsubscribes it."""
        self._listeners.append(listener)
        return partial(self._listeners.remove, listener)

    async def ask(self, pending: PendingCall) -> None:
        """Store a pending call; a call with the next question of a form closes the previous question."""
        async with self._edit(pending.message) as questions:
            for place, question in enumerate(questions):
                is_answered = question.form is not None and question.call_id == pending.call_id
                if is_answered or question.message != pending.message.id:
                    questions[place] = question.close(is_answered=is_answered)
            questions.append(_Question.of(pending))

    async def note_question(self, message: ChatMessage, asked_at: datetime) -> None:
        """Store that the answer to `message` has a numbered question without a call."""
        async with self._edit(message) as questions:
            if not any(not question.is_closed and message.id in question.places for question in questions):
                questions.append(_Question(message=message.id, asked_at=asked_at, has_no_call=True))

    async def waits_for(self, message: ChatMessage, answer: Answer, scope: ReplyScope) -> bool:
        """Return whether `answer` is for an open question to the sender, including a yes that is not sufficient."""
        return any(
            question.waits(message, scope) and (question.is_answered_by(answer) or question.is_vague(answer))
            for question in await self._questions(message)
        )

    async def take(self, message: ChatMessage, answer: Answer, scope: ReplyScope) -> tuple[PendingCall, ...]:
        """Return the pending calls that `answer` confirms or declines; a no declines all.

        All questions are closed, unless the answer is for none of them.
        """
        async with self._edit(message) as questions:
            waiting = [question for question in questions if question.waits(message, scope)]
            taken = [question for question in waiting if question.is_answered_by(answer)]
            if taken:
                questions[:] = [question.close() for question in questions]
        return tuple(question.to_pending(message) for question in taken)

    async def open_form(self, message: ChatMessage, scope: ReplyScope) -> PendingCall | None:
        """Return the call whose form `message` can answer; a reply answers only the question it replies to."""
        is_reply = message.reply_to is not None and bool(scope.message_ids)
        waiting = [
            question
            for question in await self._questions(message)
            if question.form is not None
            and question.waits(message, scope)
            and (question.is_replied_to(scope) or not is_reply)
        ]
        return waiting[-1].to_pending(message) if waiting else None

    async def close(self, message: ChatMessage, call_id: str) -> None:
        """Close the question about this call to the sender of `message` as answered."""
        async with self._edit(message) as questions:
            for place, question in enumerate(questions):
                if question.call_id == call_id:
                    questions[place] = question.close(is_answered=True)

    async def ask_for_words(self, message: ChatMessage, answer: Answer, scope: ReplyScope) -> str:
        """Return the action that a bare yes must name, and store that the answer to `message` asks for it.

        Empty for other answers.
        """
        needs = ""
        async with self._edit(message) as questions:
            for place, question in enumerate(questions):
                if question.waits(message, scope) and question.is_vague(answer):
                    needs = needs or question.needs
                    questions[place] = replace(question, asked_in=(*question.asked_in, message.id))
        return needs

    async def closed_question(self, message: ChatMessage, answer: Answer, scope: ReplyScope) -> ClosedQuestion:
        """Return the state of the closed question that `message` replies to; empty without one.

        "answered": the asking interpreter read an answer. "closed": a call was confirmed or declined, the question
        expired, or another one followed.
        """
        if message.reply_to is None:
            return ""
        questions = [
            question
            for question in await self._questions(message)
            if question.is_replied_to(scope) and (answer.pick or not question.has_no_call)
        ]
        if not questions or any(question.waits(message, scope) for question in questions):
            return ""
        return "answered" if all(question.is_answered for question in questions) else "closed"

    async def drop_question(self, message: ChatMessage, scope: ReplyScope) -> bool:
        """Close the open question without a call that `message` replies to; return False without one."""
        if message.reply_to is None:
            return False
        is_dropped = False
        async with self._edit(message) as questions:
            for place, question in enumerate(questions):
                if not question.is_closed and question.has_no_call and question.is_replied_to(scope):
                    is_dropped, questions[place] = True, question.close()
        return is_dropped

    async def is_asked_of(self, person: Person, message: ChatMessage, asked_in: str) -> bool:
        """Return whether the answer to the message `asked_in` of `person` in the same chat had a question."""
        return any(asked_in in question.places for question in await self._questions(message, person))

    async def forget_before(self, message: ChatMessage, *, is_answer: bool = False) -> None:
        """Close the questions before `message`.

        With `is_answer` the message answered a question without a call.
        """
        async with self._edit(message) as questions:
            for place, question in enumerate(questions):
                if message.id not in question.places:
                    questions[place] = question.close(is_answered=is_answer and question.has_no_call)

    @asynccontextmanager
    async def _edit(self, message: ChatMessage) -> AsyncIterator[list[_Question]]:
        """Yield the questions to the sender of `message`, to be changed in their places or added to.

        At the end they are stored, and the listeners are notified of those that were closed.
        """
        async with self._lock:
            before = await self._questions(message)
            questions = list(before)
            yield questions
            if questions != before:
                await self._store(message, questions)
        pairs = zip(before, questions, strict=False)
        closed = [old for old, new in pairs if new.is_closed and not old.is_closed]
        for asked_in in dict.fromkeys(place for question in closed for place in question.places):
            await self._notify_closed(message, asked_in)

    async def _notify_closed(self, message: ChatMessage, asked_in: str) -> None:
        for listener in self._listeners:
            try:
                await listener(message.address, asked_in)
            except Exception as error:  # noqa: BLE001 - a failed update of buttons must not stop the answer
                logger.opt(exception=error).error("a listener of closed questions failed")

    async def _questions(self, message: ChatMessage, person: Person | None = None) -> list[_Question]:
        """Return the questions to `person`, by default the sender, in the chat of `message`."""
        return convert(await self._state.get(_key(message, person)) or [], list[_Question])

    async def _store(self, message: ChatMessage, questions: Sequence[_Question]) -> None:
        closed = [question for question in questions if question.is_closed][-_MAX_CLOSED_QUESTIONS:]
        opened = [question for question in questions if not question.is_closed]
        await self._state.set(_key(message), to_builtins([*closed, *opened]), keep=_STORED_FOR)


def _key(message: ChatMessage, person: Person | None = None) -> str:
    return f"confirm:{Conversation(chat=message.address, person=person or message.sender).key}"
