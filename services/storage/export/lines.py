"""Declare the lines of an export: a head, then one stored thing a line, as JSON objects."""

from typing import Annotated, Final, Literal

from msgspec import Struct, ValidationError, convert, to_builtins
from pydantic import (
    AwareDatetime,
    Base64UrlBytes,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    PlainSerializer,
    PlainValidator,
    TypeAdapter,
)

from services.call_log.model import CompletionRecord, Ending, Outcome, Status
from services.reminders.exchange.record import ReminderRecord, Storable

FORMAT: Final = "bubbles-export"
VERSION: Final = 1
_LONGEST_TEXT: Final = 1_100_000  # a million characters of a result are recorded, and a note of how many there were

Text = Annotated[str, Field(max_length=_LONGEST_TEXT), Storable]
ChatKey = Annotated[str, Field(max_length=500, pattern=r"^[^:]+:.+$"), Storable]
Id = Annotated[str, Field(min_length=1, max_length=_LONGEST_TEXT), Storable]
Minutes = Annotated[int, Field(ge=0, lt=24 * 60)]


def _completion(value: object) -> CompletionRecord:
    try:
        return convert(value, CompletionRecord)
    except ValidationError as error:
        raise ValueError(str(error)) from error  # what Pydantic takes for a fault of the line


Completion = Annotated[CompletionRecord, PlainValidator(_completion), PlainSerializer(to_builtins)]


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AccountShape(_Line):
    """An account on a platform."""

    platform: Id
    id: Id
    name: Text


class Head(_Line):
    """The first line: the format version, and whose data it is."""

    format: Literal["bubbles-export"] = FORMAT
    version: Annotated[int, Field(ge=1, le=VERSION)] = VERSION
    exported_at: AwareDatetime
    chats: tuple[str, ...] = ()
    people: tuple[str, ...] = ()


class ReminderLine(_Line):
    """A reminder of a chat: active, paused, or done."""

    kind: Literal["reminder"] = "reminder"
    chat: ChatKey
    reminder: ReminderRecord


class MemoryLine(_Line):
    """A saved memory."""

    kind: Literal["memory"] = "memory"
    chat: ChatKey
    person_id: Id
    person_name: Text
    is_shared: bool
    text: Text
    created_at: AwareDatetime


class MessageLine(_Line):
    """A message of a chat; `mentions` are pairs of id and name, `attachments` kind, description and address."""

    kind: Literal["message"] = "message"
    chat: ChatKey
    thread_id: Text | None = None
    id: Id
    sender_id: Text
    sender_name: Text
    sender_username: Text = ""
    is_bot: bool = False
    text: Text
    sent_at: AwareDatetime
    edited_at: AwareDatetime | None = None
    reply_to: Text | None = None
    is_addressed: bool = False
    is_private: bool = False
    mentions: tuple[tuple[Text, Text], ...] = ()
    attachments: tuple[tuple[Text, Text, Text | None], ...] = ()


class QuietLine(_Line):
    """Quiet hours of a chat (`chat:…`) or a person (`person:…`), in minutes of the day."""

    kind: Literal["quiet_hours"] = "quiet_hours"
    key: Id
    starts: Minutes
    ends: Minutes
    zone: Id


class RetentionLine(_Line):
    """The number of days that the messages of a chat are stored; 0 = for ever."""

    kind: Literal["retention"] = "retention"
    chat: ChatKey
    keep_days: Annotated[int, Field(ge=0)]


class OptOutLine(_Line):
    """A person whose messages are not stored, in a chat or on a platform."""

    kind: Literal["opt_out"] = "opt_out"
    place: Id
    person_id: Id
    since: AwareDatetime


class ScopedLine(_Line):
    """A permanent setting or value of a function: the zone of a person or a chat, a chat's name, a tool's own."""

    kind: Literal["scoped"] = "scoped"
    scope: Annotated[str, Field(max_length=1000, pattern=r"^((zone|session|user):.+|places)$"), Storable]
    key: Text
    value: JsonValue


class StateLine(_Line):
    """The switched-off functions of a chat, and the data beside the text of its messages in the web chat."""

    kind: Literal["state"] = "state"
    key: Annotated[str, Field(max_length=1000, pattern=r"^(tools\.off|web\.extras):.+$"), Storable]
    value: JsonValue
    expires_at: AwareDatetime | None = None


class AccountsLine(_Line):
    """The accounts of one person on several platforms, as id and name by platform and id (`platform:id`)."""

    kind: Literal["accounts"] = "accounts"
    accounts: Annotated[dict[ChatKey, AccountShape], Field(min_length=2, max_length=10)]


class TurnLine(_Line):
    """The interpretation, answer and cost of a message; `completions` are the requests to models."""

    kind: Literal["turn"] = "turn"
    chat: ChatKey
    thread_id: Text | None = None
    message_id: Id
    person_id: Text
    person_name: Text
    person_is_admin: bool = False
    text: Text
    at: AwareDatetime
    zone: Text
    language: Text
    route: Text
    rounds: int
    outcome: Outcome
    is_addressed: bool = False
    is_private: bool = False
    completions: tuple[Completion, ...] = ()
    tokens: int
    cost: float
    reply: Text
    fallback: Text
    error: Text
    duration_ms: float


class CallLine(_Line):
    """One call of a function; arguments and the work of an agent are JSON as text."""

    kind: Literal["call"] = "call"
    id: Id
    chat: ChatKey
    thread_id: Text | None = None
    message_id: Id
    person_id: Text
    user_message: Text
    tool_name: Text
    arguments: Text
    result: Text | None
    error: Text | None
    status: Status
    duration_ms: float
    at: AwareDatetime
    route: Text
    round: int
    repairs: tuple[Text, ...] = ()
    said: Text
    ending: Ending
    receipts: tuple[tuple[Text, Text], ...] = ()
    model: Text
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    cost: float
    spawn_task: Text | None


class FileLine(_Line):
    """A file sent to the web chat, by a person or the bot; it follows the line that names it."""

    kind: Literal["file"] = "file"
    url: Annotated[str, Field(max_length=1000), Storable]
    content: Base64UrlBytes


Line = Annotated[
    ReminderLine
    | MemoryLine
    | MessageLine
    | QuietLine
    | RetentionLine
    | OptOutLine
    | ScopedLine
    | StateLine
    | AccountsLine
    | TurnLine
    | CallLine
    | FileLine,
    Field(discriminator="kind"),
]
LINES: Final[TypeAdapter[Line]] = TypeAdapter(Line)


class ExportScope(Struct, frozen=True, kw_only=True):
    """Chats and people, each as `platform:id`; a person stands for their data in every chat of the platform."""

    chats: tuple[str, ...] = ()
    people: tuple[str, ...] = ()

    def has_person(self, chat_key: str, person_id: str) -> bool:
        """Return whether a person who is known by this id in a chat is wanted."""
        return f"{chat_key.partition(':')[0]}:{person_id}" in self.people

    def has_scope(self, scope: str) -> bool:
        """Return whether a scope of lasting values is theirs.

        The zone of a chat, a session, what a person has everywhere.
        """
        what, _, rest = scope.partition(":")
        if what == "session":
            chat_key, _, person_id = rest.rpartition("#")
            return chat_key in self.chats or self.has_person(chat_key, person_id)
        return (what == "zone" and rest in self.chats) or (what == "user" and rest in self.people)
