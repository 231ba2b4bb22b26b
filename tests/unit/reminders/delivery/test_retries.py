"""Pauses after failed sends."""

from datetime import timedelta

import pytest

from services.reminders.delivery.retry import RetryPolicy


@pytest.mark.parametrize(("attempt", "longest"), [(1, 1), (2, 2), (5, 16), (9, 256), (10, 300), (10_000, 300)])
def test_pauses_double_up_to_five_minutes_with_jitter(attempt: int, longest: int):
    pauses = {RetryPolicy().pause(attempt, None).total_seconds() for _ in range(50)}

    assert longest / 2 <= min(pauses)
    assert max(pauses) <= longest
    assert len(pauses) > 10


def test_retry_time_of_the_platform_is_the_minimum():
    assert RetryPolicy().pause(1, 77.5) == timedelta(seconds=77.5)


def test_notice_is_kept_for_a_week():
    assert RetryPolicy().keep == timedelta(days=7)
