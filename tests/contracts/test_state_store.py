"""Contract of the state stores."""

import asyncio
from datetime import datetime, timedelta

from bot.testing.clocks import FixedClock
from services.kernel.state import StateStore

HOUR = timedelta(hours=1)


async def test_value_is_read_as_stored(state: StateStore):
    await state.set("a", {"ids": ["x", 1, None], "名": True}, keep=HOUR)

    assert await state.get("a") == {"ids": ["x", 1, None], "名": True}
    assert await state.get("b") is None


async def test_latest_value_counts_and_none_deletes(state: StateStore):
    await state.set("a", 1, keep=HOUR)
    await state.set("a", 2, keep=HOUR)

    assert await state.get("a") == 2

    await state.set("a", None, keep=HOUR)

    assert await state.get("a") is None


async def test_a_value_is_gone_when_its_time_is_over(state: StateStore, clock: FixedClock, now: datetime):
    await state.set("a", 1, keep=HOUR)

    clock.set(now + HOUR)

    assert await state.get("a") is None


async def test_taken_state_is_gone(state: StateStore):
    await state.set("a", {"n": 1}, keep=HOUR)

    assert await state.take("a") == {"n": 1}
    assert await state.take("a") is None
    assert await state.get("a") is None


async def test_one_of_several_takers_at_once_gets_it(state: StateStore):
    await state.set("a", 1, keep=HOUR)

    taken = await asyncio.gather(*(state.take("a") for _ in range(8)))

    assert sorted(taken, key=str) == [1, *[None] * 7]


async def test_expired_state_cannot_be_taken(state: StateStore, clock: FixedClock, now: datetime):
    await state.set("a", 1, keep=HOUR)
    clock.set(now + HOUR)

    assert await state.take("a") is None


async def test_promised_state_is_returned_with_the_rest(state: StateStore):
    await state.set("token", "hash", keep=timedelta(hours=1), is_promised=True)

    assert await state.get("token") == "hash"
