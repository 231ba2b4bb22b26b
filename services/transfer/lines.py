"""The lines of an export: the first says what it is, every other is one thing that is kept. JSON, one object a line."""

from typing import Annotated, Final, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue, TypeAdapter

from services.reminders.portable.record import ReminderRecord, Storable

FORMAT: Final = "bubbles-export"
VERSION: Final = 1
_LONGEST_TEXT: Final = 1_000_000

Text = Annotated[str, Field(max_length=_LONGEST_TEXT), Storable]
ChatKey = Annotated[str, Field(max_length=500, pattern=r"^[^:]+:.+$"), Storable]
Id = Annotated[str, Field(min_length=1, max_length=_LONGEST_TEXT), Storable]
Minutes = Annotated[int, Field(ge=0, lt=24 * 60)]


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Head(_Line):
    """The first line: which form this is, and whose data."""

    format: Literal["bubbles-export"] = FORMAT
    version: Annotated[int, Field(ge=1, le=VERSION)] = VERSION
    exported_at: AwareDatetime
    chats: tuple[str, ...] = ()
    people: tuple[str, ...] = ()


class ReminderLine(_Line):
    """An active or paused reminder of a chat."""

    kind: Literal["reminder"] = "reminder"
    chat: ChatKey
    reminder: ReminderRecord


class MemoryLine(_Line):
    """What somebody asked to have remembered."""

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
    """How many days the messages of a chat are kept; 0 = for ever."""

    kind: Literal["retention"] = "retention"
    chat: ChatKey
    keep_days: Annotated[int, Field(ge=0)]


class OptOutLine(_Line):
    """A person who wants no messages kept, in a chat or on a platform."""

    kind: Literal["opt_out"] = "opt_out"
    place: Id
    person_id: Id
    since: AwareDatetime


class ScopedLine(_Line):
    """A setting or a value of a function that lasts: the zone of a person or a chat, a chat's name, a tool's own."""

    kind: Literal["scoped"] = "scoped"
    scope: Annotated[str, Field(max_length=1000, pattern=r"^((zone|session|user):.+|places)$"), Storable]
    key: Text
    value: JsonValue


class StateLine(_Line):
    """What is switched off in a chat, and what its messages have beside their text in the web room."""

    kind: Literal["state"] = "state"
    key: Annotated[str, Field(max_length=1000, pattern=r"^(tools\.off|web\.extras):.+$"), Storable]
    value: JsonValue
    expires_at: AwareDatetime | None = None


Line = Annotated[
    ReminderLine | MemoryLine | MessageLine | QuietLine | RetentionLine | OptOutLine | ScopedLine | StateLine,
    Field(discriminator="kind"),
]
LINES: Final[TypeAdapter[Line]] = TypeAdapter(Line)
