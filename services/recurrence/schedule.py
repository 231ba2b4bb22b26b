"""Declare the schedule of a reminder: a local wall time, a zone, a rule and its follow-ups."""

from datetime import datetime, timedelta

from msgspec import Struct

from services.recurrence.rules import Rule


class FollowUp(Struct, frozen=True, kw_only=True):
    """Each fire is repeated every `every`, at most `times`, until the next one comes.

    Fires up to `done_until` (UTC) are dealt with and not repeated.
    """

    every: timedelta
    times: int
    done_until: datetime | None = None


class Schedule(Struct, frozen=True, kw_only=True):
    """The times at which a reminder fires; instants are computed from the wall clock and the zone.

    `start` is naive local time in `zone` (IANA name): the one fire, or DTSTART of the rule. Without a rule it fires
    once.
    """

    start: datetime
    zone: str
    rule: Rule | None = None
    follow_up: FollowUp | None = None

    @property
    def is_repeated(self) -> bool:
        """Return whether more than one fire can come."""
        return self.rule is not None or self.follow_up is not None
