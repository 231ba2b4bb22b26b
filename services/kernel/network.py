"""Provide TLS certificates, retry pauses and circuit breakers for requests to other servers."""

import asyncio
import random
import ssl
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import cache


@cache
def trusted_certificates(*, trust_environment: bool = True) -> ssl.SSLContext:
    """Return the TLS context of all clients, with the certificate authorities of the system.

    With `trust_environment`, SSL_CERT_FILE and SSL_CERT_DIR replace them.
    """
    import httpx2

    return httpx2.create_ssl_context(trust_env=trust_environment)


def growing_pauses(first: float, longest: float) -> Iterator[float]:
    """Yield pauses in seconds without end: `first`, doubling up to `longest`."""
    pause = first
    while True:
        yield pause
        pause = min(2 * pause, longest)


def pick_pause(attempt: int, first: float, longest: float) -> float:
    """Return the pause of `growing_pauses` after `attempt` (from 1), in seconds, shortened by up to half at random."""
    pause = min(longest, first * 2.0 ** min(attempt - 1, 20))
    return pause * random.uniform(0.5, 1.0)  # noqa: S311 - spreads load, keeps no secret


def parse_retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait, given as a number or as a time of day; None without any.

    Source: RFC 9110 section 10.2.3.
    """
    for header, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[header]) / unit)
        except (KeyError, ValueError):
            continue
    until, now = _time(headers, "retry-after"), _time(headers, "date")
    return None if until is None or now is None else max(0.0, (until - now).total_seconds())


def _time(headers: Mapping[str, str], header: str) -> datetime | None:
    """Return the time in `header`, when it has a zone."""
    try:
        moment = parsedate_to_datetime(headers[header])
    except (KeyError, ValueError):
        return None
    return None if moment.tzinfo is None else moment


class RequestPauses:
    """The pauses that servers asked for; one ends early when the clock is set back to before its beginning."""

    def __init__(self) -> None:
        self._periods: dict[str, tuple[datetime, datetime]] = {}

    def begin(self, key: str, now: datetime, seconds: float) -> None:
        """Begin a pause of `seconds` for `key`; it replaces an earlier one."""
        self._periods[key] = (now, now + timedelta(seconds=seconds))

    def seconds_left(self, key: str, now: datetime) -> float:
        """Return the rest of the pause of `key` in seconds; 0 without one."""
        begin, end = self._periods.get(key, (now, now))
        if begin <= now < end:
            return (end - now).total_seconds()
        self._periods.pop(key, None)
        return 0.0


class CircuitBreaker:
    """Counts the failures of an endpoint and stops requests to it.

    After `failures` failures in a row it opens for `cooldown` seconds of the event loop's clock; then it admits one
    request as a probe, whose outcome closes the breaker or opens it again.
    """

    def __init__(self, *, failures: int = 3, cooldown: float = 30.0) -> None:
        self._limit = failures
        self._cooldown = cooldown
        self._failures = 0
        self._opened_at: float | None = None
        self._is_probing = False

    @property
    def is_open(self) -> bool:
        """Return whether requests are stopped, or a probe is in progress."""
        return self._opened_at is not None

    def admits(self) -> bool:
        """Return whether a request may be made now; while open, True starts the probe. Record its outcome."""
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
        """Record a request that ended without an outcome, such as by cancellation."""
        self._is_probing = False


def _now() -> float:
    return asyncio.get_running_loop().time()
