"""The steps that make a reminder again what it was."""

from function_calls.tools.calls import UndoStep
from services.reminders.model import Reminder


def put_back(reminder: Reminder, *, is_ended: bool = False) -> UndoStep:
    """Tell what makes `reminder` again what it is now; `is_ended` says that the change which it takes back ends it."""
    return UndoStep(
        name="reminder_put_back",
        arguments={
            "reminder_id": reminder.id,
            "content": reminder.content,
            "start": reminder.schedule.start.isoformat(),
            "zone": reminder.schedule.zone,
            "rule": reminder.schedule.rule,
            "targets": [{"id": person.id, "name": person.name} for person in reminder.targets],
            "urgent": reminder.is_urgent,
            "missed": reminder.catch_up.value,
            "ended": is_ended,
        },
    )


def restore(reminder: Reminder) -> UndoStep:
    """Return what brings a deleted `reminder` back."""
    return UndoStep(name="reminder_restore", arguments={"reminder_id": reminder.id})


def delete(reminder: Reminder) -> UndoStep:
    """Return what takes a new `reminder` back."""
    return UndoStep(name="reminder_delete", arguments={"reminder_id": reminder.id})
