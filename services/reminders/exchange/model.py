"""Declare reminders in files, their UIDs, and import problems."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from msgspec import Struct
from pydantic import ValidationError

from services.kernel.chat import ChatAddress
from services.kernel.errors import AssistantError, RequestRefused
from services.kernel.text import shorten
from services.reminders.model import NewReminder, ReminderFields, ReminderState, fields_of, public_id, row_key
from services.reminders.ports import ReminderReader
from services.reminders.records import StoredReminder

_OWN = re.compile(r"([a-z0-9]+)-([0-9a-f]+)@bubbles")
_IMPORTED = re.compile(r"import:\d+:(.*)", re.DOTALL)


def uid_of(row: StoredReminder) -> str:
    """Return the UID of a reminder: that of its imported file, else its public id and microsecond of creation."""
    imported = _IMPORTED.fullmatch(row.request_key)
    chat_key = f"{row.address.key}:"
    if imported and imported[1].startswith(chat_key):
        return imported[1].removeprefix(chat_key)
    return f"{public_id(row.key)}-{_micros(row):x}@bubbles"


def request_key(chat: ChatAddress, uid: str, copy: int) -> str:
    """Return the key of `uid` in `chat`; `copy` counts imports after the earlier reminder had ended."""
    return f"import:{copy}:{chat.key}:{uid}"


def key_in_uid(uid: str) -> int | None:
    """Return the row key in a UID of `uid_of`; None for other UIDs."""
    own = _OWN.fullmatch(uid)
    return row_key(own[1]) if own else None


def _micros(row: StoredReminder) -> int:
    made = row.created_at
    return int(made.replace(microsecond=0).timestamp()) * 1_000_000 + made.microsecond


_SENTENCES = {
    "zone_unknown": "there is no time zone {zone!r}",
    "rule_not_understood": "the rule {rule!r} is not supported: {because}",
    "rule_too_often": "the rule fires more often than every minute",
    "rule_never_fires": "the rule never fires",
    "content_missing": "there is no text",
    "content_too_long": "the text is longer than {limit} characters",
    "time_in_past": "the time has passed",
}
_MAX_FAULTS = 3
_MAX_VALUE_LENGTH = 200
_MAX_ERROR_LENGTH = 300
_DEEPEST = 4


def reason_of(error: Exception) -> str:
    """Describe an error in at most a few hundred characters, without the reminder's text."""
    if isinstance(error, RequestRefused):
        sentence = _SENTENCES.get(error.code, error.code)
        return sentence.format(**{name: _short(value) for name, value in error.fields.items()})
    if not isinstance(error, ValidationError):
        text = str(error)[:_MAX_ERROR_LENGTH]
        return text if isinstance(error, ValueError) else f"cannot be read: {text}"
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    reasons = "; ".join(_fault(fault["loc"], fault["msg"]) for fault in faults[:_MAX_FAULTS])
    return reasons if len(faults) <= _MAX_FAULTS else f"{reasons}; and {len(faults) - _MAX_FAULTS} more"


def _fault(where: tuple[int | str, ...], message: str) -> str:
    path = ".".join(str(part) for part in where[:_DEEPEST])
    return f"{path}: {message}" if path else message


def _short(value: object) -> object:
    return shorten(str(value), _MAX_VALUE_LENGTH)


MAX_BYTES = 5_000_000
MAX_REMINDERS = 10_000
MAX_PROBLEMS = 100


class PortableReminder(ReminderFields, frozen=True, kw_only=True):
    """A reminder without its chat; `uid` is the same in every chat and file.

    `created_at` is timezone-aware. `thread_id` is used only for an import into the chat of the export.
    """

    uid: str
    state: ReminderState
    created_at: datetime
    thread_id: str | None = None


class Problem(Struct, frozen=True, kw_only=True):
    """A problem in a file: its place (`line 12`, `reminder 3`), the reminder, and the reason."""

    place: str
    uid: str
    reason: str

    def __str__(self) -> str:
        return f"{self.place}{f' ({self.uid})' if self.uid else ''}: {self.reason}"


class ImportRefused(AssistantError):
    """A file was not imported; `problems` has one entry for each invalid reminder."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(str(problem) for problem in problems[:3]))
        self.problems = tuple(problems[:MAX_PROBLEMS])


class PortableFile(Struct, frozen=True, kw_only=True):
    """The contents of a file. `chat` is the key of the exported chat, empty if unknown.

    `over` are the UIDs of components that the file declares as finished or cancelled.
    """

    reminders: tuple[PortableReminder, ...]
    chat: str = ""
    over: tuple[str, ...] = ()


def to_portable(row: StoredReminder) -> PortableReminder:
    """Return the portable form of a row."""
    return PortableReminder(
        uid=uid_of(row),
        state=row.state,
        created_at=row.created_at,
        thread_id=row.address.thread_id,
        **fields_of(row),
    )


def read_chat(key: str) -> ChatAddress:
    """Parse a chat key, `platform:id`.

    Raises:
        ValueError: `key` has another form.
    """
    chat = ChatAddress.of_key(key)
    if not chat.platform or not chat.chat_id:
        raise ValueError(f"{key!r} is not platform:id, such as console:home")
    return chat


class ImportedReminder(Struct, frozen=True, kw_only=True):
    """A reminder from a file. `next_fire_at` is in UTC, None when it is paused or done."""

    reminder: NewReminder
    state: ReminderState
    next_fire_at: datetime | None
    created_at: datetime


class TransferStore(ReminderReader, Protocol):
    """Reads reminders and stores those of a file."""

    async def add_imported(self, imported: Sequence[ImportedReminder], now: datetime) -> int:
        """Store all in one transaction; return the number of new ones by request key."""
