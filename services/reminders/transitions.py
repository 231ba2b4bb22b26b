"""Compute the change of a reminder's row for each command."""

from datetime import datetime

from msgspec.structs import replace

from services.kernel.chat import Person
from services.kernel.errors import RequestRefused
from services.people.member_names import target_ids
from services.recurrence.fires import check, next_after
from services.recurrence.schedule import mark_done
from services.reminders.model import EVERYONE, ReminderEdit, ReminderState, public_id
from services.reminders.records import Change, PendingPolicy, StoredReminder


def cancel(row: StoredReminder) -> Change:
    """Delete the reminder; pending occurrences are cancelled."""
    return _stop(row, ReminderState.CANCELLED)


def pause(row: StoredReminder) -> Change:
    """Pause the reminder until it is resumed."""
    return _stop(row, ReminderState.PAUSED)


def resume(row: StoredReminder, now: datetime) -> Change:
    """Resume the reminder from the next fire after now.

    Raises:
        RequestRefused: `time_in_past` or `rule_never_fires`: no fire is left.
    """
    return _reschedule(row, ReminderEdit(schedule=row.schedule), now)


def edit(row: StoredReminder, edit: ReminderEdit, now: datetime, asked_at: datetime | None = None) -> Change:
    """Change fields of the reminder; a new schedule cancels occurrences claimed for the old one.

    A one-time reminder with a time between `asked_at` and now is due at once.

    Raises:
        RequestRefused: the new schedule is not valid.
    """
    if edit.schedule is not None and row.state is not ReminderState.PAUSED:
        return _reschedule(row, edit, now, asked_at)
    return _edit_fields(row, edit)


def finish(row: StoredReminder, now: datetime) -> Change | None:
    """Finish a one-time reminder or stop the follow-ups; None if there is nothing to stop."""
    schedule = mark_done(row.schedule, now)
    if row.schedule.rule is None:
        is_ahead = next_after(replace(row.schedule, follow_up=None), now) is not None
        state = ReminderState.CANCELLED if is_ahead else ReminderState.DONE
        return replace(_stop(row, state), schedule=schedule)
    if schedule == row.schedule:
        return None
    if next_after(schedule, now) is None:
        return replace(_stop(row, ReminderState.DONE), schedule=schedule)
    return edit(row, ReminderEdit(schedule=schedule), now)


def join(row: StoredReminder, person: Person, now: datetime) -> Change | None:
    """Add `person` to the recipients; None if they are a recipient."""
    people = row.recipients
    if {*target_ids(person), EVERYONE} & {recipient.id for recipient in people}:
        return None
    return edit(row, ReminderEdit(targets=(*people, replace(person, has_joined=True))), now)


def leave(row: StoredReminder, person: Person, others: tuple[Person, ...], now: datetime) -> Change | None:
    """Remove `person` from the recipients; None if they are not a recipient.

    `others` are the remaining recipients of a reminder for everyone.

    Raises:
        RequestRefused: `for_everyone(id)` without `others`; `for_you_alone(id)`: nobody would be left.
    """
    people = row.recipients
    if any(recipient.id == EVERYONE for recipient in people):
        if not others:
            raise RequestRefused("for_everyone", id=public_id(row.key))
        return edit(row, ReminderEdit(targets=others), now)
    others = tuple(recipient for recipient in people if recipient.id not in target_ids(person))
    if others == people:
        return None
    if not others:
        raise RequestRefused("for_you_alone", id=public_id(row.key))
    return edit(row, ReminderEdit(targets=others), now)


def _edit_fields(row: StoredReminder, edit: ReminderEdit) -> Change:
    """Return the change for an edit that keeps the next fire, and who has joined."""
    before = {person.id: person for person in row.targets}
    return Change(
        key=row.key,
        version=row.version,
        content=row.content if edit.content is None else edit.content,
        targets=row.targets if edit.targets is None else tuple(before.get(each.id, each) for each in edit.targets),
        schedule=edit.schedule or row.schedule,
        state=row.state,
        next_fire_at=row.next_fire_at,
        leases=PendingPolicy.REWRITE,
        is_urgent=edit.is_urgent,
        catch_up=edit.catch_up,
    )


def _reschedule(row: StoredReminder, edit: ReminderEdit, now: datetime, asked_at: datetime | None = None) -> Change:
    next_fire_at = check(edit.schedule or row.schedule, now, asked_at)
    change = _edit_fields(row, edit)
    return replace(change, state=ReminderState.ACTIVE, next_fire_at=next_fire_at, leases=PendingPolicy.CANCEL)


def _stop(row: StoredReminder, state: ReminderState) -> Change:
    return replace(_edit_fields(row, ReminderEdit()), state=state, next_fire_at=None, leases=PendingPolicy.CANCEL)
