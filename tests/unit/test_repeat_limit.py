"""Limits of repeated log lines, with a count."""

import asyncio

import pytest

from services.kernel.bounded import RepeatLimit


def test_repeats_are_left_out_and_counted_until_the_time_is_over():
    limit = RepeatLimit(60.0)

    assert [limit.count_omitted("a", now) for now in (0.0, 1.0, 59.0, 60.0, 61.0)] == [0, None, None, 2, None]


def test_keys_are_limited_separately():
    limit = RepeatLimit(60.0)

    assert [limit.count_omitted(key, 0.0) for key in ("a", "b", "a", "b")] == [0, 0, None, None]


def test_oldest_key_is_forgotten():
    limit = RepeatLimit(60.0, max_keys=2)

    assert [limit.count_omitted(key, 0.0) for key in ("a", "b", "c", "a")] == [0, 0, 0, 0]


@pytest.mark.looptime
async def test_failure_of_a_loop_is_logged_once_a_minute_and_another_at_once():
    limit = RepeatLimit.of_one_loop()
    away, full = OSError("away"), OSError("full")
    admitted = [limit.admits(error) for error in (away, away, full, full, away)]
    await asyncio.sleep(59)
    admitted.append(limit.admits(away))
    await asyncio.sleep(1)
    admitted.append(limit.admits(away))

    assert admitted == [True, False, True, False, True, False, True]
