"""Configure the delivery worker, and adapt its prefetch to the speed of the platform."""

from datetime import timedelta

from msgspec import Struct


class DeliveryConfig(Struct, frozen=True, kw_only=True):
    """The limits and intervals of the delivery worker.

    It claims `look_ahead` before the due time in batches of `batch`, looks at the clock at least every `tick`, has at
    most `senders` messages in flight, `ahead` more begun where the platform is quick, and `most_held` occurrences in
    memory, and calls a send lost after `send_limit`.
    At most `together` occurrences that are due in one chat are said in one message.
    """

    look_ahead: timedelta = timedelta(seconds=5)
    tick: timedelta = timedelta(seconds=1)
    batch: int = 500
    senders: int = 16
    ahead: int = 1000
    most_held: int = 20_000
    send_limit: timedelta = timedelta(minutes=2)
    together: int = 10


_WEIGHT = 0.2  # of the newest measurement
_SHORTEST_SEND_SECONDS = 1e-5


class Prefetch:
    """Computes how many occurrences to begin ahead, from the durations of sends and of ledger queries.

    Beginning exactly as many as there are free senders would make quick platforms wait for the disk; beginning
    many would leave deleted reminders begun. So `ahead` is what the senders get done while the ledger answers
    twice, which is nearly nothing on a slow platform.
    """

    def __init__(self, *, senders: int, most: int) -> None:
        self._senders = senders
        self._most = most
        self._send_seconds: float | None = None
        self._question_seconds = 0.0
        self.ahead = 0
        """The number of sends that may begin beyond the free senders."""

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
        self._question_seconds = seconds
        self._compare()

    def _compare(self) -> None:
        if self._send_seconds is not None:
            wanted = 2 * self._senders * self._question_seconds / max(self._send_seconds, _SHORTEST_SEND_SECONDS)
            self.ahead = min(self._most, int(wanted))
