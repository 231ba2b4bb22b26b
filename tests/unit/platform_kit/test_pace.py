"""Rate limit of lines."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from bot.platforms.kit.pace import SendPace
from bot.testing.clocks import LoopClock

pytestmark = pytest.mark.looptime
BEGIN = datetime(2026, 11, 21, 9, tzinfo=UTC)


class Line:
    """A line on which three may be sent at once, and then one in two seconds."""

    def __init__(self):
        self._clock = LoopClock(BEGIN)
        self._pace = SendPace(self._clock, burst=3, interval=timedelta(seconds=2))

    async def send_times(self, count):
        """Return the seconds after which each of `count` sends was allowed."""
        seconds = []
        for _ in range(count):
            await self._pace.wait()
            seconds.append(round((self._clock.now() - BEGIN).total_seconds()))
        return seconds


async def test_burst_is_sent_at_once_and_later_lines_at_the_pace():
    assert await Line().send_times(6) == [0, 0, 0, 2, 4, 6]


async def test_burst_is_sent_at_once_again_after_a_long_pause():
    line = Line()
    await line.send_times(3)
    await asyncio.sleep(20)

    assert await line.send_times(4) == [20, 20, 20, 22]


async def test_after_a_short_pause_as_many_pass_as_it_was_long():
    line = Line()
    await line.send_times(3)
    await asyncio.sleep(4)

    assert await line.send_times(3) == [4, 4, 6]


async def test_clock_that_is_set_back_holds_up_no_line():
    line = Line()
    await line.send_times(3)
    line._clock.shift(timedelta(hours=-1))
    start = asyncio.get_running_loop().time()
    await line.send_times(2)

    assert asyncio.get_running_loop().time() - start <= 8
