"""Missed occurrences by the setting of each reminder, in simulated time."""

import asyncio
from datetime import UTC, datetime

import pytest

from services.recurrence.schedule import read_schedule
from services.reminders.model import CatchUp
from services.reminders.occurrences import plan_due

pytestmark = pytest.mark.looptime


@pytest.mark.parametrize(
    ("catch_up", "expected"),
    [(CatchUp.LATEST, [(3, 2)]), (CatchUp.ALL, [(1, 0), (2, 0), (3, 0)]), (CatchUp.NONE, [])],
)
async def test_missed_occurrences_are_sent_by_the_setting_of_the_reminder(desk, catch_up: CatchUp, expected: list):
    start = desk.clock.now()
    await desk.set(seconds=86400, rule="FREQ=DAILY", catch_up=catch_up)
    await asyncio.sleep(3.5 * 86400)
    async with desk.running():
        await asyncio.sleep(10)

    assert [((notice.due_at - start).days, notice.missed) for notice in desk.courier.said] == expected


async def test_reminder_without_catching_up_continues_afterwards(desk):
    await desk.set(seconds=86400, rule="FREQ=DAILY", catch_up=CatchUp.NONE)
    await asyncio.sleep(3.5 * 86400)
    async with desk.running():
        await asyncio.sleep(86400)

    (notice,) = desk.courier.said
    assert notice.missed == 0


async def test_service_returns_the_catching_up_of_a_reminder(desk):
    reminder = await desk.set(seconds=60, rule="FREQ=DAILY", catch_up=CatchUp.ALL, is_urgent=True)

    assert (reminder.catch_up, reminder.is_urgent) == (CatchUp.ALL, True)


async def test_at_most_ten_missed_occurrences_are_sent():
    start = datetime(2025, 11, 20, 9, 0, tzinfo=UTC)
    now = datetime(2026, 11, 20, 9, 0, 30, tzinfo=UTC)
    schedule = read_schedule(start.replace(tzinfo=None), "UTC", "FREQ=MINUTELY")

    plan = plan_due(schedule, CatchUp.ALL, start, now)

    assert [fire.due_at.minute for fire in plan.occurrences] == [51, 52, 53, 54, 55, 56, 57, 58, 59, 0]
    assert plan.occurrences[0].missed == 365 * 24 * 60 - 9
    assert plan.next_fire_at == datetime(2026, 11, 20, 9, 1, tzinfo=UTC)


async def test_occurrence_late_by_seconds_is_not_missed(desk):
    await desk.set(seconds=60, rule="FREQ=DAILY", catch_up=CatchUp.NONE)
    await asyncio.sleep(90)
    async with desk.running():
        await asyncio.sleep(1)

    assert len(desk.courier.said) == 1
