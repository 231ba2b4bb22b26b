"""Who may change a reminder."""

from services.chat import Person
from services.errors import RequestRefused
from services.reminders.model import Reminder


def check_may_change(reminder: Reminder, person: Person) -> None:
    """Let the creator, the people it is for, and admins of the chat pass.

    Raises:
        RequestRefused: `not_your_reminder(id, owner)`.
    """
    concerned = {reminder.creator.id, *(target.id for target in reminder.targets)}
    if not person.is_admin and person.id not in concerned:
        raise RequestRefused("not_your_reminder", id=reminder.id, owner=reminder.creator.name)
