"""Declare the values that the store and the delivery worker exchange."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from services.kernel.chat import ChatAddress, Person
from services.recurrence.schedule import Schedule
from services.reminders.model import CatchUp, DueNotice, NewReminder, ReminderFields, ReminderState

LEDGER_RETENTION = timedelta(days=30)
"""The time for which the ledger has occurrences that are final."""


class DeliveryState(StrEnum):
    """The state of an occurrence.

    `leased`: not begun; `sending`: passed to the platform; `unknown`: passed on without an answer, to be sent again.
    The final states are `sent`, `failed` (reported to the owner), `cancelled` and `skipped` (missed by a reminder that
    does not catch up).
    """

    LEASED = "leased"
    SENDING = "sending"
    UNKNOWN = "unknown"
    SENT = "sent"
    FAILED = "parked"  # the value in existing databases
    CANCELLED = "cancelled"
    SKIPPED = "skipped"


class PendingPolicy(StrEnum):
    """The effect of a change on claimed occurrences: cancel them, or send the new text.

    An occurrence that is being sent keeps its text; the policy applies to its next attempt.
    """

    CANCEL = "cancel"
    REWRITE = "rewrite"


class StoredReminder(ReminderFields, frozen=True, kw_only=True):
    """A row of the reminder table. `next_fire_at` is UTC; None when finished, paused, or being delivered."""

    key: int
    version: int
    request_key: str
    address: ChatAddress
    state: ReminderState
    next_fire_at: datetime | None
    created_at: datetime


class ValidatedReminder(Struct, frozen=True, kw_only=True):
    """A validated reminder with its first fire in UTC."""

    reminder: NewReminder
    first_fire: datetime


class Change(Struct, frozen=True, kw_only=True):
    """New values of a reminder, applied only if its version is still `version`; None keeps a field."""

    key: int
    version: int
    content: str
    targets: tuple[Person, ...]
    schedule: Schedule
    state: ReminderState
    next_fire_at: datetime | None
    leases: PendingPolicy
    is_urgent: bool | None = None
    catch_up: CatchUp | None = None


class Lease(Struct, frozen=True, kw_only=True):
    """An occurrence claimed by this process; `version` is that of the reminder at the claim.

    `message_key` is the key of the last message in which it was sent with other occurrences, else empty.
    """

    notice: DueNotice
    reminder_key: int
    version: int
    try_at: datetime
    message_key: str = ""


class Claim(Struct, frozen=True, kw_only=True):
    """The result of a claim: the leased occurrences and the time of the next one; `is_full` if there are more."""

    leases: tuple[Lease, ...]
    next_at: datetime | None
    is_full: bool


class DeliveryOutcome(NamedTuple):
    """The outcome of one attempt. `at` is the time of sending, or of the retry."""

    delivery_id: int
    reminder_key: int
    state: DeliveryState
    attempt: int
    at: datetime
    platform_message_id: str | None = None
    error: str = ""


class DeliveryRecord(Struct, frozen=True, kw_only=True):
    """An occurrence in the ledger, with its due time and outcome."""

    reminder_id: str
    due_at: datetime
    state: DeliveryState
    attempt: int
    missed: int
    sent_at: datetime | None
    error: str
