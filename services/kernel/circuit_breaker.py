"""Leave alone for a while what fails again and again."""

import asyncio


class CircuitBreaker:
    """Remembers whether an endpoint is worth asking.

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
        """Return whether the endpoint rests, or is being probed."""
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
        """Note an answer: the endpoint is well."""
        self._failures = 0
        self._opened_at = None
        self._is_probing = False

    def failed(self) -> None:
        """Note a failure of the endpoint."""
        self._failures += 1
        if self._is_probing or self._failures >= self._limit:
            self._opened_at = _now()
        self._is_probing = False

    def abandoned(self) -> None:
        """Note that a request ended without telling anything about the endpoint, such as by being cancelled."""
        self._is_probing = False


def _now() -> float:
    return asyncio.get_running_loop().time()
