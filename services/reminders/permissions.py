"""Check who may change a reminder."""

from collections.abc import Callable

from services.kernel.chat import Person
from services.kernel.errors import RequestRefused
from services.people.member_names import target_ids
from services.reminders.model import EVERYONE, Reminder

Check = Callable[[Reminder, Person], None]
"""Raises `RequestRefused` where somebody may not do what they ask."""


def check_may_change(reminder: Reminder, person: Person) -> None:
    """Let the creator, the people it is for, and admins of the chat pass.

    Raises:
        RequestRefused: `not_your_reminder(id, owner)`.
    """
    concerned = {reminder.creator.id, *(target.id for target in reminder.targets)}
    if not person.is_admin and not target_ids(person) & concerned:
        raise RequestRefused("not_your_reminder", id=reminder.id, owner=reminder.creator.name)


def check_may_finish(reminder: Reminder, person: Person) -> None:
    """Check as `check_may_change`, but let anybody finish a reminder that everyone gets until it is done.

    Raises:
        RequestRefused: `not_your_reminder(id, owner)`.
    """
    if not is_for_everyone(reminder) or reminder.schedule.follow_up is None:
        check_may_change(reminder, person)


def let_anybody(reminder: Reminder, person: Person) -> None:
    """Let everybody of the chat pass."""
    del reminder, person


def is_for_everyone(reminder: Reminder) -> bool:
    """Return whether the whole chat is reminded."""
    return any(target.id == EVERYONE for target in reminder.targets)
