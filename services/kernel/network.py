"""Provide TLS certificates, retry pauses and circuit breakers for requests to other servers."""

import asyncio
import random
import ssl
from collections.abc import Callable, Iterator
from functools import cache

from msgspec import Struct


@cache
def trusted_certificates(*, trust_environment: bool = True) -> ssl.SSLContext:
    """Return the TLS context of all clients: the system's list, which includes an office's own authority.

    With `trust_environment` SSL_CERT_FILE and SSL_CERT_DIR replace the list where they are set.
    """
    import httpx2

    return httpx2.create_ssl_context(trust_env=trust_environment)


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


class CircuitBreaker:
    """Counts the failures of an endpoint and decides whether a request may be made.

    After `failures` failures in a row it opens for `cooldown` seconds; then one request is let through as a probe, and
    its outcome closes the breaker or opens it again. The seconds are the event loop's own.
    """

    def __init__(self, *, failures: int = 3, cooldown: float = 30.0) -> None:
        self._limit = failures
        self._cooldown = cooldown
        self._failures = 0
        self._opened_at: float | None = None
        self._is_probing = False

    @property
    def is_open(self) -> bool:
        """Return whether requests are stopped, or one is probing the endpoint."""
        return self._opened_at is not None

    def admits(self) -> bool:
        """Return whether a request may be made now; a True while open is the one probe and must be reported on."""
        if self._opened_at is None:
            return True
        if self._is_probing or _now() - self._opened_at < self._cooldown:
            return False
        self._is_probing = True
        return True

    def succeeded(self) -> None:
        """Record a success of the endpoint."""
        self._failures = 0
        self._opened_at = None
        self._is_probing = False

    def failed(self) -> None:
        """Record a failure of the endpoint."""
        self._failures += 1
        if self._is_probing or self._failures >= self._limit:
            self._opened_at = _now()
        self._is_probing = False

    def abandoned(self) -> None:
        """Record that a request ended, such as by cancellation, without a result about the endpoint."""
        self._is_probing = False


def _now() -> float:
    return asyncio.get_running_loop().time()
