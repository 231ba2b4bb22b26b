"""Compare the ledger with the schedules: each occurrence was sent, skipped, or failed and reported."""

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from services.kernel.errors import RequestRefused
from services.recurrence.schedule import Schedule
from services.reminders.audit.expected import expected_fires
from services.reminders.model import ReminderState
from services.reminders.records import LEDGER_RETENTION, DeliveryRecord, DeliveryState

_LATE = timedelta(minutes=2)
_GRACE = timedelta(minutes=1)
_FIRING = frozenset({ReminderState.ACTIVE, ReminderState.DONE})
_OPEN = frozenset({DeliveryState.LEASED, DeliveryState.SENDING, DeliveryState.UNKNOWN})


class Fate(StrEnum):
    """The outcome of an occurrence. `lost` and `unexpected` must not happen."""

    DELIVERED = "delivered"
    LATE = "late"
    SKIPPED = "skipped"
    FAILED = "failed"
    PENDING = "pending"
    LOST = "lost"
    UNEXPECTED = "unexpected"
    UNREADABLE = "unreadable"


_WRONG = frozenset({Fate.LOST, Fate.UNEXPECTED, Fate.UNREADABLE})


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
    fate: Fate


class Verification(Struct, frozen=True, kw_only=True):
    """The number of occurrences per outcome from `since` to `until`, and the wrong ones."""

    since: datetime
    until: datetime
    reminders: int
    fates: Counter[Fate]
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
    fates: Counter[Fate] = Counter()
    wrong: list[Finding] = []
    count = 0
    async for portion in reader.reminders(until):
        count += len(portion)
        for reminder in portion:
            for finding in judge(reminder, ledger.get(reminder.id, ()), since, until, now):
                fates[finding.fate] += 1
                if finding.fate in _WRONG:
                    wrong.append(finding)
    return Verification(since=since, until=until, reminders=count, fates=fates, wrong=tuple(wrong))


def judge(
    reminder: AuditedReminder, records: Iterable[DeliveryRecord], since: datetime, until: datetime, now: datetime
) -> list[Finding]:
    """Return the outcome of each occurrence of one reminder in the period, oldest first."""
    records = sorted(records, key=lambda record: record.due_at)
    judged_from = max(since, reminder.created_at, reminder.changed_at)
    try:
        # Up to now, because a later notice reports missed occurrences before it.
        is_firing = reminder.state in _FIRING
        expected = expected_fires(reminder.schedule, judged_from, now) if is_firing else ()
    except RequestRefused:
        return [Finding(reminder_id=reminder.id, due_at=judged_from, fate=Fate.UNREADABLE)]
    fates = {due: Fate.PENDING if due > now - _GRACE else Fate.LOST for due in expected}
    fates.update(_judge_records(records, is_complete=is_firing, expected=frozenset(expected), judged_from=judged_from))
    _count_back(fates, expected, records)
    return [
        Finding(reminder_id=reminder.id, due_at=due, fate=fate) for due, fate in sorted(fates.items()) if due <= until
    ]


def _judge_records(
    records: Sequence[DeliveryRecord], *, is_complete: bool, expected: frozenset[datetime], judged_from: datetime
) -> dict[datetime, Fate]:
    fates = {}
    for record in records:
        fate = _fate(record)
        is_judged = is_complete and record.due_at >= judged_from
        is_unexpected = is_judged and record.due_at not in expected and fate is not Fate.SKIPPED
        fates[record.due_at] = Fate.UNEXPECTED if is_unexpected else fate
    return fates


def _fate(record: DeliveryRecord) -> Fate:
    if record.state is DeliveryState.SENT:
        is_late = record.sent_at is not None and record.sent_at - record.due_at > _LATE
        return Fate.LATE if is_late else Fate.DELIVERED
    if record.state is DeliveryState.FAILED:
        return Fate.FAILED
    return Fate.PENDING if record.state in _OPEN else Fate.SKIPPED


def _count_back(fates: dict[datetime, Fate], expected: Sequence[datetime], records: Sequence[DeliveryRecord]) -> None:
    """Mark the n occurrences before a notice that reports n missed ones as skipped."""
    place = {due: index for index, due in enumerate(expected)}
    for record in records:
        index = place.get(record.due_at, 0) - 1
        missed = 0 if record.state is DeliveryState.CANCELLED else record.missed
        while missed and index >= 0:
            if fates[expected[index]] in {Fate.LOST, Fate.PENDING, Fate.SKIPPED}:
                fates[expected[index]] = Fate.SKIPPED
                missed -= 1
            index -= 1
