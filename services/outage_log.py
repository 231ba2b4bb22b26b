"""A limit on how often a loop that tries again and again logs the same failure."""

import asyncio
from typing import Final

_SECONDS: Final = 60.0


class OutageLog:
    """Allows one line a minute for each loop, and one at once when the failure is another."""

    def __init__(self) -> None:
        self._failure = ""
        self._next_at = 0.0

    def admits(self, error: Exception) -> bool:
        """Tell whether `error` is to be logged now."""
        failure, now = f"{type(error).__name__}: {error}", asyncio.get_running_loop().time()
        if failure == self._failure and now < self._next_at:
            return False
        self._failure, self._next_at = failure, now + _SECONDS
        return True
