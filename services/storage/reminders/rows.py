"""Convert rows to the values of the reminder service, and back."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from services.kernel.chat import ChatAddress, Person
from services.recurrence.fires import load_zone_or_utc, previous_fire
from services.recurrence.rules import stored_rule
from services.recurrence.schedule import FollowUp, Schedule
from services.reminders.exchange.model import ImportedReminder
from services.reminders.model import CatchUp, DueNotice, ReminderAction, ReminderState, public_id
from services.reminders.occurrences import pause_after
from services.reminders.records import Change, DeliveryState, Lease, StoredReminder, ValidatedReminder
from services.storage.engine.rows import (
    format_people,
    from_micros,
    from_micros_or_none,
    parse_people,
    to_micros,
    to_micros_or_none,
)
from services.storage.tables import DELIVERY, REMINDER

_MINUTE = timedelta(minutes=1)
# The fields of a notice, under names that do not clash between the two tables.
NOTICE_COLUMNS = (
    REMINDER.c.chat_key,
    REMINDER.c.thread_id,
    REMINDER.c.creator_id,
    REMINDER.c.creator_name,
    REMINDER.c.targets,
    REMINDER.c.language,
    REMINDER.c.zone,
    REMINDER.c.rule,
    REMINDER.c.is_urgent,
    REMINDER.c.action,
    REMINDER.c.start_local,
    REMINDER.c.start_fold,
    REMINDER.c.follow_up_minutes,
    REMINDER.c.follow_up_times,
    REMINDER.c.done_until,
)


class DeliveryColumns(NamedTuple):
    """The columns of an occurrence that a notice needs; instants in microseconds."""

    delivery_id: int
    reminder_id: int
    due_at: int
    version: int
    content: str
    missed: int
    state: str
    try_at: int
    attempt: int
    message_key: str
    was_held: bool


_DELIVERY_COLUMNS = (DELIVERY.c.id.label("delivery_id"), *(DELIVERY.c[name] for name in DeliveryColumns._fields[1:]))


def delivery_rows(connection: sa.Connection, ids: Sequence[int]) -> Sequence[sa.RowMapping]:
    """Read the occurrences `ids` with the fields of their notices."""
    query = (
        sa.select(*_DELIVERY_COLUMNS, *NOTICE_COLUMNS)
        .join(REMINDER, REMINDER.c.id == DELIVERY.c.reminder_id)
        .where(DELIVERY.c.id.in_(ids))
    )
    return connection.execute(query).mappings().all()


def schedule_columns(schedule: Schedule) -> dict[str, object]:
    """Convert a schedule to columns; `fold` distinguishes two equal wall times."""
    follow_up = schedule.follow_up
    return {
        "rule": "" if schedule.rule is None else str(schedule.rule),
        "start_local": schedule.start.isoformat(),
        "start_fold": schedule.start.fold,
        "zone": schedule.zone,
        "follow_up_minutes": None if follow_up is None else follow_up.every // _MINUTE,
        "follow_up_times": None if follow_up is None else follow_up.times,
        "done_until": None if follow_up is None else to_micros_or_none(follow_up.done_until),
    }


def schedule_of(row: sa.RowMapping) -> Schedule:
    """Return the schedule of a row."""
    start = datetime.fromisoformat(row["start_local"]).replace(fold=row["start_fold"])
    rule = stored_rule(row["rule"]) if row["rule"] else None
    return Schedule(start=start, zone=row["zone"], rule=rule, follow_up=_follow_up_of(row))


def _follow_up_of(row: sa.RowMapping) -> FollowUp | None:
    if row["follow_up_minutes"] is None:
        return None
    return FollowUp(
        every=row["follow_up_minutes"] * _MINUTE,
        times=row["follow_up_times"],
        done_until=from_micros_or_none(row["done_until"]),
    )


def draft_columns(draft: ValidatedReminder, created_at: int) -> dict[str, object]:
    """Convert a new reminder to columns."""
    reminder, address, creator = draft.reminder, draft.reminder.address, draft.reminder.creator
    return {
        "request_key": reminder.request_key,
        "chat_key": address.key,
        "thread_id": address.thread_id,
        "creator_id": creator.id,
        "creator_name": creator.name,
        "targets": format_people(reminder.targets),
        "content": reminder.content,
        "language": reminder.language,
        "is_private": reminder.is_private,
        "is_urgent": reminder.is_urgent,
        "catch_up": reminder.catch_up.value,
        "action": reminder.action.value,
        **schedule_columns(reminder.schedule),
        "next_fire_at": to_micros(draft.first_fire),
        "version": 1,
        "state": ReminderState.ACTIVE.value,
        "created_at": created_at,
        "updated_at": created_at,
    }


def imported_columns(imported: ImportedReminder, now: datetime) -> dict[str, object]:
    """Return the columns of an imported reminder; `now` is the time of the import."""
    draft = ValidatedReminder(reminder=imported.reminder, first_fire=imported.next_fire_at or now)
    return {
        **draft_columns(draft, to_micros(imported.created_at)),
        "next_fire_at": to_micros_or_none(imported.next_fire_at),
        "state": imported.state.value,
        "updated_at": to_micros(now),
    }


def change_columns(change: Change, now: datetime) -> dict[str, object]:
    """Convert a change to columns, without the next fire."""
    chosen = {"is_urgent": change.is_urgent, "catch_up": None if change.catch_up is None else change.catch_up.value}
    return {
        **{name: value for name, value in chosen.items() if value is not None},
        "content": change.content,
        "targets": format_people(change.targets),
        **schedule_columns(change.schedule),
        "state": change.state.value,
        "version": change.version + 1,
        "updated_at": to_micros(now),
    }


def reminder_of(row: sa.RowMapping) -> StoredReminder:
    """Convert a row of the reminder table."""
    return StoredReminder(
        key=row["id"],
        version=row["version"],
        request_key=row["request_key"],
        address=ChatAddress.of_key(row["chat_key"], row["thread_id"]),
        creator=creator_of(row),
        targets=parse_people(row["targets"]),
        content=row["content"],
        schedule=schedule_of(row),
        language=row["language"],
        is_private=bool(row["is_private"]),
        state=ReminderState(row["state"]),
        next_fire_at=from_micros_or_none(row["next_fire_at"]),
        created_at=from_micros(row["created_at"]),
        is_urgent=bool(row["is_urgent"]),
        catch_up=CatchUp(row["catch_up"]),
        action=ReminderAction(row["action"]),
    )


def delivery_columns(columns: sa.RowMapping | Mapping[str, Any]) -> DeliveryColumns:
    """Return the columns of the occurrence in a joined row."""
    return DeliveryColumns(*(columns[name] for name in DeliveryColumns._fields))


def lease_of(row: sa.RowMapping, delivery: DeliveryColumns) -> Lease:
    """Build a claimed occurrence of the reminder in `row`, ready to be sent."""
    identifier = public_id(delivery.reminder_id)
    schedule = schedule_of(row)
    due_at = from_micros(delivery.due_at).astimezone(load_zone_or_utc(row["zone"]))
    action = ReminderAction(row["action"])
    notice = DueNotice(
        delivery_id=delivery.delivery_id,
        idempotency_key=f"{identifier}-{delivery.due_at}",
        reminder_id=identifier,
        address=ChatAddress.of_key(row["chat_key"], row["thread_id"]),
        creator=creator_of(row),
        targets=parse_people(row["targets"]),
        content=delivery.content,
        language=row["language"],
        due_at=due_at,
        missed=delivery.missed,
        is_recurring=schedule.is_repeated,
        attempt=delivery.attempt + 1,
        may_be_repeat=delivery.state == DeliveryState.UNKNOWN,
        was_held=bool(delivery.was_held),
        repeats_every=pause_after(schedule, due_at),
        action=action,
        covers_since=None if action is ReminderAction.SAY else previous_fire(schedule, due_at),
    )
    return Lease(
        notice=notice,
        reminder_key=delivery.reminder_id,
        version=delivery.version,
        try_at=from_micros(delivery.try_at),
        message_key=delivery.message_key,
    )


def creator_of(row: sa.RowMapping) -> Person:
    """Return the creator of the reminder in `row`."""
    return Person(id=row["creator_id"], name=row["creator_name"])
