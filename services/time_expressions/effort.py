"""Limit the work of reading the times of one message, of which many parts may be read many times.

Work is counted and not timed, so that the same message is always read alike.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MOST_EFFORT = 1_000
"""Units for one message, a phrase tried or some characters scanned: more than one in a thousand messages needs."""


class Effort:
    """Units of work left."""

    def __init__(self, most: int) -> None:
        self._left = most
        self._paid = set[object]()

    @property
    def is_spent(self) -> bool:
        """Return whether nothing is left: the texts after that were not read."""
        return self._left <= 0

    def spend(self, units: int, once_for: object = None) -> None:
        """Take `units` off, for a hashable `once_for` the first time only."""
        if once_for is None or once_for not in self._paid:
            self._left -= units
        self._paid.add(once_for)


_CURRENT: ContextVar[Effort | None] = ContextVar("effort", default=None)


@contextmanager
def limited_effort(most: int = MOST_EFFORT) -> Iterator[Effort]:
    """Read no more times in here once `most` units are spent; an inner limit counts for itself."""
    effort = Effort(most)
    token = _CURRENT.set(effort)
    try:
        yield effort
    finally:
        _CURRENT.reset(token)


def is_effort_spent() -> bool:
    """Tell whether a limit is in force here and reached, so that some of the texts were not read."""
    effort = _CURRENT.get()
    return effort is not None and effort.is_spent


def spend_effort(units: int, once_for: object = None) -> None:
    """Take `units` off the limit that is in force here, if there is one; for a `once_for` the first time only."""
    effort = _CURRENT.get()
    if effort is not None:
        effort.spend(units, once_for)
