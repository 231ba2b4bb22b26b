"""A clock and a platform for tests of the whole bot."""

from datetime import UTC, datetime

import pytest

from bot.testing.clocks import LoopClock
from bot.testing.platform import FakePlatform


@pytest.fixture
def clock():
    """Return a clock that starts on a Friday morning and follows the event loop."""
    return LoopClock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))


@pytest.fixture
def platform(clock):
    """Return a platform in memory for a whole bot."""
    return FakePlatform(clock)
