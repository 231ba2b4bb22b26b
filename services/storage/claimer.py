"""Who claims what is due, and how much of it."""

from dataclasses import dataclass
from datetime import datetime

from services.reminders.quiet_hours import QuietHours


@dataclass(frozen=True, kw_only=True, slots=True)
class Claimer:
    """Leases go to `owner`, due by `until` (microseconds), at most `limit` rows of a kind.

    `quiet` are the hours of chats that have none of their own.
    """

    owner: str
    now: datetime
    until: int
    limit: int
    quiet: QuietHours | None = None
