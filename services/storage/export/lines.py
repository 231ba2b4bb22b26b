"""Declare the lines of an export, JSON objects: a head, then one line per stored item.

Most lines are one row of a table: their fields, and the conversion of rows to lines and back, follow from the class of
the table.
"""

import json
from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import Annotated, Any, Final, Literal

import sqlalchemy as sa
from msgspec import Struct, ValidationError, convert, to_builtins
from pydantic import (
    AfterValidator,
    AwareDatetime,
    Base64UrlBytes,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    PlainSerializer,
    PlainValidator,
    TypeAdapter,
    create_model,
)

from services.call_log.model import CompletionRecord, Ending, Outcome, Status
from services.people.privacy import MAX_RETENTION_DAYS
from services.people.zones import is_zone
from services.reminders.exchange.record import ReminderRecord, Storable
from services.storage.engine.rows import from_micros, to_micros
from services.storage.tables import table_of
from services.storage.tables.base import StoredTable
from services.storage.tables.messages import CallRow, MessageRow, TurnRow
from services.storage.tables.people import MemoryRow, OptOutRow, RetentionRow, ScopeRow, StateRow
from services.storage.tables.reminders import QuietRow

Columns = dict[str, object]

FORMAT: Final = "bubbles-export"
VERSION: Final = 1
_MAX_TEXT_LENGTH: Final = 1_100_000  # a million characters of a result are recorded, and a note of how many there were

Text = Annotated[str, Field(max_length=_MAX_TEXT_LENGTH), Storable]
ChatKey = Annotated[str, Field(max_length=500, pattern=r"^[^:]+:.+$"), Storable]
Id = Annotated[str, Field(min_length=1, max_length=_MAX_TEXT_LENGTH), Storable]
_MAX_SHOWN_LENGTH: Final = 80
_Minutes = Annotated[int, Field(ge=0, lt=24 * 60)]


def _completion(value: object) -> CompletionRecord:
    try:
        return convert(value, CompletionRecord)
    except ValidationError as error:
        raise ValueError(str(error)) from error  # Pydantic reports it as an error of the line


def _zone(name: str) -> str:
    if not is_zone(name):
        raise ValueError(f"there is no time zone {name[:_MAX_SHOWN_LENGTH]!r}")
    return name


Completion = Annotated[CompletionRecord, PlainValidator(_completion), PlainSerializer(to_builtins)]


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LinkedAccount(_Line):
    """An account on a platform."""

    platform: Id
    id: Id
    name: Text


class Head(_Line):
    """The first line: the format version, and the exported chats and people."""

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


class AccountsLine(_Line):
    """The accounts of one person on several platforms, as id and name by platform and id (`platform:id`)."""

    kind: Literal["accounts"] = "accounts"
    accounts: Annotated[dict[ChatKey, LinkedAccount], Field(min_length=2, max_length=10)]


class FileLine(_Line):
    """A file sent to the web chat, by a person or the bot; it follows the line that names it."""

    kind: Literal["file"] = "file"
    url: Annotated[str, Field(max_length=1000), Storable]
    content: Base64UrlBytes


class RowLine(_Line):
    """A line that is one row of a table."""

    kind: str


class RowKind(Struct, frozen=True, kw_only=True):
    """A kind of lines that are rows of `table`. `fields` are their field names by column."""

    table: sa.Table
    model: type[RowLine]
    fields: Mapping[str, str]

    def line_of(self, row: sa.RowMapping) -> RowLine:
        """Convert a row to a line, without NUL characters, which other databases do not store."""
        return self.model(**{field: _export_value(column, row[column]) for column, field in self.fields.items()})

    def columns_of(self, line: RowLine) -> Columns:
        """Convert a line to columns; columns that are not exported are empty."""
        values = line.model_dump()
        names = [column.name for column in self.table.c if column is not self.table.autoincrement_column]
        columns = dict.fromkeys(names) | {
            column: _store_value(column, values[field]) for column, field in self.fields.items()
        }
        # An empty list is stored as the default of its column.
        return columns | {name: "" for name in ("mentions", "attachments") if columns.get(name) == "[]"}


_INSTANTS: Final = frozenset({"at", "timestamp", "since", "created_at", "sent_at", "edited_at", "expires_at"})
_TYPES: Final[Mapping[str, Any]] = {
    "chat_key": ChatKey,
    "session_id": ChatKey,
    "message_id": Id,
    "starts": _Minutes,
    "ends": _Minutes,
    "keep_days": Annotated[int, Field(ge=0, le=MAX_RETENTION_DAYS)],
    "outcome": Outcome,
    "status": Status,
    "ending": Ending,
}
_JSON_TYPES: Final[Mapping[str, Any]] = {
    "value": JsonValue,
    "completions": tuple[Completion, ...],
    "repairs": tuple[Text, ...],
    "receipts": tuple[tuple[Text, Text], ...],
    "mentions": tuple[tuple[Text, Text], ...],  # id and name
    "attachments": tuple[tuple[Text, Text, Text | None], ...],  # kind, description and address
}
_NAMES: Final = {"chat_key": "chat", "session_id": "chat", "timestamp": "at"}


