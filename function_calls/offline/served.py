"""Remember for whom something has just been done: "make it 6pm" is said to the bot then.

Otherwise people say such things to each other.
"""

from datetime import datetime, timedelta

from services.bounded import Bounded


class ServedLately:
    """When each person of each chat was last served; the oldest are forgotten first."""

    def __init__(self, *, limit: int = 1000, lifetime: timedelta = timedelta(minutes=3)) -> None:
        self._lifetime = lifetime
        self._served: Bounded[str, datetime] = Bounded(limit)

    def note(self, key: str, now: datetime) -> None:
        """Something was done under `key` (chat and person)."""
        self._served[key] = now

    def forget(self, key: str) -> None:
        """What was done last under `key` changed nothing."""
        self._served.pop(key, None)

    def is_recent(self, key: str, now: datetime) -> bool:
        """Whether that is no longer ago than the lifetime."""
        served = self._served.get(key)
        return served is not None and timedelta() <= now - served <= self._lifetime
