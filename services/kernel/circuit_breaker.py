"""Stop requests to an endpoint for a while after it failed repeatedly."""

import asyncio


class CircuitBreaker:
    """Counts the failures of an endpoint and decides whether a request may be made.

    After `failures` failures in a row it opens for `rest` seconds; then one request is let through as a probe, and
    its outcome closes the breaker or opens it again. The seconds are the event loop's own.
    """

    def __init__(self, *, failures: int = 3, rest: float = 30.0) -> None:
        self._limit = failures
        self._rest = rest
        self._failures = 0
        self._opened_at: float | None = None
        self._is_probing = False

    @property
    def is_open(self) -> bool:
        """Return whether requests are stopped, or one is probing the endpoint."""
        return self._opened_at is not None

    def admits(self) -> bool:
        """Return whether a request may be made now; a True while resting is the one probe and must be reported on."""
        if self._opened_at is None:
            return True
        if self._is_probing or _now() - self._opened_at < self._rest:
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
