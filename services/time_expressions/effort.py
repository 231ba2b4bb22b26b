"""Limit the work of reading the times in one message.

Work is counted in units instead of seconds, so that the same message always gives the same result.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MAX_EFFORT = 1_000
"""Units for one message; a unit is one phrase or ten characters. Fewer than one message in a thousand needs more."""


class Effort:
    """A limit of units of work."""

    def __init__(self, maximum: int) -> None:
        self._left = maximum
        self._paid = set[object]()

    @property
    def is_spent(self) -> bool:
        """Return whether the limit is reached; texts after that are not read."""
        return self._left <= 0

    def spend(self, units: int, once_for: object = None) -> None:
        """Spend `units`; with a hashable `once_for`, only the first time for that value."""
        if once_for is None or once_for not in self._paid:
            self._left -= units
        self._paid.add(once_for)


_CURRENT: ContextVar[Effort | None] = ContextVar("effort", default=None)


@contextmanager
def limited_effort(maximum: int = MAX_EFFORT) -> Iterator[Effort]:
    """Limit the work within the context to `maximum` units; a nested limit replaces it."""
    effort = Effort(maximum)
    token = _CURRENT.set(effort)
    try:
        yield effort
    finally:
        _CURRENT.reset(token)


def is_effort_spent() -> bool:
    """Return whether the current limit is reached, so that some texts were not read; False without a limit."""
    effort = _CURRENT.get()
    return effort is not None and effort.is_spent


def spend_effort(units: int, once_for: object = None) -> None:
    """Spend `units` of the current limit, if there is one; see `Effort.spend`."""
    effort = _CURRENT.get()
    if effort is not None:
        effort.spend(units, once_for)
