"""Request and response bodies of the admin API."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from bot.http.core.bodies import LONGEST_SESSION, SESSION_PATTERN, Answer, Body
from bot.http.core.timeseries import Sample
from bot.http.core.tokens import Role, Scope
from bot.platforms.web.frames import AuthorShape

Status = Literal["success", "error", "timeout", "denied"]


class CallEntry(Answer):
    """A tool call of any chat; `duration` is in milliseconds, `chat` is `platform:id`.

    `rule_words` has the words of each RFC 5545 rule in the call, by language and then by rule.
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
    chat: str
    author: AuthorShape
    text: str
    reply_to: str | None
    ts: str


class MessagePage(Answer):
    """Messages, latest first; `next` is what to pass as `before`, null at the end."""

    items: list[MessageEntry]
    next: str | None


class CompletionEntry(Answer):
    """One request to a model."""

    model: str
    round: int
    prompt_tokens: int
    completion_tokens: int
    cost: float
    finish_reason: str
    error: str
    requested: list[str]


class TurnEntry(Answer):
    """One message that was interpreted, and how that ended."""

    chat: str
    message_id: str
    person: str
    text: str
    at: str
    language: str
    route: str
    rounds: int
    outcome: str
    reply: str
    fallback: str
    error: str
    duration: float
    tokens: int
    cost: float
    completions: list[CompletionEntry]


class TurnPage(Answer):
    """Turns, latest first; `next` is what to pass as `before`, null at the end."""

    items: list[TurnEntry]
    next: str | None


class TurnWithCalls(Answer):
    """A turn, and the calls it led to in the order they ended."""

    turn: TurnEntry
    calls: list[CallEntry]


class CheckEntry(Answer):
    """Something that was looked at: how it is, and what to do about it.

    `setting` is the setting (`http.token`) or the group of settings that mends it, empty where none does.
    """

    name: str
    state: Literal["ok", "warning", "error"]
    detail: str
    fix: str
    setting: str = ""


class HealthReport(Answer):
    """How the bot is."""

    checks: list[CheckEntry]
    versions: dict[str, str]
    uptime_seconds: float


class AdapterEntry(Answer):
    """A chat platform. `state` is connecting, live, deaf, stopped, or elsewhere: another worker is connected to it."""

    name: str
    state: str
    detail: str
    since: str | None
    last_event: str | None
    reconnects: int
    queue: int


class Adapters(Answer):
    """The chat platforms that are served, and the absolute path of the folder with the data of this bot."""

    adapters: list[AdapterEntry]
    data_dir: str = ""


class MetricsBody(Answer):
    """Figures over a period, oldest first."""

    samples: list[Sample]


class UsageEntry(Answer):
    """What one chat used of models."""

    chat: str
    turns: int
    tokens: int
    cost: float


class UsageBody(Answer):
    """What models were used for since a moment."""

    since: str
    tokens: int
    cost: float
    chats: list[UsageEntry]


class NewTokenBody(Body):
    """Whom a token is for; `scopes` hold it to some of its role's, `rooms` to these rooms."""

    name: str = Field(min_length=1, max_length=40, examples=["ann"])
    role: Role = "member"
    scopes: list[Scope] | None = None
    rooms: list[Annotated[str, Field(pattern=SESSION_PATTERN, max_length=LONGEST_SESSION)]] | None = Field(
        None, max_length=200, description="The only rooms that it opens; null for those its holder belongs to."
    )


class TokenEntry(Answer):
    """A token that was given out; `id` opens nothing."""

    id: str
    name: str
    role: Role
    scopes: list[Scope]
    rooms: list[str] | None
    created_at: str


class TokenList(Answer):
    """The tokens that were given out."""

    tokens: list[TokenEntry]


class IssuedToken(TokenEntry):
    """A new token with its secret, which is shown this once."""

    token: str
