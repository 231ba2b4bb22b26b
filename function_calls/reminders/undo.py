"""The steps that make a reminder again what it was."""

from function_calls.calls import UndoStep
from services.reminders.model import Reminder


def put_back(reminder: Reminder) -> UndoStep:
    """What makes `reminder` again what it is now."""
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
        },
    )


def restore(reminder: Reminder) -> UndoStep:
    """What brings a deleted `reminder` back."""
    return UndoStep(name="reminder_restore", arguments={"reminder_id": reminder.id})


def delete(reminder: Reminder) -> UndoStep:
    """What takes a new `reminder` back."""
    return UndoStep(name="reminder_delete", arguments={"reminder_id": reminder.id})
