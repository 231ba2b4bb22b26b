"""Reminders that would say the same thing twice: set again by mistake, or by two people at once."""

from services.reminders.model import Reminder
from services.reminders.records import StoredReminder


def is_worded_alike(row: StoredReminder, reminder: Reminder) -> bool:
    """Return whether `row` is another reminder with the words of `reminder`, in the same place."""
    is_same_place = (row.address, row.action) == (reminder.address, reminder.action)
    return is_same_place and row.content.casefold() == reminder.content.casefold()


def is_twin(one: Reminder, other: Reminder) -> bool:
    """Return whether two reminders come next at the same instant for the same people."""
    return one.id != other.id and one.next_fires[:1] == other.next_fires[:1] != () and _people(one) == _people(other)


def _people(reminder: Reminder) -> set[str]:
    return {person.id for person in reminder.targets or (reminder.creator,)}
