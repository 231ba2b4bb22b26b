"""Decide when to retry a request to a model."""

import random
from collections.abc import Callable

from msgspec import Struct

from services.language_model.failures import EndpointFailed

_chance = random.SystemRandom().random


class Timeouts(Struct, frozen=True, kw_only=True):
    """How long one answer may take, in seconds.

    `connect` is for reaching the server, `silence` for the longest pause in which nothing arrives, `total` for
    everything together: waiting for a free slot, retries and the waits between them.
    """

    connect: float = 5.0
    silence: float = 45.0
    total: float = 60.0


class RetryPolicy(Struct, frozen=True, kw_only=True):
    """Exponential backoff with jitter, in seconds.

    `attempts` counts the first one. A server that asks for a longer wait than `patience` is given up on at once:
    somebody is waiting in a chat, and the offline interpreter can answer now.
    """

    attempts: int = 3
    first_delay: float = 0.5
    longest_delay: float = 8.0
    patience: float = 20.0
    chance: Callable[[], float] = _chance

    def delay(self, failure: EndpointFailed, attempt: int) -> float | None:
        """Return the seconds to wait after `attempt` (the first is 1) failed; None when a retry is pointless."""
        if not failure.is_passing or attempt >= self.attempts:
            return None
        if failure.retry_after is not None:
            return failure.retry_after if failure.retry_after <= self.patience else None
        backoff = min(self.first_delay * 2.0 ** (attempt - 1), self.longest_delay)
        return backoff * (0.75 + 0.5 * self.chance())
