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


async def test_last_value_is_read_and_none_deletes(state: StateStore):
    await state.set("a", 1, keep=HOUR)
    await state.set("a", 2, keep=HOUR)

    assert await state.get("a") == 2

    await state.set("a", None, keep=HOUR)

    assert await state.get("a") is None


async def test_value_is_not_returned_after_its_expiry(state: StateStore, clock: FixedClock, now: datetime):
    await state.set("a", 1, keep=HOUR)

    clock.set(now + HOUR)

    assert await state.get("a") is None


async def test_taking_deletes_the_value(state: StateStore):
    await state.set("a", {"n": 1}, keep=HOUR)

    assert await state.take("a") == {"n": 1}
    assert await state.take("a") is None
    assert await state.get("a") is None


async def test_only_one_of_concurrent_takers_gets_the_value(state: StateStore):
    await state.set("a", 1, keep=HOUR)

    values = await asyncio.gather(*(state.take("a") for _ in range(8)))

    assert sorted(values, key=str) == [1, *[None] * 7]


async def test_expired_state_cannot_be_taken(state: StateStore, clock: FixedClock, now: datetime):
    await state.set("a", 1, keep=HOUR)
    clock.set(now + HOUR)

    assert await state.take("a") is None


async def test_promised_state_is_returned_with_the_rest(state: StateStore):
    await state.set("token", "hash", keep=timedelta(hours=1), is_promised=True)

    assert await state.get("token") == "hash"


async def test_half_characters_are_replaced(state: StateStore):
    await state.set("a", {"text": "tea \ud83d"}, keep=HOUR)

    assert await state.get("a") == {"text": "tea \ufffd"}


async def test_value_is_replaced_only_if_it_is_the_one_that_was_read(state: StateStore):
    first = await state.set_unless_changed("a", [1], read=None, keep=HOUR)
    late = await state.set_unless_changed("a", [2], read=None, keep=HOUR)
    second = await state.set_unless_changed("a", [1, 3], read=[1], keep=HOUR)

    assert (first, late, second) == (True, False, True)
    assert await state.get("a") == [1, 3]


async def test_expired_value_counts_as_none_for_a_replacement(state: StateStore, clock: FixedClock, now: datetime):
    await state.set("a", 1, keep=HOUR)
    clock.set(now + HOUR)

    assert not await state.set_unless_changed("a", 2, read=1, keep=HOUR)
    assert await state.set_unless_changed("a", 2, read=None, keep=HOUR)
