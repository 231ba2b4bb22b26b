"""A clock that is set loses and doubles nothing; in simulated time."""

import asyncio
from datetime import timedelta

import pytest

from services.reminders.waker import WakerPace

pytestmark = pytest.mark.looptime

DAY = timedelta(days=1)


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
