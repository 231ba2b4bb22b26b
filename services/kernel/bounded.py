"""Provide a dictionary and caches of bounded size, and a limit on repeated log lines."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from datetime import datetime, timedelta
from typing import Final, Generic, TypeVar

from services.kernel.clock import Clock

K = TypeVar("K")
V = TypeVar("V")


class BoundedDict(OrderedDict[K, V]):
    """A dictionary of at most `max_size` keys; the key written least recently is dropped first.

    For the least recently read one, readers call `move_to_end`.
    """

    def __init__(self, max_size: int) -> None:
        super().__init__()
        self._max_size = max_size

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._max_size:
            self.popitem(last=False)


class IdentityCache(Generic[V]):
    """Caches at most `max_size` values by the identity of objects, which it holds: the id of a dead one is reused."""

    def __init__(self, max_size: int) -> None:
        self._cached: BoundedDict[tuple[int, ...], tuple[tuple[object, ...], V]] = BoundedDict(max_size)

    def get(self, objects: tuple[object, ...], make: Callable[[], V]) -> V:
        """Return the value for `objects`, which `make` creates when it is not cached."""
        key = tuple(map(id, objects))
        found = self._cached.get(key)
        if found is None:
            found = self._cached[key] = (objects, make())
        return found[1]


class TimedCache(Generic[V]):
    """Caches at most `max_size` values for a time, after which a change by another process is seen."""

    def __init__(self, clock: Clock, period: timedelta, max_size: int) -> None:
        self._clock = clock
        self._period = period
        self._max_size = max_size
        self._cached: BoundedDict[str, tuple[datetime, V]] = BoundedDict(max_size)

    async def get(self, key: str, load: Callable[[], Awaitable[V]]) -> V:
        """Return the value of `key`, which `load` reads when none is cached or its time is over."""
        now, cached = self._clock.now(), self._cached
        known = cached.get(key)
        if known is not None and timedelta(0) <= now - known[0] < self._period:
            return known[1]
        value = await load()
        cached[key] = (now, value)
        return value

    def clear(self) -> None:
        """Drop all values, also those that are being loaded, as these may be the earlier ones."""
        self._cached = BoundedDict(self._max_size)


_MAX_KEYS: Final = 500
_LOOP_SECONDS: Final = 60.0


class RepeatLimit:
    """Allows one entry per key in `seconds`, and counts the omitted ones.

    With more than `max_keys` keys the oldest is dropped, so that its next entry is allowed at once.
    """

    def __init__(self, seconds: float, *, max_keys: int = _MAX_KEYS) -> None:
        self._seconds = seconds
        self._seen: BoundedDict[Hashable, tuple[float, int]] = BoundedDict(max_keys)

    @classmethod
    def of_one_loop(cls) -> "RepeatLimit":
        """Return a limit for the failures of a loop: one line a minute, and one for each different failure."""
        return cls(_LOOP_SECONDS, max_keys=1)

    def count_omitted(self, key: Hashable, now: float) -> int | None:
        """Return the number of omitted entries of `key` before this one, at `now` seconds; None to omit it too."""
        last, count = self._seen.get(key, (float("-inf"), 0))
        is_due = not last <= now < last + self._seconds
        self._seen[key] = (now, 0) if is_due else (last, count + 1)
        return count if is_due else None

    def admits(self, error: Exception) -> bool:
        """Return whether a loop should log `error` now; errors with equal type and text are the same failure."""
        key = f"{type(error).__name__}: {error}"
        return self.count_omitted(key, asyncio.get_running_loop().time()) is not None
