"""A limit on how often the same line is logged, for failures that strangers can cause thousands of times a second."""

from collections.abc import Hashable
from typing import Final

from services.bounded import Bounded

_MOST_KEYS: Final = 500


class RepeatLimit:
    """Allow one entry a key in `seconds`, and count what is left out between."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._seen: Bounded[Hashable, tuple[float, int]] = Bounded(_MOST_KEYS)

    def left_out(self, key: Hashable, now: float) -> int | None:
        """Return how many entries of `key` were left out since the last one; None where this one is to be left out.

        `now` is in seconds, of any clock that does not go back.
        """
        last, count = self._seen.get(key, (float("-inf"), 0))
        is_due = not last <= now < last + self._seconds
        self._seen[key] = (now, 0) if is_due else (last, count + 1)
        return count if is_due else None
