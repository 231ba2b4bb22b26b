"""Configure the delivery worker, and adapt its prefetch to the speed of the platform."""

from datetime import timedelta

from msgspec import Struct

from services.reminders.delivery.retry import RetryPolicy


class DeliveryConfig(Struct, frozen=True, kw_only=True):
    """The limits and intervals of the delivery worker.

    It claims occurrences `look_ahead` before their due time in batches of `batch`, and reads the clock at least every
    `tick`. It has at most `senders` messages in flight, begins at most `max_ahead` more on fast platforms, and holds
    at most `max_held` occurrences in memory. A send is lost after `send_limit`. One message has at most
    `max_per_message` occurrences of a chat.
    """

    look_ahead: timedelta = timedelta(seconds=5)
    tick: timedelta = timedelta(seconds=1)
    batch: int = 500
    senders: int = 16
    max_ahead: int = 1000
    max_held: int = 20_000
    send_limit: timedelta = timedelta(minutes=2)
    max_per_message: int = 10
    retries: RetryPolicy = RetryPolicy()


_WEIGHT = 0.2  # of the latest measurement
_MIN_SEND_SECONDS = 1e-5


class Prefetch:
    """Computes the number of occurrences to begin ahead from the durations of sends and of ledger queries.

    With only as many as free senders, a fast platform would wait for the disk; with many, deleted reminders would be
    begun already. So `ahead` is the number of sends in the time of two ledger queries, nearly 0 on a slow platform.
    """

    def __init__(self, *, senders: int, maximum: int) -> None:
        self._senders = senders
        self._maximum = maximum
        self._send_seconds: float | None = None
        self._query_seconds = 0.0
        self.ahead = 0
        """The number of messages that may begin beyond the free senders."""

    def record_send(self, seconds: float) -> None:
        """Record the duration of a send."""
        before = self._send_seconds
        if before is None:
            self._send_seconds = seconds
            self._compare()
        else:
            self._send_seconds = before + _WEIGHT * (seconds - before)

    def record_query(self, seconds: float) -> None:
        """Record the duration of a query to the ledger."""
        self._query_seconds = seconds
        self._compare()

    def _compare(self) -> None:
        if self._send_seconds is not None:
            wanted = 2 * self._senders * self._query_seconds / max(self._send_seconds, _MIN_SEND_SECONDS)
            self.ahead = min(self._maximum, int(wanted))
