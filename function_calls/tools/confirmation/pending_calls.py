"""Hold calls until the person confirms or declines them."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
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
_KEPT: Final = timedelta(days=1)  # so that a late press of a button is answered with the reason why nothing happens
_MOST_CLOSED: Final = 10
ClosedQuestion = Literal["", "closed", "answered"]
CloseListener = Callable[[ChatAddress, str], Awaitable[None]]
"""Hears of the chat, and of the message whose answer has the question."""


class PendingCall(Struct, frozen=True, kw_only=True):
    """A call that waits for confirmation, with the message that it came from.

    `call_id` is that of the context it was made in, so that a confirmed call keeps its request key; `agent_name` is the
    agent that made it, empty outside of agents. `answers` pick it from what it was offered beside (see
    `yes_no.pick_of`); a call without them waits for a yes, one that `needs` an action (a key of `Phrases.confirms`) for
    words that name it, and one with a `form` for the answers to it. `asked_in` are the messages whose answers have the
    question, `asked_at` is when it was asked (timezone-aware).
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
        """Return `call` as it waits when it was made in `context`."""
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
    """A question as it is stored, with the call that waits for its answer; of a closed one nothing of the call is left.

    With `has_no_call` whoever asked reads the answer. `is_answered` says that they took one.
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
        """Return the call that waits, with the message that it came from; `answer` is the message that answers it."""
        asked = replace(
            answer, id=self.message, text=self.text, sent_at=self.sent_at or answer.sent_at, mentions=self.mentions
        )
        return PendingCall(
            call=ToolCall(id=f"confirmed-{self.call_id}", name=self.name, arguments=self.arguments),
            call_id=self.call_id,
            message=asked,
            agent_name=self.agent,
            answers=self.answers,
            needs=self.needs,
            form=self.form,
            asked_in=self.places,
        )

    @property
    def places(self) -> tuple[str, ...]:
        """The messages whose answers have the question."""
        return self.asked_in or (self.message,)

    def waits(self, message: ChatMessage, scope: ReplyScope) -> bool:
        """Tell whether it is open and `message`, with `scope`, can answer it."""
        is_late = self.asked_at is not None and message.sent_at - self.asked_at > ANSWER_TIME
        return not self.is_closed and not is_late and scope.covers(*self.places)

    def is_replied_to(self, scope: ReplyScope) -> bool:
        """Tell whether a message with `scope` replies to it."""
        return not scope.message_ids.isdisjoint(self.places)

    def is_answered_by(self, answer: Answer) -> bool:
        """Tell whether `answer` decides about the call: a no, a pick or words where they are asked for, or a yes."""
        if self.has_no_call or self.form is not None:
            return False
        if answer.is_yes is False:
            return True
        if self.answers:
            return answer.pick in self.answers
        return self.needs in answer.confirms if self.needs else answer.is_yes is True

    def is_vague(self, answer: Answer) -> bool:
        """Tell whether `answer` is a bare yes where more words are needed."""
        return answer.is_yes is True and bool(self.needs)

    def close(self, *, is_answered: bool = False) -> "_Question":
        """Return what is remembered of it once it waits no more."""
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
    """The latest question to each person in each chat, kept for ten minutes, also through a restart.

    Calls of one message wait together and are answered together, and of those among which one is picked only
    that one is taken; those of a later message take their place. In a group an answer counts only within the scope of
    its message. Questions that were answered or expired are recognised for a day. So are those with numbered answers
    for which no call waits, because whoever asked them reads the answer.
    """

    def __init__(self, state: StateStore) -> None:
        self._state = state
        self._lock = asyncio.Lock()
        self._listeners: list[CloseListener] = []

    def subscribe(self, listener: CloseListener) -> Callable[[], None]:
        """Call `listener` for each question that is answered or dropped; return a function that ends that."""
        self._listeners.append(listener)
        return partial(self._listeners.remove, listener)

    async def ask(self, pending: PendingCall) -> None:
        """Store a call until it is answered; with the next question of its form, the one before is closed."""
        key = _key(pending.message)
        async with self._lock:
            entries = await self._questions(key)
            answered = [
                question for question in entries if question.form is not None and question.call_id == pending.call_id
            ]
            same = [
                question
                for question in entries
                if not question.is_closed and question.message == pending.message.id and question not in answered
            ]
            closed = [question.close(is_answered=question in answered) for question in entries if question not in same]
            await self._keep(key, [*closed, *same, _Question.of(pending)])
        await self._notify_closed(pending.message, [question for question in entries if question not in same])

    async def note_question(self, message: ChatMessage, asked_at: datetime) -> None:
        """Remember that the answer to `message` asks its sender something that a number answers, for the asker."""
        key = _key(message)
        async with self._lock:
            entries = await self._questions(key)
            asked = _Question(message=message.id, asked_at=asked_at, has_no_call=True)
            if not any(not question.is_closed and message.id in question.places for question in entries):
                await self._keep(key, [*entries, asked])

    async def waits_for(self, message: ChatMessage, answer: Answer, scope: ReplyScope) -> bool:
        """Tell whether `answer` is about a question to the sender; a bare yes is, too, where more words are needed."""
        questions = await self._questions(_key(message))
        return any(
            question.waits(message, scope) and (question.is_answered_by(answer) or question.is_vague(answer))
            for question in questions
        )

    async def take(self, message: ChatMessage, answer: Answer, scope: ReplyScope) -> tuple[PendingCall, ...]:
        """Return the calls of the sender of `message` in its chat that `answer` is for; all of them at a no.

        Then nothing waits any longer. Where nothing waits for that answer, what waits for another one goes on waiting.
        """
        key = _key(message)
        async with self._lock:
            entries = await self._questions(key)
            waiting = [question for question in entries if question.waits(message, scope)]
            taken = [question for question in waiting if question.is_answered_by(answer)]
            if taken:
                await self._keep(key, [question.close() for question in entries])
        if taken:
            await self._notify_closed(message, entries)
        return tuple(question.to_pending(message) for question in taken)

    async def open_form(self, message: ChatMessage, scope: ReplyScope) -> PendingCall | None:
        """Return the call whose form `message` can answer; a reply can answer only the message that it replies to."""
        questions = await self._questions(_key(message))
        is_reply = message.reply_to is not None and bool(scope.message_ids)
        waiting = [
            question
            for question in questions
            if question.form is not None
            and question.waits(message, scope)
            and (question.is_replied_to(scope) or not is_reply)
        ]
        return waiting[-1].to_pending(message) if waiting else None

    async def close(self, message: ChatMessage, call_id: str) -> None:
        """Close the question about the call with this id to the sender of `message`: it was answered."""
        key = _key(message)
        async with self._lock:
            entries = await self._questions(key)
            done = [question for question in entries if not question.is_closed and question.call_id == call_id]
            await self._keep(
                key, [question.close(is_answered=True) if question in done else question for question in entries]
            )
        await self._notify_closed(message, done)

    async def ask_for_words(self, message: ChatMessage, answer: Answer, scope: ReplyScope) -> str:
        """Return the action that a bare yes does not confirm; the answer to `message` asks for its words.

        Empty where the answer is no such yes.
        """
        key = _key(message)
        async with self._lock:
            entries = await self._questions(key)
            vague = [question for question in entries if question.waits(message, scope) and question.is_vague(answer)]
            if vague:
                asked = [
                    replace(question, asked_in=(*question.asked_in, message.id)) if question in vague else question
                    for question in entries
                ]
                await self._keep(key, asked)
        return vague[0].needs if vague else ""

    async def closed_question(self, message: ChatMessage, answer: Answer, scope: ReplyScope) -> ClosedQuestion:
        """Tell whether `message` replies to a question to its sender that is over.

        It is "answered" where whoever asked it took an answer, and else "closed": a call ran or did not, it expired, or
        something else was asked. Empty where there is no such question, or it is open.
        """
        if message.reply_to is None:
            return ""
        entries = await self._questions(_key(message))
        asked = [
            question
            for question in entries
            if question.is_replied_to(scope) and (answer.pick or not question.has_no_call)
        ]
        if not asked or any(question.waits(message, scope) for question in asked):
            return ""
        return "answered" if all(question.is_answered for question in asked) else "closed"

    async def drop_question(self, message: ChatMessage, scope: ReplyScope) -> bool:
        """Close the open question without a call that `message` replies to; False where it replies to none."""
        if message.reply_to is None:
            return False
        key = _key(message)
        async with self._lock:
            entries = await self._questions(key)
            dropped = [
                question
                for question in entries
                if not question.is_closed and question.has_no_call and question.is_replied_to(scope)
            ]
            if dropped:
                await self._keep(key, [question.close() if question in dropped else question for question in entries])
        await self._notify_closed(message, dropped)
        return bool(dropped)

    async def is_asked_of(self, person: Person, message: ChatMessage, asked_in: str) -> bool:
        """Tell whether `person` was asked something in the answer to their message `asked_in` in the same chat."""
        entries = await self._questions(_key(message, person))
        return any(asked_in in question.places for question in entries)

    async def forget_before(self, message: ChatMessage, *, is_answer: bool = False) -> None:
        """Forget the question before `message`: another one has been asked since.

        With `is_answer` it has answered the question for which no call waits.
        """
        key = _key(message)
        async with self._lock:
            entries = await self._questions(key)
            remaining = [
                question
                if message.id in question.places
                else question.close(is_answered=is_answer and question.has_no_call)
                for question in entries
            ]
            if remaining != entries:
                await self._keep(key, remaining)
        await self._notify_closed(message, [question for question in entries if message.id not in question.places])

    async def _notify_closed(self, message: ChatMessage, entries: Sequence[_Question]) -> None:
        """Tell the listeners of those of `entries` that were open until `message`."""
        for asked_in in dict.fromkeys(place for entry in entries if not entry.is_closed for place in entry.places):
            for listener in self._listeners:
                try:
                    await listener(message.address, asked_in)
                except Exception as error:  # noqa: BLE001 - the answer goes out though a button stays as it was
                    logger.opt(exception=error).error("a listener of closed questions failed")

    async def _questions(self, key: str) -> list[_Question]:
        return convert(await self._state.get(key) or [], list[_Question])

    async def _keep(self, key: str, entries: Sequence[_Question]) -> None:
        closed = [question for question in entries if question.is_closed][-_MOST_CLOSED:]
        await self._state.set(
            key, to_builtins([*closed, *(question for question in entries if not question.is_closed)]), keep=_KEPT
        )


def _key(message: ChatMessage, person: Person | None = None) -> str:
    return f"confirm:{Conversation(chat=message.address, person=person or message.sender).key}"
