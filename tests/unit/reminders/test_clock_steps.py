"""Steps of the clock, which lose and repeat no reminder, in simulated time."""

import asyncio
import time
import tracemalloc
from datetime import UTC, datetime, timedelta
from itertools import takewhile

import pytest

from services.kernel.errors import DeliveryFailed
from services.recurrence.fires import fires_after
from services.recurrence.missed import MAX_LISTED, missed_between
from services.recurrence.schedule import Schedule, read_schedule
from services.reminders.delivery.config import DeliveryConfig
from services.reminders.model import CatchUp
from services.reminders.occurrences import plan_due

pytestmark = pytest.mark.looptime

DAY = timedelta(days=1)
RARELY = DeliveryConfig(tick=timedelta(minutes=30))  # days pass in few steps


async def test_clock_set_forward_fires_due_reminders_at_once(make_desk):
    desk = make_desk(delivery=DeliveryConfig())
    await desk.set(seconds=3600)
    async with desk.running():
        await asyncio.sleep(2)
        desk.clock.shift(timedelta(hours=1))
        await asyncio.sleep(1.1)

    assert desk.courier.texts == ["tea"]


async def test_clock_set_back_sends_nothing_again(desk):
    await desk.set(seconds=60, rule="FREQ=DAILY")
    async with desk.running():
        await asyncio.sleep(61)
        desk.clock.shift(-timedelta(hours=1))
        await asyncio.sleep(2 * 3600)

    assert len(desk.courier.said) == 1


async def test_daily_reminder_fires_after_a_clock_step_of_ten_years_and_back(make_desk):
    desk = make_desk(delivery=DeliveryConfig(tick=timedelta(minutes=30)))
    await desk.set(seconds=60, rule="FREQ=DAILY")
    async with desk.running():
        await asyncio.sleep(61)
        desk.clock.shift(3650 * DAY)
        desk.service.worker.tick()
        await asyncio.sleep(5)
        desk.clock.shift(-3650 * DAY)
        desk.service.worker.tick()
        await asyncio.sleep(5)
        before = len(desk.courier.said)
        await asyncio.sleep(2 * 86400)

    assert (before, len(desk.courier.said)) == (2, before + 2)


async def set_clock(desk, by: timedelta) -> None:
    desk.clock.shift(by)
    desk.service.worker.tick()
    await asyncio.sleep(10)


async def test_failure_during_a_wrong_future_clock_is_retried_at_its_due_time(make_desk):
    desk = make_desk(delivery=RARELY)
    desk.courier.failures = [DeliveryFailed("the certificate has expired")] * 100
    await desk.set(seconds=86400)
    async with desk.running():
        await set_clock(desk, 3650 * DAY)
        desk.courier.failures = []
        await set_clock(desk, -3650 * DAY)
        early = list(desk.courier.said)
        await asyncio.sleep(86400)

    assert (early, desk.courier.texts) == ([], ["tea"])


async def test_queued_occurrence_waits_for_its_time_after_a_backward_clock_step(make_desk):
    desk = make_desk(delivery=DeliveryConfig(senders=1, tick=timedelta(minutes=30)))
    desk.courier.hold.clear()
    await desk.set("now", seconds=1)
    await desk.set("tomorrow", seconds=86400)
    async with desk.running():
        await asyncio.sleep(2)
        await set_clock(desk, 10 * DAY)
        await set_clock(desk, -10 * DAY)
        desk.courier.hold.set()
        await asyncio.sleep(3600)
        early = list(desk.courier.texts)
        await asyncio.sleep(86400)

    assert (early, desk.courier.texts) == (["now"], ["now", "tomorrow"])


async def test_daily_reminder_fires_after_a_clock_correction_during_a_restart(make_desk):
    desk = make_desk(delivery=RARELY)
    await desk.set(seconds=60, rule="FREQ=DAILY")
    async with desk.running():
        await set_clock(desk, 3650 * DAY)
    desk.clock.shift(-3650 * DAY)
    count_before = len(desk.courier.said)
    async with desk.running(desk.new_service()):
        await asyncio.sleep(3 * 86400)

    assert len(desk.courier.said) == count_before + 3


