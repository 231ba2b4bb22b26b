"""The timetable calls back in the event loop."""

import asyncio
import threading
from datetime import timedelta

import pytest

from services.scheduling.timetable import ApschedulerTimetable

SOON = timedelta(milliseconds=20)


async def test_a_wake_up_comes_again_and_again_in_the_loop_s_thread():
    threads: list[threading.Thread] = []
    async with ApschedulerTimetable() as timetable:
        timetable.every(SOON, lambda: threads.append(threading.current_thread()), name="test")
        await asyncio.sleep(0.2)

    assert len(threads) >= 2
    assert set(threads) == {threading.current_thread()}


async def test_an_ended_wake_up_does_not_come():
    calls: list[int] = []
    async with ApschedulerTimetable() as timetable:
        end = timetable.every(SOON, lambda: calls.append(1), name="test")
        end()
        await asyncio.sleep(0.1)

    assert calls == []


def test_a_timetable_that_was_not_entered_says_so():
    with pytest.raises(RuntimeError, match="not entered"):
        ApschedulerTimetable().every(SOON, print, name="test")
