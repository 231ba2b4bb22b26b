"""A clock on a Friday morning in London, and a reader of time expressions."""

from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from services.time_expressions import Reading, parse

Read = Callable[..., Reading]


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 11, 20, 10, 0, tzinfo=ZoneInfo("Europe/London"))


@pytest.fixture
def read(now: datetime) -> Read:
    def _read(text: str, **options: object) -> Reading:
        best = parse(text, options.pop("now", now), **options).best
        assert best is not None, f"no time read in {text!r}"
        return best

    return _read