async def test_clock_step_is_handled_after_a_database_failure(make_desk):
    desk = make_desk(delivery=RARELY)
    await desk.set(seconds=60, rule="FREQ=DAILY")
    async with desk.running():
        await set_clock(desk, 3650 * DAY)
        desk.store.failures = {"realign": 2}
        await set_clock(desk, -3650 * DAY)
        count_before = len(desk.courier.said)
        await asyncio.sleep(2 * 86400)

    assert len(desk.courier.said) == count_before + 2


DENSE = "FREQ=MINUTELY;INTERVAL=5;BYHOUR=9,10,11,12,13,14,15,16"
NOW = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)
RULES = [
    "FREQ=MINUTELY;INTERVAL=5",
    DENSE,
    "FREQ=MINUTELY;INTERVAL=7;BYDAY=MO,TU",
    "FREQ=HOURLY;BYMINUTE=0,30",
    "FREQ=HOURLY;BYMINUTE=0,30;BYDAY=MO,WE;EXDATE=20260105,20260107T100000",
    "FREQ=DAILY;BYHOUR=9,12;BYMINUTE=0,15",
    "FREQ=WEEKLY;BYDAY=MO,TU;BYHOUR=8,20",
    "FREQ=YEARLY;BYYEARDAY=1,100,200;BYHOUR=9,10,11",
    "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=-1;BYHOUR=1,2,3",
    "FREQ=DAILY;NAG=10;NAGS=12",
    "FREQ=DAILY;COUNT=300",
]


def make_paused_schedule(years: int, rule: str) -> tuple[Schedule, datetime]:
    """Return a schedule and its first fire, `years` before `NOW`."""
    start = NOW.replace(year=NOW.year - years)
    schedule = read_schedule(start.replace(tzinfo=None), "Europe/Berlin", rule)
    return schedule, next(fires_after(schedule, start - timedelta(hours=2)))


@pytest.mark.parametrize("rule", RULES)
def test_count_of_missed_fires_equals_their_list(rule):
    schedule, first = make_paused_schedule(1, rule)
    fires = [first, *takewhile(lambda fire: fire <= NOW, fires_after(schedule, first))]

    latest, missed = missed_between(schedule, first, NOW)

    inexact = len(fires) // 200 if "NAG" in rule and len(fires) > MAX_LISTED else 0
    assert (latest, abs(missed - len(fires) + 1) <= inexact) == (fires[-1], True)


@pytest.mark.parametrize("rule", RULES)
def test_the_latest_fire_of_46_years_is_found(rule):
    schedule, first = make_paused_schedule(46, rule)

    plan = plan_due(schedule, CatchUp.LATEST, first, NOW)

    assert [each.due_at for each in plan.occurrences] == [plan.due_at]
    assert (plan.next_fire_at is None) == ("COUNT" in rule)
    assert "COUNT" in rule or plan.due_at <= NOW < plan.next_fire_at


@pytest.mark.parametrize("catch_up", CatchUp)
def test_planning_after_46_years_costs_less_than_listing_a_year(catch_up):
    schedule, first = make_paused_schedule(46, DENSE)
    plan_due(schedule, catch_up, NOW, NOW)
    start = time.process_time()
    for _ in takewhile(lambda fire: fire <= first + 365 * DAY, fires_after(schedule, first)):
        pass
    a_year_listed = time.process_time() - start
    start = time.process_time()
    plan_due(schedule, catch_up, first, NOW)
    spent = time.process_time() - start
    tracemalloc.start()
    plan_due(schedule, catch_up, first, NOW)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert (spent < a_year_listed, peak < 2_000_000) == (True, True)


@pytest.mark.parametrize("step", [365 * DAY, 46 * 365 * DAY, -365 * DAY, -46 * 365 * DAY])
async def test_a_hundred_dense_reminders_survive_any_step_of_the_clock(make_desk, step):
    desk = make_desk(delivery=RARELY)
    for number in range(100):
        await desk.set(f"tea {number}", seconds=60, rule=("FREQ=MINUTELY;INTERVAL=5", DENSE)[number % 2])
    async with desk.running():
        await asyncio.sleep(90)
        before = len(desk.courier.said)
        await set_clock(desk, step)
        at_the_step = len(desk.courier.said) - before

    # After a step forward each of those due has one notice for all its missed fires; after one back none is due.
    assert (at_the_step > 0) == (step > timedelta(0))
    assert at_the_step <= 200
