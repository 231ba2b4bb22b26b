"""What a command turns a reminder into: pure, from the row as it was read."""

from datetime import datetime, timedelta

from services.reminders.model import ReminderEdit, ReminderState
from services.reminders.records import Change, LeaseFate, StoredReminder
from services.reminders.recurrence import check


def cancelled(row: StoredReminder) -> Change:
    """Deleted: nothing that has not begun is said."""
    return _stopped(row, ReminderState.CANCELLED)


def paused(row: StoredReminder) -> Change:
    """Silent until it is resumed."""
    return _stopped(row, ReminderState.PAUSED)


def resumed(row: StoredReminder, now: datetime, shortest: timedelta) -> Change:
    """Active again, from the next fire after now.

    Raises:
        RequestRefused: `time_in_past` or `rule_never_fires`, there is no fire left.
    """
    return _changed(row, ReminderEdit(schedule=row.schedule), now, shortest)


def edited(row: StoredReminder, edit: ReminderEdit, now: datetime, shortest: timedelta) -> Change:
    """With new words, people or times. With new times, what was claimed for the old ones is not said.

    Raises:
        RequestRefused: the new schedule cannot be kept.
    """
    if edit.schedule is not None and row.state is not ReminderState.PAUSED:
        return _changed(row, edit, now, shortest)
    return Change(
        key=row.key,
        version=row.version,
        content=row.content if edit.content is None else edit.content,
        targets=row.targets if edit.targets is None else edit.targets,
        schedule=edit.schedule or row.schedule,
        state=row.state,
        next_fire_at=row.next_fire_at,
        leases=LeaseFate.REWRITE,
        is_urgent=edit.is_urgent,
        catch_up=edit.catch_up,
    )


def _changed(row: StoredReminder, edit: ReminderEdit, now: datetime, shortest: timedelta) -> Change:
    schedule = edit.schedule or row.schedule
    return Change(
        key=row.key,
        version=row.version,
        content=row.content if edit.content is None else edit.content,
        targets=row.targets if edit.targets is None else edit.targets,
        schedule=schedule,
        state=ReminderState.ACTIVE,
        next_fire_at=check(schedule, now, shortest),
        leases=LeaseFate.CANCEL,
        is_urgent=edit.is_urgent,
        catch_up=edit.catch_up,
    )


def _stopped(row: StoredReminder, state: ReminderState) -> Change:
    return Change(
        key=row.key,
        version=row.version,
        content=row.content,
        targets=row.targets,
        schedule=row.schedule,
        state=state,
        next_fire_at=None,
        leases=LeaseFate.CANCEL,
    )
