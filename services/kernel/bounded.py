"""Provide a dictionary of bounded size, and a limit on repeated log lines."""

import asyncio
from collections import OrderedDict
from collections.abc import Hashable
from typing import Final, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class BoundedDict(OrderedDict[K, V]):
    """Has at most `most` keys; the key written longest ago is dropped first.

    Where being read counts as well, the reader calls `move_to_end`.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._most:
            self.popitem(last=False)


_MOST_KEYS: Final = 500
_LOOP_SECONDS: Final = 60.0


class RepeatLimit:
    """Allow one entry a key in `seconds`, and count the entries left out between.

    Of more than `most_keys` keys the oldest is dropped, so its next entry is allowed at once.
    """

    def __init__(self, seconds: float, *, most_keys: int = _MOST_KEYS) -> None:
        self._seconds = seconds
        self._seen: BoundedDict[Hashable, tuple[float, int]] = BoundedDict(most_keys)

    @classmethod
    def of_one_loop(cls) -> "RepeatLimit":
        """Return a limit of one line a minute, and one at once when the failure is another one than the last."""
        return cls(_LOOP_SECONDS, most_keys=1)

    def count_omitted(self, key: Hashable, now: float) -> int | None:
        """Return how many entries of `key` were left out before this one, at `now` seconds; None to leave it out."""
        last, count = self._seen.get(key, (float("-inf"), 0))
        is_due = not last <= now < last + self._seconds
        self._seen[key] = (now, 0) if is_due else (last, count + 1)
        return count if is_due else None

    def admits(self, error: Exception) -> bool:
        """Return whether a loop should log `error` now; errors of one type and text are the same failure."""
        key = f"{type(error).__name__}: {error}"
        return self.count_omitted(key, asyncio.get_running_loop().time()) is not None
