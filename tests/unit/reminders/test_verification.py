"""Verification of the ledger, and detected losses."""

from datetime import UTC, datetime, timedelta

import pytest

from services.recurrence.rules import stored_rule
from services.recurrence.schedule import Schedule, read_schedule
from services.reminders.audit.verification import AuditedReminder, Result, verify
from services.reminders.model import ReminderState
from services.reminders.records import DeliveryRecord, DeliveryState

START = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
SENT, PARKED, CANCELLED = DeliveryState.SENT, DeliveryState.FAILED, DeliveryState.CANCELLED


def day(number: int) -> datetime:
    """Return 09:00 on the day `number` days after the start."""
    return START + timedelta(days=number)


def reminder(rule: str = "FREQ=DAILY", *, changed: datetime = START - timedelta(hours=1), **more) -> AuditedReminder:
    values = {
        "id": "abc234",
        "schedule": read_schedule(START.replace(tzinfo=None), "UTC", rule),
        "state": ReminderState.ACTIVE,
        "created_at": START - timedelta(days=90),
        "changed_at": changed,
    }
    return AuditedReminder(**{**values, **more})


def record(due: datetime, state: DeliveryState = SENT, *, missed: int = 0, late: float = 1) -> DeliveryRecord:
    return DeliveryRecord(
        reminder_id="abc234",
        due_at=due,
        state=state,
        attempt=1,
        missed=missed,
        sent_at=due + timedelta(seconds=late) if state is SENT else None,
        error="",
    )


class Books:
    """An `AuditReader` over lists."""

    def __init__(self, reminders, records) -> None:
        self._reminders = reminders
        self._records = records

    async def reminders(self, until):
        yield [each for each in self._reminders if each.created_at <= until]

    async def deliveries(self, since, until):
        return tuple(each for each in self._records if since <= each.due_at <= until)


@pytest.fixture
def prove():
    async def run(one: AuditedReminder, *records: DeliveryRecord, until: datetime = NOW, since=START, now=NOW):
        found = await verify(Books([one], records), since, until, now)
        return found, {result.value: count for result, count in found.counts.items()}

    return run


async def test_complete_period_is_verified(prove):
    found, counts = await prove(reminder(), *(record(day(each)) for each in range(5)))

    assert (found.is_proved, counts) == (True, {"delivered": 5})


async def test_occurrence_without_a_record_is_lost(prove):
    found, counts = await prove(reminder(), *(record(day(each)) for each in (0, 1, 3, 4)))

    assert counts == {"delivered": 4, "lost": 1}
    assert [(each.reminder_id, each.due_at, each.result) for each in found.wrong] == [("abc234", day(2), Result.LOST)]


async def test_later_notice_accounts_for_its_counted_occurrences(prove):
    found, counts = await prove(reminder(), record(day(0)), record(day(4), missed=3, late=3600))

    assert (found.is_proved, counts) == (True, {"delivered": 1, "skipped": 3, "late": 1})


async def test_occurrences_not_counted_by_a_notice_are_lost(prove):
    found, _ = await prove(reminder(), record(day(4), missed=2))

    assert [each.due_at for each in found.wrong] == [day(0), day(1)]


async def test_notice_after_the_period_accounts_for_its_occurrences(prove):
    found, counts = await prove(reminder(), record(day(4), missed=4), until=day(3))

    assert (found.is_proved, counts) == (True, {"skipped": 4})


async def test_reported_failure_is_failed_and_not_lost(prove):
    found, counts = await prove(reminder(), *(record(day(each), PARKED) for each in range(5)))

    assert (found.is_proved, counts) == (True, {"failed": 5})


async def test_occurrence_being_tried_is_pending(prove):
    records = [*(record(day(each)) for each in range(4)), record(day(4), DeliveryState.UNKNOWN)]

    assert (await prove(reminder(), *records))[1] == {"delivered": 4, "pending": 1}


async def test_occurrence_due_this_minute_is_pending(prove):
    records = [record(day(each)) for each in range(4)]

    assert (await prove(reminder(), *records, now=day(4) + timedelta(seconds=30)))[1] == {"delivered": 4, "pending": 1}


async def test_delivery_without_a_due_time_is_wrong(prove):
    surprise = day(2) + timedelta(hours=1)
    found, _ = await prove(reminder(), *(record(day(each)) for each in range(5)), record(surprise))

    assert [(each.due_at, each.result) for each in found.wrong] == [(surprise, Result.UNEXPECTED)]


async def test_reminder_is_not_verified_before_its_last_change(prove):
    earlier = record(day(1) + timedelta(minutes=7))
    found, counts = await prove(reminder(changed=day(2) + timedelta(hours=1)), earlier, record(day(3)), record(day(4)))

    assert (found.is_proved, counts) == (True, {"delivered": 3})


@pytest.mark.parametrize("state", [ReminderState.PAUSED, ReminderState.CANCELLED])
async def test_silent_reminder_needs_no_delivery(prove, state):
    found, counts = await prove(reminder(state=state, changed=day(1)), record(day(0)), record(day(1), CANCELLED))

    assert (found.is_proved, counts) == (True, {"delivered": 1, "skipped": 1})


async def test_a_finished_reminder_owes_its_last_fire(prove):
    found, counts = await prove(reminder("", state=ReminderState.DONE))

    assert (found.is_proved, counts) == (False, {"lost": 1})


@pytest.mark.parametrize(("zone", "rule"), [("UTC", "FREQ=SOMETIMES"), ("Mars/Base", "FREQ=DAILY")])
async def test_unreadable_rule_or_zone_is_reported(prove, zone, rule):
    schedule = Schedule(start=START.replace(tzinfo=None), zone=zone, rule=stored_rule(rule))
    found, _ = await prove(reminder(schedule=schedule))

    assert [each.result for each in found.wrong] == [Result.UNREADABLE]


async def test_period_is_cut_to_the_stored_ledger(prove):
    found, _ = await prove(reminder(), *(record(day(each)) for each in range(5)), since=START - timedelta(days=300))

    assert found.since == NOW - timedelta(days=30)


async def test_a_period_in_the_future_ends_now(prove):
    found, counts = await prove(reminder(), *(record(day(each)) for each in range(5)), until=NOW + timedelta(days=9))

    assert (found.until, counts) == (NOW, {"delivered": 5})
