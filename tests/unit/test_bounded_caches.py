"""Caches with a limited number of entries."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.testing.clocks import FixedClock
from services.kernel.bounded import BoundedDict, IdentityCache, TimedCache


@pytest.fixture
def bounded_dict():
    made = BoundedDict(2)
    made.update({"a": 1, "b": 2})
    return made


def test_entry_written_longest_ago_is_forgotten_first(bounded_dict):
    bounded_dict["c"] = 3

    assert dict(bounded_dict) == {"b": 2, "c": 3}


def test_entry_written_again_stays_longer(bounded_dict):
    bounded_dict["a"] = 4
    bounded_dict["c"] = 3

    assert dict(bounded_dict) == {"a": 4, "c": 3}


def test_replacing_an_entry_evicts_no_other(bounded_dict):
    bounded_dict["b"] = 5

    assert dict(bounded_dict) == {"a": 1, "b": 5}


def test_cache_by_identity_tells_equal_objects_apart():
    cache: IdentityCache[int] = IdentityCache(2)
    one, other = ["a"], ["a"]

    assert cache.get((one,), lambda: 1) == 1
    assert cache.get((other,), lambda: 2) == 2
    assert cache.get((one,), lambda: 3) == 1


def test_cache_by_identity_is_bounded():
    cache: IdentityCache[int] = IdentityCache(1)
    one, other = object(), object()
    cache.get((one,), lambda: 1)
    cache.get((one, other), lambda: 2)

    assert cache.get((one,), lambda: 3) == 3


async def test_timed_cache_reads_again_after_its_period_and_when_the_clock_was_set_back():
    clock = FixedClock(datetime(2026, 11, 20, tzinfo=UTC))
    cache: TimedCache[int] = TimedCache(clock, timedelta(seconds=30), 2)
    loads = iter(range(9))

    async def load() -> int:
        return next(loads)

    async def get_after(seconds: int) -> int:
        clock.set(clock.now() + timedelta(seconds=seconds))
        return await cache.get("a", load)

    assert [await get_after(seconds) for seconds in (0, 29, 1, -3600, 1)] == [0, 0, 1, 2, 2]


async def test_timed_cache_cleared_during_a_load_does_not_keep_the_earlier_value():
    clock = FixedClock(datetime(2026, 11, 20, tzinfo=UTC))
    cache: TimedCache[int] = TimedCache(clock, timedelta(seconds=30), 2)

    async def load_during_change() -> int:
        cache.clear()
        return 1

    async def load() -> int:
        return 2

    await cache.get("a", load_during_change)

    assert await cache.get("a", load) == 2
