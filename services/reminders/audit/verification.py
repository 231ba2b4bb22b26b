"""Compare the ledger with the schedules: each occurrence was sent, skipped, or failed and reported."""

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from services.kernel.errors import RequestRefused
from services.recurrence.schedule import Schedule
from services.reminders.audit.expected_fires import expected_fires
from services.reminders.model import ReminderState
from services.reminders.records import LEDGER_RETENTION, DeliveryRecord, DeliveryState

_LATE = timedelta(minutes=2)
_GRACE = timedelta(minutes=1)
_FIRING = frozenset({ReminderState.ACTIVE, ReminderState.DONE})
_OPEN = frozenset({DeliveryState.LEASED, DeliveryState.SENDING, DeliveryState.UNKNOWN})


class Result(StrEnum):
    """The outcome of an occurrence. `lost` and `unexpected` must not happen."""

    DELIVERED = "delivered"
    LATE = "late"
    SKIPPED = "skipped"
    FAILED = "failed"
    PENDING = "pending"
    LOST = "lost"
    UNEXPECTED = "unexpected"
    UNREADABLE = "unreadable"


_WRONG = frozenset({Result.LOST, Result.UNEXPECTED, Result.UNREADABLE})


class AuditedReminder(Struct, frozen=True, kw_only=True):
    """A reminder to verify; before `changed_at` its schedule may have been different."""

    id: str
    schedule: Schedule
    state: ReminderState
    created_at: datetime
    changed_at: datetime


class Finding(Struct, frozen=True, kw_only=True):
    """One occurrence and its outcome."""

    reminder_id: str
    due_at: datetime
    result: Result


class Verification(Struct, frozen=True, kw_only=True):
    """The number of occurrences per outcome from `since` to `until`, and the wrong ones."""

    since: datetime
    until: datetime
    reminders: int
    counts: Counter[Result]
    wrong: tuple[Finding, ...]

    @property
    def is_proved(self) -> bool:
        """Return whether no occurrence was lost, unexpected or unreadable."""
        return not self.wrong


class AuditReader(Protocol):
    """Reads the reminders and deliveries that a verification compares."""

    def reminders(self, until: datetime) -> AsyncIterator[Sequence[AuditedReminder]]:
        """Yield every reminder created before `until`, in batches."""

    async def deliveries(self, since: datetime, until: datetime) -> tuple[DeliveryRecord, ...]:
        """Return every occurrence due in the period, oldest first."""


async def verify(reader: AuditReader, since: datetime, until: datetime, now: datetime) -> Verification:
    """Compare the schedules with the ledger, from `since` to `until` (timezone-aware).

    An earlier `since` becomes the beginning of the ledger. A reminder is verified from its last change on. An
    occurrence is pending for a minute after it is due, and while it is retried.
    """
    since = max(since, now - LEDGER_RETENTION)
    until = min(until, now)
    # A message after the period may report missed occurrences in it: "3 earlier ones were missed".
    ledger: dict[str, list[DeliveryRecord]] = {}
    for record in await reader.deliveries(since, now):
        ledger.setdefault(record.reminder_id, []).append(record)
    counts: Counter[Result] = Counter()
    wrong: list[Finding] = []
    count = 0
    async for portion in reader.reminders(until):
        count += len(portion)
        for reminder in portion:
            for finding in verify_reminder(reminder, ledger.get(reminder.id, ()), since, until, now):
                counts[finding.result] += 1
                if finding.result in _WRONG:
                    wrong.append(finding)
    return Verification(since=since, until=until, reminders=count, counts=counts, wrong=tuple(wrong))


def verify_reminder(
    reminder: AuditedReminder, records: Iterable[DeliveryRecord], since: datetime, until: datetime, now: datetime
) -> list[Finding]:
    """Return the outcome of each occurrence of one reminder in the period, oldest first."""
    records = sorted(records, key=lambda record: record.due_at)
    verified_from = max(since, reminder.created_at, reminder.changed_at)
    try:
        # Up to now, because a later notice reports missed occurrences before it.
        is_firing = reminder.state in _FIRING
        expected = expected_fires(reminder.schedule, verified_from, now) if is_firing else ()
    except RequestRefused:
        return [Finding(reminder_id=reminder.id, due_at=verified_from, result=Result.UNREADABLE)]
    results = {due: Result.PENDING if due > now - _GRACE else Result.LOST for due in expected}
    known = frozenset(expected)
    for record in records:
        result = _result_of(record)
        is_verified = is_firing and record.due_at >= verified_from
        is_unexpected = is_verified and record.due_at not in known and result is not Result.SKIPPED
        results[record.due_at] = Result.UNEXPECTED if is_unexpected else result
    _count_back(results, expected, records)
    return [
        Finding(reminder_id=reminder.id, due_at=due, result=results[due]) for due in sorted(results) if due <= until
    ]


def _result_of(record: DeliveryRecord) -> Result:
    if record.state is DeliveryState.SENT:
        is_late = record.sent_at is not None and record.sent_at - record.due_at > _LATE
        return Result.LATE if is_late else Result.DELIVERED
    if record.state is DeliveryState.FAILED:
        return Result.FAILED
    return Result.PENDING if record.state in _OPEN else Result.SKIPPED


def _count_back(
    results: dict[datetime, Result], expected: Sequence[datetime], records: Sequence[DeliveryRecord]
) -> None:
    """Mark the n occurrences before a notice that reports n missed ones as skipped."""
    place = {due: index for index, due in enumerate(expected)}
    for record in records:
        index = place.get(record.due_at, 0) - 1
        missed = 0 if record.state is DeliveryState.CANCELLED else record.missed
        while missed and index >= 0:
            if results[expected[index]] in {Result.LOST, Result.PENDING, Result.SKIPPED}:
                results[expected[index]] = Result.SKIPPED
                missed -= 1
            index -= 1
