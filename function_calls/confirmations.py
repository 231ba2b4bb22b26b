"""Calls that wait for a person's yes."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import timedelta
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
    agent that made it, empty outside of agents.
    """

    call: ToolCall
    call_id: str
    message: ChatMessage
    agent_name: str = ""


class Confirmations:
    """Remembers per person and chat what was asked last, for ten minutes, also through a restart.

    Calls of one message wait together and are answered together; those of a later message take their place.
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

    async def waits_for(self, message: ChatMessage) -> bool:
        """Whether the sender of `message` was asked something in its chat that still waits."""
        key = _key(Conversation(chat=message.address, person=message.sender))
        return bool(await self._state.get(key))

    async def take(self, message: ChatMessage) -> tuple[PendingCall, ...]:
        """What waits for an answer of the sender of `message` in its chat; it waits no longer."""
        key = _key(Conversation(chat=message.address, person=message.sender))
        async with self._lock:
            waiting = _entries(await self._state.get(key))
            if waiting:
                await self._state.set(key, None, keep=WAITS)
        return tuple(_read(entry, message) for entry in waiting)


def _key(conversation: Conversation) -> str:
    return f"confirm:{conversation.key}"


def _entries(stored: Json) -> list[dict[str, Json]]:
    return [entry for entry in stored if isinstance(entry, dict)] if isinstance(stored, list) else []


def _written(pending: PendingCall) -> dict[str, Json]:
    message = pending.message
    return {
        "message": message.id,
        "text": message.text,
        "mentions": [{"id": person.id, "name": person.name} for person in message.mentions],
        "call_id": pending.call_id,
        "agent": pending.agent_name,
        "name": pending.call.name,
        "arguments": json_copy(dict(pending.call.arguments)),
    }


def _read(entry: Mapping[str, Json], answer: ChatMessage) -> PendingCall:
    arguments, mentions = entry.get("arguments"), entry.get("mentions")
    asked = replace(
        answer,
        id=str(entry.get("message")),
        text=str(entry.get("text")),
        mentions=_people(mentions if isinstance(mentions, list) else ()),
    )
    call_id = str(entry.get("call_id"))
    call = ToolCall(
        id=f"confirmed-{call_id}",
        name=str(entry.get("name")),
        arguments=arguments if isinstance(arguments, dict) else {},
    )
    return PendingCall(call=call, call_id=call_id, message=asked, agent_name=str(entry.get("agent", "")))


def _people(listed: Sequence[Json]) -> tuple[Person, ...]:
    return tuple(Person(id=str(each["id"]), name=str(each["name"])) for each in listed if isinstance(each, dict))
