"""Make the reminders that interpreters are tested with."""

from datetime import datetime
from zoneinfo import ZoneInfo

from bot.testing.turns import ANN, HOME, ZONE
from services.kernel.chat import Person
from services.recurrence.schedule import Schedule
from services.reminders.model import Reminder, ReminderState


def make_reminder(content: str, due: datetime, *, creator: Person = ANN, language: str = "en") -> Reminder:
    """Return a reminder of the test chat that is due once, at `due` (timezone-aware)."""
    zone = due.tzinfo.key if isinstance(due.tzinfo, ZoneInfo) else ZONE.key
    return Reminder(
        id="abc123",
        address=HOME,
        creator=creator,
        targets=(),
        content=content,
        schedule=Schedule(start=due.replace(tzinfo=None), zone=zone),
        language=language,
        state=ReminderState.ACTIVE,
        next_fires=(due,),
        created_at=due,
    )
