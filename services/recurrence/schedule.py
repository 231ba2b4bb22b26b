"""Declare the schedule of a reminder: a local wall time, a zone and a rule."""

from datetime import datetime

from msgspec import Struct


class Schedule(Struct, frozen=True, kw_only=True):
    """The times at which a reminder fires; instants are computed from the wall clock and the zone.

    `start` is naive local time in `zone` (IANA name): the one fire, or DTSTART of the rule. `rule` is empty for
    once, else an RRULE value (RFC 5545, `FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0`).
    """

    start: datetime
    zone: str
    rule: str = ""
