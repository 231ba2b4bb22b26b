"""Request and response bodies of the admin API."""

from collections.abc import Collection, Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, AliasPath, BeforeValidator, Field, JsonValue

from bot.http.core.bodies import MAX_SESSION_LENGTH, SESSION_PATTERN, Answer, Body
from bot.http.core.timeseries import Sample
from bot.http.core.tokens import Role, Scope
from bot.platforms.web.frames import AuthorShape, author_shape, format_instant
from services.language_model.ports import RequestedCall

Status = Literal["success", "error", "timeout", "denied"]


def _names(calls: Sequence[RequestedCall]) -> list[str]:
    return [call.name for call in calls]


def _sort_or_none(names: Collection[str] | None) -> list[str] | None:
    return None if names is None else sorted(names)


def _round_milliseconds(duration: float) -> float:
    return round(duration, 1)


_Instant = Annotated[str, BeforeValidator(format_instant)]


class CallEntry(Answer):
    """A tool call of any chat; `duration` is in milliseconds, `chat` is `platform:id`.

    `rule_words` describes each RFC 5545 rule in the call, by language and then by rule.
    """

    id: str
    name: str
    arguments: JsonValue
    result: str | None
    error: str | None
    status: Status
    duration: float
    chat: str
    message_id: str
    user_message: str
    person: str
    route: str
    model: str
    said: str
    repairs: list[str]
    receipts: list[tuple[str, str]]
    tokens: int
    cost: float
    spawn_task: JsonValue
    rule_words: dict[str, dict[str, str]]
    at: str


class CallPage(Answer):
    """Calls, latest first; `next` is what to pass as `before`, null at the end."""

    items: list[CallEntry]
    next: str | None


class MessageEntry(Answer):
    """A message of any chat."""

    id: str
    chat: Annotated[str, Field(validation_alias=AliasPath("address", "key"))]
    author: Annotated[AuthorShape, BeforeValidator(author_shape)] = Field(validation_alias="sender")
    text: str
    reply_to: str | None
    ts: _Instant = Field(validation_alias="sent_at")


class MessagePage(Answer):
    """Messages, latest first; `next` is what to pass as `before`, null at the end."""

    items: list[MessageEntry]
    next: str | None


class CompletionEntry(Answer):
    """One request to a model."""

    model: str
    round: int
    prompt_tokens: Annotated[int, Field(validation_alias=AliasPath("charge", "prompt_tokens"))]
    completion_tokens: Annotated[int, Field(validation_alias=AliasPath("charge", "completion_tokens"))]
    cost: Annotated[float, Field(validation_alias=AliasPath("charge", "cost"))]
    finish_reason: str
    error: str
    requested: Annotated[list[str], BeforeValidator(_names)]


class TurnEntry(Answer):
    """An interpreted message, and its outcome."""

    chat: Annotated[str, Field(validation_alias=AliasPath("address", "key"))]
    message_id: str
    person: Annotated[str, Field(validation_alias=AliasPath("person", "name"))]
    text: str
    at: _Instant
    language: str
    route: str
    rounds: int
    outcome: str
    reply: str
    fallback: str
    error: str
    duration: Annotated[float, AfterValidator(_round_milliseconds)] = Field(validation_alias="duration_ms")
    tokens: Annotated[int, Field(validation_alias=AliasPath("charge", "tokens"))]
    cost: Annotated[float, Field(validation_alias=AliasPath("charge", "cost"))]
    completions: list[CompletionEntry]


class TurnPage(Answer):
    """Turns, latest first; `next` is what to pass as `before`, null at the end."""

    items: list[TurnEntry]
    next: str | None


class TurnWithCalls(Answer):
    """A turn, and its calls in the order they ended."""

    turn: TurnEntry
    calls: list[CallEntry]


class CheckEntry(Answer):
    """The result of a check: its state, and the next step.

    `setting` is the setting (`http.token`) or the group of settings that fixes it, or empty.
    """

    name: str
    state: Literal["ok", "warning", "error"]
    detail: str
    fix: str
    setting: str = ""


class HealthReport(Answer):
    """The health of the bot."""

    checks: list[CheckEntry]
    versions: dict[str, str]
    uptime_seconds: float


class AdapterEntry(Answer):
    """A chat platform. `state` is connecting, live, deaf, stopped, or elsewhere (connected by another worker)."""

    name: str
    state: str
    detail: str
    since: str | None
    last_event: str | None
    reconnects: int
    queue: int


class Adapters(Answer):
    """The served chat platforms, and the absolute path of the data folder."""

    adapters: list[AdapterEntry]
    data_dir: str = ""


class MetricsBody(Answer):
    """Metrics over a period, oldest first."""

    samples: list[Sample]


class UsageEntry(Answer):
    """The model usage of a chat."""

    chat: str
    turns: int
    tokens: int
    cost: float


class UsageBody(Answer):
    """The model usage since a time."""

    since: str
    tokens: int
    cost: float
    chats: list[UsageEntry]


class NewTokenBody(Body):
    """A token to issue; `scopes` restrict it to some of the scopes of its role, `rooms` to these rooms."""

    name: str = Field(min_length=1, max_length=40, examples=["ann"])
    role: Role = "member"
    scopes: list[Scope] | None = None
    rooms: list[Annotated[str, Field(pattern=SESSION_PATTERN, max_length=MAX_SESSION_LENGTH)]] | None = Field(
        None, max_length=200, description="The only rooms that it gives access to; null for those of its holder."
    )


class TokenEntry(Answer):
    """An issued token; `id` gives no access."""

    id: str
    name: str
    role: Role
    scopes: Annotated[list[Scope], BeforeValidator(sorted)]
    rooms: Annotated[list[str] | None, BeforeValidator(_sort_or_none)]
    created_at: str


class TokenList(Answer):
    """The issued tokens."""

    tokens: list[TokenEntry]


class IssuedToken(TokenEntry):
    """A new token with its secret, which is shown only here."""

    token: str
