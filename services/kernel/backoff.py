"""Compute the pauses between attempts."""

import random
from collections.abc import Callable, Iterator

from msgspec import Struct

_chance = random.SystemRandom().random


def growing_pauses(first: float, longest: float) -> Iterator[float]:
    """Yield seconds for ever: `first`, and each time twice as many, up to `longest`."""
    pause = first
    while True:
        yield pause
        pause = min(2 * pause, longest)


class RetryPolicy(Struct, frozen=True, kw_only=True):
    """Exponential backoff with jitter, in seconds.

    `attempts` counts the first one. `longest_wait` bounds the wait that a server may ask for; a longer one ends the
    attempts at once, because a person is waiting.
    """

    attempts: int = 3
    first_delay: float = 0.5
    longest_delay: float = 8.0
    longest_wait: float = 20.0
    chance: Callable[[], float] = _chance

    def delay(self, attempt: int, retry_after: float | None = None) -> float | None:
        """Return the seconds to wait after `attempt` (the first is 1) failed; None when no retry is left.

        `retry_after` is the wait that the server asked for.
        """
        if attempt >= self.attempts:
            return None
        if retry_after is not None:
            return retry_after if retry_after <= self.longest_wait else None
        backoff = min(self.first_delay * 2.0 ** (attempt - 1), self.longest_delay)
        return backoff * (0.75 + 0.5 * self.chance())