def _export_value(column: str, value: Any) -> Any:
    if column in _JSON_TYPES:
        return json.loads(value or "[]")
    if column in _INSTANTS and value is not None:
        return from_micros(value)
    return value.replace("\x00", "") if isinstance(value, str) else value


def _store_value(column: str, value: Any) -> object:
    if column in _JSON_TYPES:
        return json.dumps(value, ensure_ascii=False)
    return to_micros(value) if column in _INSTANTS and value is not None else value


def _kind(
    kind: str, row: type[StoredTable], *, without: str = "", names: Mapping[str, str] | None = None, **types: Any
) -> RowKind:
    """Declare the lines of a table by the class of its rows.

    The number of a row and the column `without` are not exported. `names` of fields and `types` of columns add to those
    of all tables.
    """
    table = table_of(row)
    exported = [each.name for each in table.c if each.name != without and each is not table.autoincrement_column]
    fields = {name: (_NAMES | dict(names or {})).get(name, name) for name in exported}
    declared: dict[str, Any] = {"kind": (Literal[kind], kind)}
    declared |= {fields[name]: _field_of(row, name, types) for name in exported}
    model = create_model(f"{row.__name__}Line", __base__=RowLine, **declared)
    return RowKind(table=table, model=model, fields=fields)


def _field_of(row: type[StoredTable], column: str, types: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the type and the default of a field."""
    declared = row.model_fields[column]
    is_optional = declared.annotation == (declared.annotation | None)  # type: ignore[operator]
    if column in _JSON_TYPES:
        return _JSON_TYPES[column], ... if declared.is_required() else ()
    default = ... if declared.is_required() else declared.default
    kind = types.get(column) or _TYPES.get(column)
    if kind is None and column in _INSTANTS:
        kind = AwareDatetime
    elif kind is None and declared.annotation in (str, str | None):
        kind = Text
    elif kind is None:
        return Annotated[declared.annotation, Field(), *declared.metadata], default
    return (kind | None if is_optional else kind), default


ROW_KINDS: Final[Mapping[str, RowKind]] = {
    "memory": _kind("memory", MemoryRow, person_id=Id),
    "message": _kind(
        "message", MessageRow, without="deleted_at", names={"message_id": "id", "sender_is_bot": "is_bot"}
    ),
    "quiet_hours": _kind("quiet_hours", QuietRow, key=Id, zone=Annotated[str, AfterValidator(_zone)]),
    "retention": _kind("retention", RetentionRow),
    "opt_out": _kind("opt_out", OptOutRow, place=Id, person_id=Id),
    "scoped": _kind(
        "scoped",
        ScopeRow,
        scope=Annotated[str, Field(max_length=1000, pattern=r"^((zone|session|user):.+|places)$"), Storable],
    ),
    "state": _kind(
        "state",
        StateRow,
        key=Annotated[str, Field(max_length=1000, pattern=r"^(tools\.off|web\.extras):.+$"), Storable],
    ),
    "turn": _kind("turn", TurnRow),
    "call": _kind("call", CallRow, id=Id),
}


Line = ReminderLine | AccountsLine | FileLine | RowLine
_MODELS = (AccountsLine, FileLine, *(kind.model for kind in ROW_KINDS.values()))
_ANY_LINE: Any = reduce(or_, _MODELS, ReminderLine)
LINES: Final[TypeAdapter[Line]] = TypeAdapter(Annotated[_ANY_LINE, Field(discriminator="kind")])


class ExportScope(Struct, frozen=True, kw_only=True):
    """Chats and people, each as `platform:id`; a person stands for their data in every chat of the platform."""

    chats: tuple[str, ...] = ()
    people: tuple[str, ...] = ()

    def has_person(self, chat_key: str, person_id: str) -> bool:
        """Return whether the person with this id in a chat is in the scope."""
        return f"{chat_key.partition(':')[0]}:{person_id}" in self.people

    def has_scope(self, scope: str) -> bool:
        """Return whether a scope of permanent values (zone, session or user) belongs to one of the chats and people."""
        what, _, rest = scope.partition(":")
        if what == "session":
            chat_key, _, person_id = rest.rpartition("#")
            return chat_key in self.chats or self.has_person(chat_key, person_id)
        return (what == "zone" and rest in self.chats) or (what == "user" and rest in self.people)
