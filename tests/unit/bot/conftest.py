"""A clock and a platform for tests of the whole bot."""

from datetime import UTC, datetime

import pytest

from bot.testing.clocks import LoopClock
from bot.testing.platform import FakePlatform


@pytest.fixture
def clock():
    """Friday morning; it goes on with the event loop."""
    return LoopClock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))


@pytest.fixture
def platform(clock):
    """A chat for a whole bot."""
    return FakePlatform(clock)
