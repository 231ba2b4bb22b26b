"""Pauses between attempts, and those that servers ask for."""

from datetime import UTC, datetime, timedelta
from itertools import islice

from services.kernel.network import RequestPauses, growing_pauses

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


def test_pauses_double_up_to_a_limit():
    assert list(islice(growing_pauses(0.5, 5.0), 6)) == [0.5, 1.0, 2.0, 4.0, 5.0, 5.0]


def test_pause_of_a_key_ends_after_its_seconds():
    pauses = RequestPauses()
    pauses.begin("one", NOW, 30.0)

    assert pauses.seconds_left("two", NOW) == 0.0
    assert pauses.seconds_left("one", NOW) == 30.0
    assert pauses.seconds_left("one", NOW + timedelta(seconds=29)) == 1.0
    assert pauses.seconds_left("one", NOW + timedelta(seconds=30)) == 0.0


def test_pause_ends_when_the_clock_is_set_back():
    pauses = RequestPauses()
    pauses.begin("one", NOW, 30.0)

    assert pauses.seconds_left("one", NOW - timedelta(hours=1)) == 0.0
    assert pauses.seconds_left("one", NOW) == 0.0
