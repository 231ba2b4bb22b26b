"""A clock that is set loses and doubles nothing; in simulated time."""

import asyncio
from datetime import timedelta

import pytest

from services.errors import DeliveryFailed
from services.reminders.waker import WakerPace

pytestmark = pytest.mark.looptime

DAY = timedelta(days=1)
RARELY = WakerPace(tick=timedelta(minutes=30))  # days pass in few steps


async def test_a_clock_set_forward_fires_what_is_due_at_once(make_desk):
    desk = make_desk(pace=WakerPace())
    await desk.set(seconds=3600)
    async with desk.running():
        await asyncio.sleep(2)
        desk.clock.shift(timedelta(hours=1))
        await asyncio.sleep(1.1)

    assert desk.courier.texts == ["tea"]


async def test_a_clock_set_back_fires_nothing_again(desk):
    await desk.set(seconds=60, rule="FREQ=DAILY")
    async with desk.running():
        await asyncio.sleep(61)
        desk.clock.shift(-timedelta(hours=1))
        await asyncio.sleep(2 * 3600)

    assert len(desk.courier.said) == 1


async def test_a_clock_ten_years_ahead_and_back_does_not_silence_a_daily_reminder(make_desk):
    desk = make_desk(pace=WakerPace(tick=timedelta(minutes=30)))
    await desk.set(seconds=60, rule="FREQ=DAILY")
    async with desk.running():
        await asyncio.sleep(61)
        desk.clock.shift(3650 * DAY)
        desk.service.waker.tick()
        await asyncio.sleep(5)
        desk.clock.shift(-3650 * DAY)
        desk.service.waker.tick()
        await asyncio.sleep(5)
        before = len(desk.courier.said)
        await asyncio.sleep(2 * 86400)

    assert (before, len(desk.courier.said)) == (2, before + 2)


async def set_clock(desk, by: timedelta) -> None:
    desk.clock.shift(by)
    desk.service.waker.tick()
    await asyncio.sleep(10)


async def test_what_failed_by_a_clock_ten_years_ahead_waits_for_its_time_and_no_longer(make_desk):
    desk = make_desk(pace=RARELY)
    desk.courier.failures = [DeliveryFailed("the certificate has expired")] * 100
    await desk.set(seconds=86400)
    async with desk.running():
        await set_clock(desk, 3650 * DAY)
        desk.courier.failures = []
        await set_clock(desk, -3650 * DAY)
        early = list(desk.courier.said)
        await asyncio.sleep(86400)

    assert (early, desk.courier.texts) == ([], ["tea"])


async def test_what_waits_in_memory_when_the_clock_is_set_back_waits_for_its_time(make_desk):
    desk = make_desk(pace=WakerPace(senders=1, tick=timedelta(minutes=30)))
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


async def test_a_clock_that_was_right_again_after_a_restart_does_not_silence_a_daily_reminder(make_desk):
    desk = make_desk(pace=RARELY)
    await desk.set(seconds=60, rule="FREQ=DAILY")
    async with desk.running():
        await set_clock(desk, 3650 * DAY)
    desk.clock.shift(-3650 * DAY)
    said_before = len(desk.courier.said)
    async with desk.running(desk.new_service()):
        await asyncio.sleep(3 * 86400)

    assert len(desk.courier.said) == said_before + 3


async def test_a_clock_step_is_not_forgotten_when_the_database_fails(make_desk):
    desk = make_desk(pace=RARELY)
    await desk.set(seconds=60, rule="FREQ=DAILY")
    async with desk.running():
        await set_clock(desk, 3650 * DAY)
        desk.store.failures = {"realign": 2}
        await set_clock(desk, -3650 * DAY)
        said_before = len(desk.courier.said)
        await asyncio.sleep(2 * 86400)

    assert len(desk.courier.said) == said_before + 2
