"""Pauses of all reminders, of which this version cannot read some."""

from datetime import datetime, timedelta

import pytest

from bot.testing.clocks import FixedClock
from function_calls.functions.reminders.suspensions import resume, suspend_reminders
from services.kernel.state import MemoryStateStore
from services.recurrence.edits import Suspension
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
        wish = NewReminder(
            request_key=content,
            address=context.chat,
            creator=context.sender,
            content=content,
            schedule=schedule,
            language="en",
        )
        await store.add(ValidatedReminder(reminder=wish, first_fire=TOMORROW), NOON, ReminderLimits())

    paused = await suspend_reminders(
        Suspension(since=NOON, until=NOON + timedelta(days=3)), "all", context, reminders
    )
    resumed = await resume("all", context, reminders)

    assert [receipt.name for receipt in paused.receipts] == ["tea"]
    assert [receipt.name for receipt in resumed.receipts] == ["tea"]
