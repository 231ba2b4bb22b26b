"""Hold calls until the person confirms or declines them."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

from loguru import logger
from msgspec import Struct
from msgspec.structs import replace

from function_calls.tools.calls import Conversation, ReplyScope, ToolCall
from function_calls.tools.confirmation.yes_no import Answer
from function_calls.tools.session_state import json_copy
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.kernel.state import Json, StateStore

if TYPE_CHECKING:
    from function_calls.tools.context import CallContext

WAITS: Final = timedelta(minutes=10)
_KEPT: Final = timedelta(days=1)  # so that a late press of a button is answered with the reason why nothing happens
_MOST_CLOSED: Final = 10
_Entry = dict[str, Json]
ClosedQuestion = Literal["", "closed", "answered"]
ListenerOfClosing = Callable[[ChatAddress, str], Awaitable[None]]
"""Hears of the chat, and of the message whose answer has the question."""


class PendingCall(Struct, frozen=True, kw_only=True):
    """A call that waits for confirmation, with the message that it came from.

    `call_id` is that of the context it was made in, so that a confirmed call keeps its request key; `agent_name` is the
    agent that made it, empty outside of agents. `answers` pick it from what it was offered beside (see
    `yes_no.pick_of`); a call without them waits for a yes, and one that `needs` an action (a key of
    `Phrases.confirms`) for words that name it. `asked_in` are the messages whose answers have the question, `asked_at`
    is when it was asked (timezone-aware).
    """

    call: ToolCall
    call_id: str
    message: ChatMessage
    agent_name: str = ""
    answers: tuple[str, ...] = ()
    needs: str = ""
    asked_in: tuple[str, ...] = ()
    asked_at: datetime | None = None

    @classmethod
    def of(
        cls, call: ToolCall, context: "CallContext", *, answers: tuple[str, ...] = (), needs: str = ""
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
            asked_in=tuple(dict.fromkeys(each for each in (context.message.id, turn_id) if each)),
            asked_at=context.clock.now(),
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
        self._listeners: list[ListenerOfClosing] = []

    def subscribe(self, listener: ListenerOfClosing) -> Callable[[], None]:
        """Tell `listener` of each question that is answered or dropped, and return what ends that."""
        self._listeners.append(listener)
        return partial(self._listeners.remove, listener)

    async def ask(self, pending: PendingCall) -> None:
        """Store a call until it is answered."""
        key = _key(Conversation(chat=pending.message.address, person=pending.message.sender))
        async with self._lock:
            entries = _entries(await self._state.get(key))
            same = [each for each in entries if _is_open(each) and each.get("message") == pending.message.id]
            closed = [_closed(each) for each in entries if each not in same]
            await self._keep(key, [*closed, *same, _encode(pending)])
        await self._tell_closed(pending.message, [each for each in entries if each not in same])

    async def note_question(self, message: ChatMessage, asked_at: datetime) -> None:
        """Remember that the answer to `message` asks its sender something that a number answers, for whoever asked."""
        key = _key(Conversation(chat=message.address, person=message.sender))
        async with self._lock:
            entries = _entries(await self._state.get(key))
            asked: _Entry = {"message": message.id, "asked_at": asked_at.isoformat(), "has_no_call": True}
            if not any(_is_open(each) and message.id in _asked_in(each) for each in entries):
                await self._keep(key, [*entries, asked])

    async def waits_for(self, message: ChatMessage, answer: Answer, scope: ReplyScope) -> bool:
        """Tell whether the sender of `message` was asked something in its chat that `answer` is about.

        A bare yes is about a question that needs more words, too.
        """
        waiting = await self._waiting(message, scope)
        return any(_is_answered_by(each, answer) or _is_vague(each, answer) for each in waiting)

    async def take(self, message: ChatMessage, answer: Answer, scope: ReplyScope) -> tuple[PendingCall, ...]:
        """Return the calls of the sender of `message` in its chat that `answer` is for; all of them at a no.

        Then nothing waits any longer. Where nothing waits for that answer, what waits for another one goes on waiting.
        """
        key = _key(Conversation(chat=message.address, person=message.sender))
        async with self._lock:
            entries = _entries(await self._state.get(key))
            waiting = [each for each in entries if _waits(each, message, scope)]
            taken = [each for each in waiting if _is_answered_by(each, answer)]
            if taken:
                await self._keep(key, [_closed(each) for each in entries])
        if taken:
            await self._tell_closed(message, entries)
        return tuple(_decode(entry, message) for entry in taken)

    async def ask_for_words(self, message: ChatMessage, answer: Answer, scope: ReplyScope) -> str:
        """Return the action that a bare yes does not confirm; the answer to `message` asks for its words.

        Empty where the answer is no such yes.
        """
        key = _key(Conversation(chat=message.address, person=message.sender))
        async with self._lock:
            entries = _entries(await self._state.get(key))
            vague = [each for each in entries if _waits(each, message, scope) and _is_vague(each, answer)]
            for each in vague:
                each["asked_in"] = [*_texts(each.get("asked_in")), message.id]
            if vague:
                await self._keep(key, entries)
        return str(vague[0].get("needs")) if vague else ""

    async def closed_question(self, message: ChatMessage, answer: Answer, scope: ReplyScope) -> ClosedQuestion:
        """Tell whether `message` replies to a question to its sender that is over.

        It is "answered" where whoever asked it took an answer, and else "closed": a call ran or did not, it expired, or
        something else was asked. Empty where there is no such question, or it is open.
        """
        if message.reply_to is None:
            return ""
        entries = _entries(await self._state.get(_key(Conversation(chat=message.address, person=message.sender))))
        asked = [each for each in entries if _is_replied_to(each, scope) and (answer.pick or not _has_no_call(each))]
        if not asked or any(_waits(each, message, scope) for each in asked):
            return ""
        return "answered" if all(each.get("is_answered") is True for each in asked) else "closed"

    async def drop_question(self, message: ChatMessage, scope: ReplyScope) -> bool:
        """Close the open question without a call that `message` replies to; False where it replies to none."""
        if message.reply_to is None:
            return False
        key = _key(Conversation(chat=message.address, person=message.sender))
        async with self._lock:
            entries = _entries(await self._state.get(key))
            dropped = [
                each for each in entries if _is_open(each) and _has_no_call(each) and _is_replied_to(each, scope)
            ]
            if dropped:
                await self._keep(key, [_closed(each) if each in dropped else each for each in entries])
        await self._tell_closed(message, dropped)
        return bool(dropped)

    async def is_asked_of(self, person: Person, message: ChatMessage, asked_in: str) -> bool:
        """Tell whether `person` was asked something in the answer to their message `asked_in` in the same chat."""
        entries = _entries(await self._state.get(_key(Conversation(chat=message.address, person=person))))
        return any(asked_in in _asked_in(each) for each in entries)

    async def forget_before(self, message: ChatMessage, *, is_answer: bool = False) -> None:
        """Forget what was asked before `message`: something else has been asked since.

        With `is_answer` it has answered the question for which no call waits.
        """
        key = _key(Conversation(chat=message.address, person=message.sender))
        async with self._lock:
            entries = _entries(await self._state.get(key))
            kept = [
                each if message.id in _asked_in(each) else _closed(each, is_answered=is_answer and _has_no_call(each))
                for each in entries
            ]
            if kept != entries:
                await self._keep(key, kept)
        await self._tell_closed(message, [each for each in entries if message.id not in _asked_in(each)])

    async def _waiting(self, message: ChatMessage, scope: ReplyScope) -> list[_Entry]:
        key = _key(Conversation(chat=message.address, person=message.sender))
        return [each for each in _entries(await self._state.get(key)) if _waits(each, message, scope)]

    async def _tell_closed(self, message: ChatMessage, entries: Sequence[_Entry]) -> None:
        """Tell the listeners of those of `entries` that were open until `message`."""
        for asked_in in dict.fromkeys(each for entry in entries if _is_open(entry) for each in _asked_in(entry)):
            for listener in self._listeners:
                try:
                    await listener(message.address, asked_in)
                except Exception as error:  # noqa: BLE001 - the answer goes out though a button stays as it was
                    logger.opt(exception=error).error("a listener of closed questions failed")

    async def _keep(self, key: str, entries: Sequence[_Entry]) -> None:
        is_open = [_is_open(each) for each in entries]
        closed = [each for each, is_it in zip(entries, is_open, strict=True) if not is_it][-_MOST_CLOSED:]
        kept: list[Json] = [*closed, *(each for each, is_it in zip(entries, is_open, strict=True) if is_it)]
        await self._state.set(key, kept, keep=_KEPT)


def _waits(entry: _Entry, message: ChatMessage, scope: ReplyScope) -> bool:
    asked_at = entry.get("asked_at")
    is_late = isinstance(asked_at, str) and message.sent_at - datetime.fromisoformat(asked_at) > WAITS
    return _is_open(entry) and not is_late and scope.covers(*_asked_in(entry))


def _is_open(entry: _Entry) -> bool:
    return entry.get("is_closed") is not True


def _has_no_call(entry: _Entry) -> bool:
    """Tell whether whoever asked reads the answer, so that no call waits for it here."""
    return entry.get("has_no_call") is True


def _is_replied_to(entry: _Entry, scope: ReplyScope) -> bool:
    return not scope.message_ids.isdisjoint(_asked_in(entry))


def _closed(entry: _Entry, *, is_answered: bool = False) -> _Entry:
    """Return what is remembered of a question that waits no more: nothing of the call."""
    if not _is_open(entry):
        return entry
    return {
        "message": entry.get("message"),
        "asked_in": [*_asked_in(entry)],
        "is_closed": True,
        "has_no_call": _has_no_call(entry),
        "is_answered": is_answered,
    }


def _asked_in(entry: _Entry) -> tuple[str, ...]:
    return _texts(entry.get("asked_in")) or (str(entry.get("message")),)


def _is_answered_by(entry: _Entry, answer: Answer) -> bool:
    """Tell whether `answer` decides about the call: a no always, a pick or words where they are asked for, or a yes."""
    if _has_no_call(entry):
        return False
    if answer.is_yes is False:
        return True
    picks = _texts(entry.get("answers"))
    if picks:
        return answer.pick in picks
    needs = entry.get("needs")
    return needs in answer.confirms if needs else answer.is_yes is True


def _is_vague(entry: _Entry, answer: Answer) -> bool:
    return answer.is_yes is True and bool(entry.get("needs"))


def _key(conversation: Conversation) -> str:
    return f"confirm:{conversation.key}"


def _entries(stored: Json) -> list[_Entry]:
    return [entry for entry in stored if isinstance(entry, dict)] if isinstance(stored, list) else []


def _texts(stored: Json) -> tuple[str, ...]:
    return tuple(map(str, stored)) if isinstance(stored, list) else ()


def _encode(pending: PendingCall) -> _Entry:
    message = pending.message
    return {
        "message": message.id,
        "text": message.text,
        "sent_at": message.sent_at.isoformat(),
        "mentions": [{"id": person.id, "name": person.name} for person in message.mentions],
        "call_id": pending.call_id,
        "agent": pending.agent_name,
        "answers": [*pending.answers],
        "needs": pending.needs,
        "asked_in": [*pending.asked_in],
        "asked_at": None if pending.asked_at is None else pending.asked_at.isoformat(),
        "name": pending.call.name,
        "arguments": json_copy(dict(pending.call.arguments)),
    }


def _decode(entry: _Entry, answer: ChatMessage) -> PendingCall:
    arguments, mentions = entry.get("arguments"), entry.get("mentions")
    asked = replace(
        answer,
        id=str(entry.get("message")),
        text=str(entry.get("text")),
        sent_at=_moment(entry.get("sent_at"), answer.sent_at),
        mentions=_people(mentions if isinstance(mentions, list) else ()),
    )
    call_id = str(entry.get("call_id"))
    call = ToolCall(
        id=f"confirmed-{call_id}",
        name=str(entry.get("name")),
        arguments=arguments if isinstance(arguments, dict) else {},
    )
    return PendingCall(
        call=call,
        call_id=call_id,
        message=asked,
        agent_name=str(entry.get("agent", "")),
        answers=_texts(entry.get("answers")),
        needs=str(entry.get("needs", "")),
        asked_in=_asked_in(entry),
    )


def _moment(written: Json, otherwise: datetime) -> datetime:
    """Return when the message was sent.

    Its times count from then. Of one that waits since before an update: `otherwise`.
    """
    return datetime.fromisoformat(written) if isinstance(written, str) else otherwise


def _people(listed: Sequence[Json]) -> tuple[Person, ...]:
    return tuple(Person(id=str(each["id"]), name=str(each["name"])) for each in listed if isinstance(each, dict))
