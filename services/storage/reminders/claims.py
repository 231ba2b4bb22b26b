"""Claim due reminders: insert their occurrences and arm their next fires in one transaction."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from services.recurrence.fires import next_after
from services.reminders.model import CatchUp, ReminderState
from services.reminders.occurrences import DuePlan, plan_due
from services.reminders.records import Claim, Lease
from services.storage.engine.postgres_deliveries import advance_at_once
from services.storage.engine.rows import from_micros, from_micros_or_none, to_micros, to_micros_or_none, upsert
from services.storage.reminders.freed_claims import claim_freed
from services.storage.reminders.occurrence_rows import ClaimRequest, absorb_waiting, insert_occurrences
from services.storage.reminders.rows import NOTICE_COLUMNS, lease_of, schedule_of
from services.storage.tables import DELIVERY, META, REMINDER
from services.storage.tables.base import IS_DUE, IS_FREED, IS_REPEATED

_DUE_COLUMNS = (
    REMINDER.c.id,
    REMINDER.c.version,
    REMINDER.c.content,
    REMINDER.c.next_fire_at,
    REMINDER.c.catch_up,
    *NOTICE_COLUMNS,
)
_REALIGN_ROWS = 1000
_ZONE_DATA = "zone_data"


def claim(connection: sa.Connection, request: ClaimRequest) -> Claim:
    """Lease what is due, and return when the next one is due."""
    until = request.until
    fresh = _claim_due(connection, request)
    freed = claim_freed(connection, request)
    next_fire = connection.scalar(sa.select(sa.func.min(REMINDER.c.next_fire_at)).where(IS_DUE))
    next_try = connection.scalar(sa.select(sa.func.min(DELIVERY.c.try_at)).where(IS_FREED))
    upcoming = [moment for moment in (next_fire, next_try) if moment is not None]
    return Claim(
        leases=(*fresh, *freed),
        next_at=from_micros_or_none(min(upcoming, default=None)),
        is_full=bool(upcoming) and min(upcoming) <= until,
    )


def realign(connection: sa.Connection, now: datetime) -> int:
    """Repair what a clock that was ahead has armed; return how many reminders fire at another time."""
    moment = to_micros(now)
    due_or_now = sa.case((DELIVERY.c.due_at > moment, DELIVERY.c.due_at), else_=moment)
    connection.execute(DELIVERY.update().where(DELIVERY.c.try_at > moment, IS_FREED).values(try_at=due_or_now))
    return _arm_anew(connection, now)


def _arm_anew(connection: sa.Connection, now: datetime) -> int:
    """Compute the next fire of every active recurring reminder from its schedule again."""
    changed, last_id = 0, 0
    while True:
        query = (
            sa.select(REMINDER)
            .where(REMINDER.c.id > last_id, IS_REPEATED, IS_DUE)
            .order_by(REMINDER.c.id)
            .limit(_REALIGN_ROWS)
            .with_for_update()  # what is deleted meanwhile must not be armed
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


def follow_zone_data(connection: sa.Connection, version: str, now: datetime) -> int:
    """Realign when the zones' rules changed since they were last used; return how many fires moved."""
    known = connection.scalar(sa.select(META.c.value).where(META.c.key == _ZONE_DATA))
    if known == version:
        return 0
    connection.execute(upsert(connection, META, key=["key"]), {"key": _ZONE_DATA, "value": version})
    return 0 if known is None else _arm_anew(connection, now)


def _claim_due(connection: sa.Connection, request: ClaimRequest) -> list[Lease]:
    query = (
        sa.select(*_DUE_COLUMNS)
        .where(REMINDER.c.next_fire_at <= request.until, IS_DUE)
        .order_by(REMINDER.c.next_fire_at)
        .limit(request.limit)
        .with_for_update(skip_locked=True)
    )
    rows = connection.execute(query).mappings().all()
    if not rows:
        return []
    planned = [(row, _plan(row, request.now)) for row in rows]
    absorbed = absorb_waiting(connection, planned)
    inserted = insert_occurrences(connection, request, planned, absorbed)
    _advance(connection, planned, to_micros(request.now))
    return [lease_of(row, occurred) for row, occurred in inserted]


def _plan(row: sa.RowMapping, now: datetime) -> DuePlan:
    return plan_due(schedule_of(row), CatchUp(row["catch_up"]), from_micros(row["next_fire_at"]), now)


def _advance(connection: sa.Connection, planned: Sequence[tuple[sa.RowMapping, DuePlan]], now: int) -> None:
    """Arm every claimed reminder for its next fire, in the same transaction that wrote the ledger."""
    if connection.dialect.name == "postgresql":
        plans = [(row["id"], to_micros_or_none(plan.next_fire_at), to_micros(plan.due_at)) for row, plan in planned]
        advance_at_once(connection, plans, now)
    else:
        _advance_one_by_one(connection, planned, now)
    unreadable = [row["id"] for row, plan in planned if not plan.is_readable]
    if unreadable:
        paused = REMINDER.update().where(REMINDER.c.id.in_(unreadable))
        connection.execute(paused.values(state=ReminderState.PAUSED.value))


def _advance_one_by_one(connection: sa.Connection, planned: Sequence[tuple[sa.RowMapping, DuePlan]], now: int) -> None:
    connection.execute(
        REMINDER.update()
        .where(REMINDER.c.id == sa.bindparam("key"))
        .values(next_fire_at=sa.bindparam("following"), last_due_at=sa.bindparam("due"), updated_at=now),
        [
            {"key": row["id"], "following": to_micros_or_none(plan.next_fire_at), "due": to_micros(plan.due_at)}
            for row, plan in planned
        ],
    )
