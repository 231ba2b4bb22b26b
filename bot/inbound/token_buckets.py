"""Limit rates per key with token buckets."""

from typing import Final

from services.kernel.bounded import BoundedDict
from services.kernel.clock import Clock

_REMEMBERED: Final = 10_000


class TokenBuckets:
    """A bucket for each of many, which holds what may come in a minute and fills up again steadily."""

    def __init__(self, per_minute: int, clock: Clock) -> None:
        self._rate = per_minute / 60
        self._size = float(per_minute)
        self._clock = clock
        self._levels: BoundedDict[str, tuple[float, float]] = BoundedDict(_REMEMBERED)

    def wait_of(self, who: str) -> float:
        """Take one of `who`'s: 0, or, where there is none left, the seconds until there is."""
        now = self._clock.now().timestamp()
        level, seen = self._levels.get(who, (self._size, now))
        level = min(self._size, level + max(0.0, now - seen) * self._rate)
        is_taken = level >= 1
        self._levels[who] = (level - 1 if is_taken else level, now)
        return 0.0 if is_taken else (1 - level) / self._rate
