"""Who claims what is due, and how much of it."""

from datetime import datetime

from msgspec import Struct

from services.reminders.quiet_hours import QuietHours


class Claimer(Struct, frozen=True, kw_only=True):
    """Leases go to `owner`, due by `until` (microseconds), at most `limit` rows of a kind.

    `quiet` are the hours of chats that have none of their own.
    """

    owner: str
    now: datetime
    until: int
    limit: int
    quiet: QuietHours | None = None
