"""Read the wall clock; other modules use an injected `Clock`."""

import asyncio
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Reads the time and waits; tests use a fake."""

    def now(self) -> datetime:
        """Return the present instant, timezone-aware, in UTC."""

    async def nap(self, seconds: float) -> None:
        """Wait for `seconds`; negative values return at once."""


class SystemClock:
    """The clock of the machine."""

    def now(self) -> datetime:
        """Return the present instant in UTC."""
        return datetime.now(UTC)

    async def nap(self, seconds: float) -> None:
        """Sleep without blocking the event loop."""
        await asyncio.sleep(max(0.0, seconds))
