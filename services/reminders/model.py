"""Declare reminders: schedule, owner, recipients and limits."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from msgspec import Struct

from services.kernel.chat import ChatAddress, Person
from services.kernel.errors import RequestRefused
from services.kernel.text import replace_unstorable
from services.recurrence.schedule import Schedule

EVERYONE = "@all"
"""The id of a person who stands for everyone in the chat."""


class CatchUp(StrEnum):
    """The missed occurrences that are sent after the bot was down.

    `latest`: one message with the number of earlier ones; `all`: every one, at most ten; `none`: nothing, the ledger
    records them as skipped. A one-time reminder is always sent.
    """

    LATEST = "latest"
    ALL = "all"
    NONE = "none"


class ReminderAction(StrEnum):
    """The effect of a due reminder: `say` sends its content, `summary` posts a summary of the chat."""

    SAY = "say"
    SUMMARY = "summary"


class ReminderState(StrEnum):
    """`active` fires, `paused` waits, `done` has fired for the last time, `cancelled` was deleted."""

    ACTIVE = "active"
    PAUSED = "paused"
    DONE = "done"
    CANCELLED = "cancelled"


class ReminderFields(Struct, frozen=True, kw_only=True):
    """The fields that every form of a reminder has: a new one, a stored one, one in a file.

    `targets` are the people to mention; empty means the creator, `EVERYONE` as id means everyone. An urgent reminder
    is sent in quiet hours too.
    """

    creator: Person
    content: str
    schedule: Schedule
    language: str
    targets: tuple[Person, ...] = ()
    is_private: bool = False
    is_urgent: bool = False
    catch_up: CatchUp = CatchUp.LATEST
    action: ReminderAction = ReminderAction.SAY

    @property
    def recipients(self) -> tuple[Person, ...]:
        """Return the people to remind: the targets, or else the creator."""
        return self.targets or (self.creator,)


def fields_of(reminder: ReminderFields) -> dict[str, Any]:
    """Return the arguments that make another form of `reminder`."""
    return {name: getattr(reminder, name) for name in ReminderFields.__struct_fields__}


class NewReminder(ReminderFields, frozen=True, kw_only=True):
    """A reminder to be created.

    `request_key` identifies the command (platform message id and position of the call in it); the same key creates one
    reminder. `asked_at` (timezone-aware) is the time of the request: a reminder due between then and now is sent at
    once.
    """

    request_key: str
    address: ChatAddress
    asked_at: datetime | None = None


class Reminder(ReminderFields, frozen=True, kw_only=True):
    """A committed reminder. `id` is the short public id; `next_fires` are its next instants, at most 3."""

    id: str
    address: ChatAddress
    state: ReminderState
    next_fires: tuple[datetime, ...]
    created_at: datetime


class DueNotice(Struct, frozen=True, kw_only=True):
    """An occurrence to send to a chat, with everything that its text needs.

    `due_at` is timezone-aware, in the reminder's zone. `missed` counts earlier occurrences of a
    recurring reminder that fell due while the bot was down. `idempotency_key` is the same on every attempt.
    `may_be_repeat`: an earlier attempt may have arrived, because the bot crashed or got no answer while sending.
    `was_held`: quiet hours delayed it. `repeats_every` is the interval of follow-ups until it is done. `covers_since`
    is the occurrence before this one, the beginning of a summary.
    """

    delivery_id: int
    idempotency_key: str
    reminder_id: str
    address: ChatAddress
    creator: Person
    targets: tuple[Person, ...]
    content: str
    language: str
    due_at: datetime
    missed: int
    is_recurring: bool
    attempt: int
    may_be_repeat: bool = False
    was_held: bool = False
    repeats_every: timedelta | None = None
    action: ReminderAction = ReminderAction.SAY
    covers_since: datetime | None = None

    @property
    def recipients(self) -> tuple[Person, ...]:
        """Return the people to remind: the targets, or else the creator."""
        return self.targets or (self.creator,)


class ReminderLimits(Struct, frozen=True, kw_only=True):
    """Limits on the reminders of people and chats.

    `per_person` counts the active reminders of one person in one chat, `per_chat` all of a chat; `content_length`
    is in characters.
    """

    per_person: int = 200
    per_chat: int = 1000
    content_length: int = 2000

    def check_content(self, content: str) -> str:
        """Return the content without white space around it and without characters that cannot be stored.

        Raises:
            RequestRefused: `content_missing`, `content_too_long(limit)`.
        """
        content = replace_unstorable(content).strip()
        if not content:
            raise RequestRefused("content_missing")
        if len(content) > self.content_length:
            raise RequestRefused("content_too_long", limit=self.content_length)
        return content


class ReminderEdit(Struct, frozen=True, kw_only=True):
    """Changes to a reminder; None leaves a field as it is."""

    content: str | None = None
    schedule: Schedule | None = None
    targets: tuple[Person, ...] | None = None
    is_urgent: bool | None = None
    catch_up: CatchUp | None = None


_LETTERS = "abcdefghjkmnpqrstuvwxyz"
_SYMBOLS = _LETTERS + "23456789"
_TAIL = 5
_SPACE: int = len(_LETTERS) * len(_SYMBOLS) ** _TAIL
_FACTOR = 358_413_187  # shares no factor with _SPACE, so multiplying scatters ids without a clash
_INVERSE: int = pow(_FACTOR, -1, _SPACE)


def public_id(key: int) -> str:
    """Return the id of row `key` (1 and up): six symbols, more after some 658 million rows."""
    rounds, place = divmod(key, _SPACE)
    number = place * _FACTOR % _SPACE
    tail = ""
    for _ in range(_TAIL):
        number, symbol = divmod(number, len(_SYMBOLS))
        tail = _SYMBOLS[symbol] + tail
    return _LETTERS[number] + tail + (_SYMBOLS[0] * rounds if rounds else "")


def row_key(identifier: str) -> int | None:
    """Return the row key of a complete public id; None if `identifier` is not one."""
    text = identifier.strip().lower()
    head, extra = text[: _TAIL + 1], text[_TAIL + 1 :]
    if len(head) <= _TAIL or head[0] not in _LETTERS or any(symbol not in _SYMBOLS for symbol in head[1:]):
        return None
    if extra.strip(_SYMBOLS[0]):
        return None
    number = _LETTERS.index(head[0])
    for symbol in head[1:]:
        number = number * len(_SYMBOLS) + _SYMBOLS.index(symbol)
    return number * _INVERSE % _SPACE + len(extra) * _SPACE
