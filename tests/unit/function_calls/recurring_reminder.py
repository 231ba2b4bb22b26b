"""Build a recurring reminder for tests of displayed repetitions."""

from datetime import UTC, datetime

from services.kernel.chat import ChatAddress, Person
from services.recurrence.schedule import read_schedule
from services.reminders.model import Reminder, ReminderState


def make_recurring(rule_text: str, *, start: datetime = datetime(2026, 11, 25, 20, 0), zone: str = "UTC") -> Reminder:
    return Reminder(
        id="ptc7uz",
        address=ChatAddress(platform="fake", chat_id="home"),
        creator=Person(id="ann", name="ann"),
        targets=(),
        content="tea",
        schedule=read_schedule(start, zone, rule_text),
        language="en",
        state=ReminderState.ACTIVE,
        next_fires=(),
        created_at=datetime(2026, 11, 20, tzinfo=UTC),
    )
