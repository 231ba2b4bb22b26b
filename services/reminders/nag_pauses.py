"""After how long what is being said comes again, until somebody says that it is done."""

from datetime import datetime, timedelta

from services.reminders.model import Schedule
from services.reminders.nagging import is_nagging, nag_of
from services.reminders.recurrence import next_after


def pause_after(schedule: Schedule, due: datetime) -> timedelta | None:
    """The pause after the fire at `due` (timezone-aware); None where no repetition follows it."""
    nag = nag_of(schedule.rule) if is_nagging(schedule.rule) else None
    following = None if nag is None else next_after(schedule, due)
    return nag.every if nag is not None and following is not None and following - due == nag.every else None
