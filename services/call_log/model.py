"""Declare the records of turns, calls and usage, and the interfaces of their store."""

import json
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from typing import Final, Literal, Protocol, TypedDict

from msgspec import Struct

from services.kernel.chat import ChatAddress, Person
from services.kernel.state import Json
from services.language_model.ports import RequestedCall, Usage

Status = Literal["success", "error", "timeout", "denied"]
Outcome = Literal["answered", "silent", "failed"]
Ending = Literal["", "reply", "question", "answered"]

CONFIRMED: Final = "confirmed"
"""The route of a round of calls that the person confirmed."""
AGENT_ROUTE: Final = "agent:"
"""The prefix of the route of an agent's call; the agent's name follows."""


class ToolCallShape(TypedDict):
    """A call in the HTTP history of a chat; `duration` is in milliseconds."""

    id: str
    name: str
    arguments: Json
    result: str | None
    error: str | None
    status: Status
    duration: int
    spawn_task: Json


class UsageCost(Usage, frozen=True, kw_only=True):
    """Tokens used and their cost in the operator's currency; cached tokens are part of the prompt tokens."""

    cost: float = 0.0

    @property
    def tokens(self) -> int:
        """The sum of prompt and completion tokens."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: "UsageCost") -> "UsageCost":
        return UsageCost(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            cost=self.cost + other.cost,
        )


NOTHING = UsageCost()


class CompletionRecord(Struct, frozen=True, kw_only=True):
    """One request to a model. `round` counts from 1; `requested` are the calls as the model wrote them.

    `refused` are the errors of the first validation. `error` is the reason if there was no usable answer, else empty.
    """

    model: str
    round: int
    charge: UsageCost = NOTHING
    finish_reason: str = ""
    requested: tuple[RequestedCall, ...] = ()
    refused: tuple[str, ...] = ()
    error: str = ""


class TurnRecord(Struct, frozen=True, kw_only=True):
    """One processed message and its outcome.

    `at` is the beginning of the turn, timezone-aware. `route` is the interpreter of the last round: `model`, `offline`.
    `fallback` is the reason if a configured model was not used, else empty.
    """

    address: ChatAddress
    message_id: str
    person: Person
    text: str
    at: datetime
    zone: str
    language: str
    route: str
    rounds: int
    outcome: Outcome
    is_addressed: bool = False
    is_private: bool = False
    completions: tuple[CompletionRecord, ...] = ()
    reply: str = ""
    fallback: str = ""
    error: str = ""
    duration_ms: float = 0.0

    @property
    def charge(self) -> UsageCost:
        """Return the usage of the whole turn."""
        return sum((completion.charge for completion in self.completions), NOTHING)

    @property
    def trace_id(self) -> str:
        """Return the id of the turn's OpenTelemetry trace."""
        return trace_id(self.address, self.message_id)


class CallRecord(Struct, frozen=True, kw_only=True):
    """One call of a tool: a row of `tool_conversations`.

    `arguments` and `spawn_task` are JSON text. `result` is the text for the model, None after a failure; `said` is the
    text for people. `charge` is the usage since the previous call, so that the sum over calls counts each completion
    once. `receipts` are the changes of state as (action, subject), `round` counts from 1 (0: outside of a turn).
    `route` is `agent:NAME` for a call by an agent, which is also in the `spawn_task` of the call that ran the agent.
    """

    id: str
    address: ChatAddress
    message_id: str
    person_id: str
    user_message: str
    tool_name: str
    arguments: str
    result: str | None
    error: str | None
    status: Status
    duration_ms: float
    at: datetime
    route: str
    round: int = 0
    repairs: tuple[str, ...] = ()
    said: str = ""
    ending: Ending = ""
    receipts: tuple[tuple[str, str], ...] = ()
    model: str = ""
    charge: UsageCost = NOTHING
    spawn_task: str | None = None

    @property
    def is_nested(self) -> bool:
        """Return True for a call that an agent made while a tool ran."""
        return self.route.startswith(AGENT_ROUTE)

    def as_tool_call(self) -> ToolCallShape:
        """Return the call in the form of the specification's HTTP history."""
        return ToolCallShape(
            id=self.id,
            name=self.tool_name,
            arguments=parse_json(self.arguments),
            result=self.result,
            error=self.error,
            status=self.status,
            duration=round(self.duration_ms),
            spawn_task=None if self.spawn_task is None else parse_json(self.spawn_task),
        )


class Spent(Struct, frozen=True, kw_only=True):
    """The usage of one person in one chat. `person_key` identifies the person on their platform."""

    chat_key: str
    person_key: str
    tokens: int
    cost: float


def trace_id(address: ChatAddress, message_id: str) -> str:
    """Return the id of the OpenTelemetry trace of a message: 32 hexadecimal digits, the same in every process."""
    return sha256(f"{address.key}\0{message_id}".encode()).hexdigest()[:32]


def person_key(address: ChatAddress, person_id: str) -> str:
    """Return the key of a person in all chats of a platform."""
    return f"{address.platform}:{person_id}"


def parse_json(text: str) -> Json:
    """Parse JSON; return invalid JSON, such as truncated text, unchanged."""
    try:
        value: Json = json.loads(text)
    except ValueError:
        return text
    return value


class CallStore(Protocol):
    """Stores records of turns and calls."""

    async def turn(self, message_id: str, chat_key: str | None = None) -> TurnRecord | None:
        """Return the latest turn of a message; `chat_key` None means any chat."""

    async def latest_turns(
        self, limit: int, *, chat_key: str | None = None, person_id: str | None = None
    ) -> tuple[TurnRecord, ...]:
        """Return the last `limit` turns (of a chat, of a person), latest first."""

    async def calls(self, chat_key: str, message_ids: Sequence[str]) -> tuple[CallRecord, ...]:
        """Return the calls made for these messages, in the order of their end."""

    async def spent_since(self, moment: datetime) -> tuple[Spent, ...]:
        """Return the usage of turns since `moment`, one entry per person and chat."""

    async def add(self, turns: Sequence[TurnRecord], calls: Sequence[CallRecord]) -> None:
        """Store all in one transaction; a power cut may lose the last ones."""

    async def forget(self, chat_key: str, message_id: str) -> None:
        """Delete the records of a message's turn and calls, except their usage."""

    async def purge(self, before: datetime) -> int:
        """Delete turns and calls that began before `before`; return the number of turns."""
