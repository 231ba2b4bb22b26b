"""The timetable, whose wake-ups run in the event loop."""

import asyncio
import threading
from datetime import UTC, datetime, timedelta

import pytest

from services.scheduling.timetable import ApschedulerTimetable

SOON = timedelta(milliseconds=20)
AT_ONCE = timedelta(0)
DAY = timedelta(days=1)


class SteppingClock(datetime):
    """The clock of APScheduler and of the timetable, `ahead` of the machine's."""

    ahead = timedelta(0)

    @classmethod
    def now(cls, tz=UTC):
        return datetime.now(tz) + cls.ahead


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setattr("apscheduler.schedulers.base.datetime", SteppingClock)
    monkeypatch.setattr(SteppingClock, "ahead", timedelta(0))
    return SteppingClock


async def test_wake_up_is_repeated_in_the_loops_thread():
    threads: asyncio.Queue[threading.Thread] = asyncio.Queue()
    async with ApschedulerTimetable(begin_after=AT_ONCE) as timetable:
        timetable.every(SOON, lambda: threads.put_nowait(threading.current_thread()), name="test")
        seen = {await threads.get(), await threads.get()}

    assert seen == {threading.current_thread()}


async def test_wake_up_requested_later_runs_too():
    first, later = asyncio.Event(), asyncio.Event()
    async with ApschedulerTimetable(begin_after=AT_ONCE) as timetable:
        timetable.every(SOON, first.set, name="first")
        await first.wait()
        timetable.every(SOON, later.set, name="later")

        await later.wait()


async def test_cancelled_wake_up_does_not_run():
    calls: list[int] = []
    other = asyncio.Event()
    async with ApschedulerTimetable(begin_after=AT_ONCE) as timetable:
        end = timetable.every(SOON / 2, lambda: calls.append(1), name="test")
        end()
        timetable.every(SOON, other.set, name="other")
        await other.wait()

    assert calls == []


async def test_finished_wake_up_can_be_cancelled():
    calls: asyncio.Queue[str] = asyncio.Queue()
    async with ApschedulerTimetable(begin_after=AT_ONCE) as timetable:
        end = timetable.every(SOON, lambda: calls.put_nowait("ended"), name="test")
        await calls.get()
        end()
        timetable.every(SOON * 2, lambda: calls.put_nowait("other"), name="other")

        assert await calls.get() == "other"


async def test_timetable_can_end_before_it_has_begun():
    async with ApschedulerTimetable() as timetable:
        timetable.every(SOON, print, name="test")


def test_timetable_outside_its_context_is_an_error():
    with pytest.raises(RuntimeError, match="not entered"):
        ApschedulerTimetable().every(SOON, print, name="test")


@pytest.mark.parametrize("years", [1, 46])
async def test_years_of_skipped_seconds_are_one_wake_up(clock, years):
    clock.ahead = -years * 365 * DAY
    calls: asyncio.Queue[float] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    async with ApschedulerTimetable(clock, begin_after=AT_ONCE) as timetable:
        timetable.every(SOON, lambda: calls.put_nowait(loop.time()), name="test")
        await calls.get()
        clock.ahead = timedelta(0)
        async with asyncio.timeout(2):
            times = [await calls.get() for _ in range(3)]

    assert times[2] - times[1] >= SOON.total_seconds() / 2


async def test_wake_ups_go_on_after_the_clock_was_set_back(clock):
    calls: asyncio.Queue[bool] = asyncio.Queue()
    async with ApschedulerTimetable(clock, begin_after=AT_ONCE) as timetable:
        timetable.every(SOON, lambda: calls.put_nowait(True), name="test")
        await calls.get()
        clock.ahead = -46 * 365 * DAY
        await asyncio.sleep(0.1)
        while not calls.empty():
            calls.get_nowait()
        async with asyncio.timeout(5):
            await calls.get()
