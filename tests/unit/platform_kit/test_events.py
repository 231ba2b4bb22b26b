"""Times and calls of the bot in the events of platforms."""

import time
from datetime import UTC, datetime

import pytest

from bot.platforms.kit.events import instant, is_called

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def test_seconds_and_milliseconds_are_instants_as_numbers_and_as_text():
    assert instant(1795168800) == instant("1795168800.0") == datetime(2026, 11, 20, 10, tzinfo=UTC)
    assert instant(1795168800000, per_second=1000) == instant("1795168800000", per_second=1000) == instant(1795168800)


@pytest.mark.parametrize("nonsense", ["", "tea", 1e300, -1e300, 10**400, float("inf"), "99999999999999999999"])
def test_invalid_time_is_the_epoch(nonsense):
    assert instant(nonsense) == EPOCH
    assert instant(nonsense, per_second=1000) == EPOCH


def test_spaces_behind_the_name_take_no_long_time():
    start = time.process_time()

    assert not is_called(".Bubbles" + " " * 10_000 + "x", "Bubbles")
    assert is_called("thanks, Bubbles ! " + " " * 10_000, "Bubbles")
    assert time.process_time() - start < 0.2
