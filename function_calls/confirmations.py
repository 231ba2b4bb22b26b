"""Calls that wait for a person's yes."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from function_calls.calls import Conversation, ToolCall
from function_calls.session_state import json_copy
from services.chat import ChatMessage, Person
from services.session import Json, StateStore

WAITS: Final = timedelta(minutes=10)


class PendingCall(Struct, frozen=True, kw_only=True):
    """A call that was not run, and the message that it came from: who asked, in which words, naming whom.

    `call_id` is that of the context it was made in, so that a confirmed call keeps its request key; `agent_name` is the
    agent that made it, empty outside of agents. `answers` pick it from what it was offered beside (see
    `consent.pick_of`); a call without them waits for a yes.
    """

    call: ToolCall
    call_id: str
    message: ChatMessage
    agent_name: str = ""
    answers: tuple[str, ...] = ()


class Confirmations:
    """Remembers per person and chat what was asked last, for ten minutes, also through a restart.

    Calls of one message wait together and are answered together, and of those among which one is picked only
    that one is taken; those of a later message take their place.
    """

    def __init__(self, state: StateStore) -> None:
        self._state = state
        self._lock = asyncio.Lock()

    async def ask(self, pending: PendingCall) -> None:
        """Let a call wait."""
        key = _key(Conversation(chat=pending.message.address, person=pending.message.sender))
        async with self._lock:
            waiting = _entries(await self._state.get(key))
            same_message = [each for each in waiting if each.get("message") == pending.message.id]
            kept: list[Json] = [*same_message, _written(pending)]
            await self._state.set(key, kept, keep=WAITS)

    async def waits_for(self, message: ChatMessage, pick: str = "") -> bool:
        """Whether the sender of `message` was asked something in its chat that still waits for such an answer.

        `pick` is what they pick from what was offered, empty for a yes or no.
        """
        key = _key(Conversation(chat=message.address, person=message.sender))
        waiting = _entries(await self._state.get(key))
        return any(_is_picked(each, pick) for each in waiting) if pick else bool(waiting)

    async def take(self, message: ChatMessage, pick: str | None = "") -> tuple[PendingCall, ...]:
        """What waits for a yes, or for this `pick`, of the sender of `message` in its chat; None for all of it.

        Then nothing waits any longer. Where nothing waits for that answer, what waits for another one goes on waiting.
        """
        key = _key(Conversation(chat=message.address, person=message.sender))
        async with self._lock:
            waiting = _entries(await self._state.get(key))
            taken = [each for each in waiting if pick is None or _is_picked(each, pick)]
            if taken:
                await self._state.set(key, None, keep=WAITS)
        return tuple(_read(entry, message) for entry in taken)

    async def forget_before(self, message: ChatMessage) -> None:
        """Forget what was asked before `message`: something else has been asked since."""
        key = _key(Conversation(chat=message.address, person=message.sender))
        async with self._lock:
            waiting = _entries(await self._state.get(key))
            kept: list[Json] = [each for each in waiting if each.get("message") == message.id]
            if len(kept) < len(waiting):
                await self._state.set(key, kept or None, keep=WAITS)


def _is_picked(entry: Mapping[str, Json], pick: str) -> bool:
    """Whether `pick` picks what waits; an empty one is a yes to what was not offered beside others."""
    answers = entry.get("answers")
    return pick in answers if isinstance(answers, list) and answers else not pick


def _key(conversation: Conversation) -> str:
    return f"confirm:{conversation.key}"


def _entries(stored: Json) -> list[dict[str, Json]]:
    return [entry for entry in stored if isinstance(entry, dict)] if isinstance(stored, list) else []


def _written(pending: PendingCall) -> dict[str, Json]:
    message = pending.message
    return {
        "message": message.id,
        "text": message.text,
        "sent_at": message.sent_at.isoformat(),
        "mentions": [{"id": person.id, "name": person.name} for person in message.mentions],
        "call_id": pending.call_id,
        "agent": pending.agent_name,
        "answers": [*pending.answers],
        "name": pending.call.name,
        "arguments": json_copy(dict(pending.call.arguments)),
    }


def _read(entry: Mapping[str, Json], answer: ChatMessage) -> PendingCall:
    arguments, mentions, answers = entry.get("arguments"), entry.get("mentions"), entry.get("answers")
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
        answers=tuple(map(str, answers)) if isinstance(answers, list) else (),
    )


def _moment(written: Json, otherwise: datetime) -> datetime:
    """When the message was sent; its times count from then. Of one that waits since before an update: `otherwise`."""
    return datetime.fromisoformat(written) if isinstance(written, str) else otherwise


def _people(listed: Sequence[Json]) -> tuple[Person, ...]:
    return tuple(Person(id=str(each["id"]), name=str(each["name"])) for each in listed if isinstance(each, dict))
