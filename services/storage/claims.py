"""Claiming what falls due: one transaction from the reminder's next fire to a leased row of the ledger."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from services.reminders.model import ReminderState
from services.reminders.occurrences import Occurrence, occurrence_due
from services.reminders.records import Claim, DeliveryState, Lease
from services.reminders.recurrence import next_after
from services.storage.inserts import insert_new
from services.storage.instants import from_micros, from_micros_or_none, to_micros, to_micros_or_none
from services.storage.reminder_rows import (
    DELIVERY_COLUMNS,
    NOTICE_COLUMNS,
    Occurred,
    lease_of,
    occurred_of,
    schedule_of,
)
from services.storage.tables import DELIVERY, IS_DUE, IS_FREED, REMINDER

_DUE_COLUMNS = (
    REMINDER.c.id,
    REMINDER.c.version,
    REMINDER.c.content,
    REMINDER.c.start_local,
    REMINDER.c.start_fold,
    REMINDER.c.next_fire_at,
    *NOTICE_COLUMNS,
)
_REALIGN_ROWS = 1000


def claim(connection: sa.Connection, owner: str, now: datetime, horizon: datetime, limit: int) -> Claim:
    """Lease to `owner` what is due by `horizon`, and say when the next one comes."""
    until = to_micros(horizon)
    fresh = _claim_due(connection, owner, now, until, limit)
    freed = _claim_freed(connection, owner, until, limit)
    next_fire = connection.scalar(sa.select(sa.func.min(REMINDER.c.next_fire_at)).where(IS_DUE))
    next_try = connection.scalar(sa.select(sa.func.min(DELIVERY.c.try_at)).where(IS_FREED))
    upcoming = [moment for moment in (next_fire, next_try) if moment is not None]
    return Claim(
        leases=(*fresh, *freed),
        next_at=from_micros_or_none(min(upcoming, default=None)),
        is_full=bool(upcoming) and min(upcoming) <= until,
    )


def realign(connection: sa.Connection, now: datetime) -> int:
    """Compute the next fire of every active recurring reminder from its schedule again."""
    changed, last_id = 0, 0
    while True:
        query = (
            sa.select(REMINDER)
            .where(REMINDER.c.id > last_id, REMINDER.c.rule != "", IS_DUE)
            .order_by(REMINDER.c.id)
            .limit(_REALIGN_ROWS)
        )
        rows = connection.execute(query).mappings().all()
        if not rows:
            return changed
        last_id = rows[-1]["id"]
        for row in rows:
            computed = to_micros_or_none(next_after(schedule_of(row), now))
            if row["next_fire_at"] > to_micros(now) and computed != row["next_fire_at"]:
                connection.execute(REMINDER.update().where(REMINDER.c.id == row["id"]).values(next_fire_at=computed))
                changed += 1


def _claim_due(connection: sa.Connection, owner: str, now: datetime, until: int, limit: int) -> list[Lease]:
    query = (
        sa.select(*_DUE_COLUMNS)
        .where(REMINDER.c.next_fire_at <= until, IS_DUE)
        .order_by(REMINDER.c.next_fire_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    rows = connection.execute(query).mappings().all()
    if not rows:
        return []
    planned = [(row, occurrence_due(schedule_of(row), from_micros(row["next_fire_at"]), now)) for row in rows]
    absorbed = _absorb_waiting(connection, [row["id"] for row in rows if row["rule"]])
    inserted = _insert_occurrences(connection, owner, planned, absorbed)
    _advance(connection, planned, to_micros(now))
    return [lease_of(row, inserted[row["id"]]) for row, _ in planned if row["id"] in inserted]


def _absorb_waiting(connection: sa.Connection, reminder_ids: Sequence[int]) -> dict[int, int]:
    """Fold older occurrences that failed and wait for another try into the newer one; say how many each had."""
    if not reminder_ids:
        return {}
    waiting = sa.and_(DELIVERY.c.reminder_id.in_(reminder_ids), IS_FREED)
    counts: dict[int, int] = {}
    for found in connection.execute(
        DELIVERY.update()
        .where(waiting)
        .values(state=DeliveryState.CANCELLED.value, error="absorbed by a later occurrence")
        .returning(DELIVERY.c.reminder_id, DELIVERY.c.missed)
    ).mappings():
        counts[found["reminder_id"]] = counts.get(found["reminder_id"], 0) + found["missed"] + 1
    return counts


def _insert_occurrences(
    connection: sa.Connection, owner: str, planned: Sequence[tuple[sa.RowMapping, Occurrence]], absorbed: dict[int, int]
) -> dict[int, Occurred]:
    """Insert one ledger row for each; an occurrence that exists already is not claimed a second time."""
    values = {row["id"]: _occurrence_columns(row, plan, owner, absorbed.get(row["id"], 0)) for row, plan in planned}
    insert = insert_new(connection, DELIVERY).returning(DELIVERY.c.id, DELIVERY.c.reminder_id)
    return {
        made["reminder_id"]: occurred_of({**values[made["reminder_id"]], "delivery_id": made["id"]})
        for made in connection.execute(insert, list(values.values())).mappings()
    }


def _occurrence_columns(row: sa.RowMapping, plan: Occurrence, owner: str, absorbed: int) -> dict[str, object]:
    due_at = to_micros(plan.due_at)
    return {
        "reminder_id": row["id"],
        "due_at": due_at,
        "version": row["version"],
        "content": row["content"],
        "chat_key": row["chat_key"],
        "missed": plan.missed + absorbed,
        "state": DeliveryState.LEASED.value,
        "try_at": due_at,
        "attempt": 0,
        "owner": owner,
    }


def _advance(connection: sa.Connection, planned: Sequence[tuple[sa.RowMapping, Occurrence]], now: int) -> None:
    """Arm every claimed reminder for its next fire, in the same transaction that wrote the ledger."""
    connection.execute(
        REMINDER.update()
        .where(REMINDER.c.id == sa.bindparam("key"))
        .values(next_fire_at=sa.bindparam("following"), last_due_at=sa.bindparam("due"), updated_at=now),
        [
            {"key": row["id"], "following": to_micros_or_none(plan.next_fire_at), "due": to_micros(plan.due_at)}
            for row, plan in planned
        ],
    )
    unreadable = [row["id"] for row, plan in planned if not plan.is_readable]
    if unreadable:
        paused = REMINDER.update().where(REMINDER.c.id.in_(unreadable))
        connection.execute(paused.values(state=ReminderState.PAUSED.value))


def _claim_freed(connection: sa.Connection, owner: str, until: int, limit: int) -> list[Lease]:
    query = (
        sa.select(*DELIVERY_COLUMNS, *NOTICE_COLUMNS)
        .join(REMINDER, REMINDER.c.id == DELIVERY.c.reminder_id)
        .where(DELIVERY.c.id.in_(_freed_ids(until, limit)))
    )
    rows = connection.execute(query).mappings().all()
    if rows:
        taken = DELIVERY.update().where(DELIVERY.c.id.in_([row["delivery_id"] for row in rows]))
        connection.execute(taken.values(owner=owner))
    return [lease_of(row, occurred_of(row)) for row in rows]


def _freed_ids(until: int, limit: int) -> sa.Select[tuple[int]]:
    return (
        sa.select(DELIVERY.c.id)
        .where(DELIVERY.c.try_at <= until, IS_FREED)
        .order_by(DELIVERY.c.try_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
