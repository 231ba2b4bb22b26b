"""Skipped days and occurrences of a recurring reminder, and pauses."""

from datetime import datetime, timedelta

import pytest

from bot.testing.clocks import FixedClock
from function_calls.functions.reminders.occurrences import skip_fires
from function_calls.functions.reminders.suspensions import resume, suspend_reminders
from services.kernel.errors import RequestRefused
from services.kernel.state import MemoryStateStore
from services.recurrence.edits import Suspension
from services.recurrence.fires import next_fires
from services.recurrence.rules import stored_rule
from services.recurrence.schedule import Schedule, read_schedule
from services.reminders.model import NewReminder, ReminderLimits
from services.reminders.records import ValidatedReminder
from services.reminders.service import ReminderService
from services.time_expressions import TimeReader
from tests.support.stores.reminders import MemoryReminderStore
from tests.unit.function_calls.conftest import NOON

START = datetime(2026, 11, 19, 9)
TOMORROW = NOON + timedelta(days=1)
DAILY = read_schedule(START, "UTC", "FREQ=DAILY")
DAILY_TWICE = "FREQ=DAILY;BYHOUR=9,21;BYMINUTE=0"


def schedule(rule, zone="UTC"):
    return read_schedule(datetime(2026, 1, 5, 9, 0), zone, rule)


def next_times(of, context, limit=3):
    return [f"{fire:%d %H:%M}" for fire in next_fires(of, context.now, limit)]


def test_all_times_of_a_day_are_skipped(context_of):
    context = context_of()
    tomorrow = next_fires(schedule(DAILY_TWICE), context.now, 4)[-1].date()

    left = skip_fires(f"{tomorrow:%Y-%m-%d}", schedule(DAILY_TWICE), context)

    assert tomorrow not in {fire.date() for fire in next_fires(left, context.now, 8)}


@pytest.mark.parametrize("words", ["{day} 21:00", "{day} in the evening", "{day} at 9pm"])
def test_only_the_named_time_of_a_day_is_skipped(context_of, words):
    context = context_of()
    first, second = [fire for fire in next_fires(schedule(DAILY_TWICE), context.now, 6) if fire.day % 2][:2]

    left = skip_fires(words.format(day=f"{first:%Y-%m-%d}"), schedule(DAILY_TWICE), context)

    assert first in next_fires(left, context.now, 6)
    assert second not in next_fires(left, context.now, 6)


def test_only_the_next_time_is_skipped(context_of):
    context = context_of()

    left = skip_fires("next", schedule(DAILY_TWICE), context)

    assert next_times(left, context, 2) == next_times(schedule(DAILY_TWICE), context, 3)[1:]


def test_earlier_skips_are_kept(context_of):
    context = context_of()
    once = skip_fires("next", schedule(DAILY_TWICE), context)

    twice = skip_fires("next", once, context)

    assert next_times(twice, context, 1) == next_times(schedule(DAILY_TWICE), context, 3)[2:]


def test_the_day_is_one_of_the_reminders_own_zone(context_of):
    context = context_of()
    there = schedule("FREQ=DAILY;BYHOUR=1;BYMINUTE=0", zone="Pacific/Auckland")
    day = next_fires(there, context.now, 2)[1]

    left = skip_fires(f"{day:%Y-%m-%d}", there, context)

    assert day not in next_fires(left, context.now, 4)


@pytest.mark.parametrize(
    ("rule", "words", "code"),
    [
        ("", "next", "nothing_to_skip"),
        ("FREQ=HOURLY;INTERVAL=2", "next", "nothing_to_skip"),
        ("FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=5;BYHOUR=9;BYMINUTE=0", "tomorrow", "not_on_that_day"),
        (DAILY_TWICE, "the blue one", "time_not_understood"),
        (DAILY_TWICE, "every monday", "time_not_understood"),
    ],
)
def test_impossible_skip_is_refused(context_of, rule, words, code):
    with pytest.raises(RequestRefused) as error:
        skip_fires(words, schedule(rule), context_of())

    assert error.value.code == code


@pytest.fixture
def store():
    return MemoryReminderStore()


@pytest.fixture
def reminders(store):
    clock = FixedClock(NOON)
    return ReminderService(store, clock, None, MemoryStateStore(clock), times=TimeReader().parse_all)


@pytest.mark.parametrize(
    "unreadable",
    [
        Schedule(start=START, zone="UTC", rule=stored_rule("FREQ=SOMEDAY")),
        Schedule(start=START, zone="Mars/Base", rule=stored_rule("FREQ=DAILY")),
    ],
)
async def test_reminder_that_cannot_be_read_does_not_prevent_a_pause_of_the_others(
    store, reminders, context_of, unreadable
):
    context = context_of()
    for content, schedule in (("odd", unreadable), ("tea", DAILY)):
        new = NewReminder(
            request_key=content,
            address=context.chat,
            creator=context.sender,
            content=content,
            schedule=schedule,
            language="en",
        )
        await store.add(ValidatedReminder(reminder=new, first_fire=TOMORROW), NOON, ReminderLimits())

    paused = await suspend_reminders(Suspension(since=NOON, until=NOON + timedelta(days=3)), "all", context, reminders)
    resumed = await resume("all", context, reminders)

    assert [receipt.name for receipt in paused.receipts] == ["tea"]
    assert [receipt.name for receipt in resumed.receipts] == ["tea"]
