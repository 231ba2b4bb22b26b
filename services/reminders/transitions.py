"""Compute the change that a command makes to a reminder, from its row."""

from datetime import datetime, timedelta

from msgspec.structs import replace

from services.kernel.chat import Person
from services.kernel.errors import RequestRefused
from services.people.member_names import target_ids
from services.recurrence.fires import check, next_after
from services.recurrence.schedule import mark_done
from services.reminders.model import EVERYONE, Reminder, ReminderEdit, ReminderState, public_id
from services.reminders.records import Change, PendingPolicy, StoredReminder


def cancel(row: StoredReminder) -> Change:
    """Delete the reminder; pending occurrences are cancelled."""
    return _stop(row, ReminderState.CANCELLED)


def pause(row: StoredReminder) -> Change:
    """Pause the reminder until it is resumed."""
    return _stop(row, ReminderState.PAUSED)


def resume(row: StoredReminder, now: datetime, shortest: timedelta) -> Change:
    """Resume the reminder from the next fire after now.

    Raises:
        RequestRefused: `time_in_past` or `rule_never_fires`, there is no fire left.
    """
    return _reschedule(row, ReminderEdit(schedule=row.schedule), now, shortest)


def edit(
    row: StoredReminder, edit: ReminderEdit, now: datetime, shortest: timedelta, asked_at: datetime | None = None
) -> Change:
    """Change words, people or times; with new times, occurrences claimed for the old ones are cancelled.

    A single time that has come since `asked_at` is due at once.

    Raises:
        RequestRefused: the new schedule cannot be kept.
    """
    if edit.schedule is not None and row.state is not ReminderState.PAUSED:
        return _reschedule(row, edit, now, shortest, asked_at)
    return _edit_fields(row, edit)


def finish(row: StoredReminder, now: datetime, shortest: timedelta) -> Change | None:
    """Finish a one-time reminder or stop the follow-ups; None when there is nothing to stop."""
    schedule = mark_done(row.schedule, now)
    if row.schedule.rule is None:
        is_ahead = next_after(replace(row.schedule, follow_up=None), now) is not None
        state = ReminderState.CANCELLED if is_ahead else ReminderState.DONE
        return replace(_stop(row, state), schedule=schedule)
    if schedule == row.schedule:
        return None
    if next_after(schedule, now) is None:
        return replace(_stop(row, ReminderState.DONE), schedule=schedule)
    return edit(row, ReminderEdit(schedule=schedule), now, shortest)


def join(row: StoredReminder, person: Person, now: datetime, shortest: timedelta) -> Change | None:
    """Add `person` to the recipients; None when they are one already."""
    people = row.targets or (row.creator,)
    if {*target_ids(person), EVERYONE} & {each.id for each in people}:
        return None
    return edit(row, ReminderEdit(targets=(*people, person)), now, shortest)


def leave(
    row: StoredReminder, person: Person, others: tuple[Person, ...], now: datetime, shortest: timedelta
) -> Change | None:
    """Remove `person` from the recipients; None when they are none. `others` stay where it was for everyone.

    Raises:
        RequestRefused: `for_everyone(id)`, or `for_you_alone(id)`: nobody would be left.
    """
    people = row.targets or (row.creator,)
    if any(each.id == EVERYONE for each in people):
        if not others:
            raise RequestRefused("for_everyone", id=public_id(row.key))
        return edit(row, ReminderEdit(targets=others), now, shortest)
    others = tuple(each for each in people if each.id not in target_ids(person))
    if others == people:
        return None
    if not others:
        raise RequestRefused("for_you_alone", id=public_id(row.key))
    return edit(row, ReminderEdit(targets=others), now, shortest)


def _edit_fields(row: StoredReminder, edit: ReminderEdit) -> Change:
    """Return the change that `edit` makes to a reminder whose next fire stays."""
    return Change(
        key=row.key,
        version=row.version,
        content=row.content if edit.content is None else edit.content,
        targets=row.targets if edit.targets is None else edit.targets,
        schedule=edit.schedule or row.schedule,
        state=row.state,
        next_fire_at=row.next_fire_at,
        leases=PendingPolicy.REWRITE,
        is_urgent=edit.is_urgent,
        catch_up=edit.catch_up,
    )


def _reschedule(
    row: StoredReminder, edit: ReminderEdit, now: datetime, shortest: timedelta, asked_at: datetime | None = None
) -> Change:
    next_fire_at = check(edit.schedule or row.schedule, now, shortest, asked_at)
    change = _edit_fields(row, edit)
    return replace(change, state=ReminderState.ACTIVE, next_fire_at=next_fire_at, leases=PendingPolicy.CANCEL)


def _stop(row: StoredReminder, state: ReminderState) -> Change:
    return replace(_edit_fields(row, ReminderEdit()), state=state, next_fire_at=None, leases=PendingPolicy.CANCEL)


def has_same_words(row: StoredReminder, reminder: Reminder) -> bool:
    """Return whether `row` is another reminder with the words of `reminder`, in the same place."""
    is_same_place = (row.address, row.action) == (reminder.address, reminder.action)
    return is_same_place and row.content.casefold() == reminder.content.casefold()


def is_duplicate(one: Reminder, other: Reminder) -> bool:
    """Return whether two reminders come next at the same instant for the same people."""
    return one.id != other.id and one.next_fires[:1] == other.next_fires[:1] != () and _people(one) == _people(other)


def _people(reminder: Reminder) -> set[str]:
    return {person.id for person in reminder.targets or (reminder.creator,)}
