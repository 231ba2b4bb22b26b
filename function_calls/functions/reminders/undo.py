"""Build the undo steps that restore reminders."""

from function_calls.tools.calls import UndoStep
from services.recurrence.schedule import rule_text
from services.reminders.model import Reminder


def put_back(reminder: Reminder, *, is_ended: bool = False) -> UndoStep:
    """Return the step that restores `reminder` as it is now; `is_ended` if the undone change ends it."""
    return UndoStep(
        name="reminder_put_back",
        arguments={
            "reminder_id": reminder.id,
            "content": reminder.content,
            "start": reminder.schedule.start.isoformat(),
            "zone": reminder.schedule.zone,
            "rule": rule_text(reminder.schedule),
            "targets": [{"id": person.id, "name": person.name} for person in reminder.targets],
            "urgent": reminder.is_urgent,
            "missed": reminder.catch_up.value,
            "ended": is_ended,
        },
    )


def restore(reminder: Reminder) -> UndoStep:
    """Return the step that restores a deleted `reminder`."""
    return UndoStep(name="reminder_restore", arguments={"reminder_id": reminder.id})


def delete(reminder: Reminder) -> UndoStep:
    """Return the step that deletes a new `reminder`."""
    return UndoStep(name="reminder_delete", arguments={"reminder_id": reminder.id})
