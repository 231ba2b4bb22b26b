"""Claiming what falls due: one transaction from the reminder's next fire to a leased row of the ledger."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from services.reminders.model import CatchUp, ReminderState
from services.reminders.occurrences import MOST_CAUGHT_UP, DuePlan, Occurrence, plan_due
from services.reminders.quiet_hours import QuietHours
from services.reminders.records import Claim, DeliveryState, Lease
from services.reminders.recurrence import next_after
from services.storage.inserts import insert_new
from services.storage.instants import from_micros, from_micros_or_none, to_micros, to_micros_or_none
from services.storage.postgres_marks import advance_at_once
from services.storage.quiet import Quiet
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
    REMINDER.c.catch_up,
    *NOTICE_COLUMNS,
)
_REALIGN_ROWS = 1000
_ALL_ROWS = 1_000_000  # SQLite has no OFFSET without LIMIT


@dataclass(frozen=True, kw_only=True, slots=True)
class Claimer:
    """Who claims, and when: `until` in microseconds, `limit` in rows. `quiet` is for chats without hours of their own."""

    owner: str
    now: datetime
    until: int
    limit: int
    quiet: QuietHours | None


def claim(connection: sa.Connection, claimer: Claimer) -> Claim:
    """Lease what is due, and say when the next one comes."""
    until = claimer.until
    fresh = _claim_due(connection, claimer)
    freed = _claim_freed(connection, claimer)
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


def _claim_due(connection: sa.Connection, claimer: Claimer) -> list[Lease]:
    query = (
        sa.select(*_DUE_COLUMNS)
        .where(REMINDER.c.next_fire_at <= claimer.until, IS_DUE)
        .order_by(REMINDER.c.next_fire_at)
        .limit(claimer.limit)
        .with_for_update(skip_locked=True)
    )
    rows = connection.execute(query).mappings().all()
    if not rows:
        return []
    planned = [(row, _plan(row, claimer.now)) for row in rows]
    absorbed = _absorb_waiting(connection, planned)
    inserted = _insert_occurrences(connection, claimer, planned, absorbed)
    _advance(connection, planned, to_micros(claimer.now))
    return [lease_of(row, occurred) for row, occurred in inserted]


def _plan(row: sa.RowMapping, now: datetime) -> DuePlan:
    return plan_due(schedule_of(row), CatchUp(row["catch_up"]), from_micros(row["next_fire_at"]), now)


def _absorb_waiting(connection: sa.Connection, planned: Sequence[tuple[sa.RowMapping, DuePlan]]) -> dict[int, int]:
    """Fold older occurrences that wait for another try into the newer one; say how many each had.

    Where every missed one is wanted they wait on, as many as are caught up with at most.
    """
    rows = [row for row, _ in planned if row["rule"]]
    folded = [row["id"] for row in rows if row["catch_up"] != CatchUp.ALL.value]
    counts = _absorb(connection, DELIVERY.c.reminder_id.in_(folded)) if folded else {}
    for row in rows:
        if row["catch_up"] == CatchUp.ALL.value:
            older = sa.select(DELIVERY.c.id).where(DELIVERY.c.reminder_id == row["id"], IS_FREED)
            older = older.order_by(DELIVERY.c.due_at.desc()).offset(MOST_CAUGHT_UP - 1)
            surplus = connection.scalars(older.limit(_ALL_ROWS)).all()
            counts |= _absorb(connection, DELIVERY.c.id.in_(surplus)) if surplus else {}
    return counts


def _absorb(connection: sa.Connection, which: sa.ColumnElement[bool]) -> dict[int, int]:
    waiting = sa.and_(which, IS_FREED)
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
    connection: sa.Connection,
    claimer: Claimer,
    planned: Sequence[tuple[sa.RowMapping, DuePlan]],
    absorbed: Mapping[int, int],
) -> list[tuple[sa.RowMapping, Occurred]]:
    """Insert one ledger row for each; an occurrence that exists already is not claimed a second time.

    Returns those that are to be said now: neither skipped nor held back by quiet hours.
    """
    quiet = Quiet(connection, [row for row, _ in planned], claimer.quiet)
    values: dict[tuple[int, int], dict[str, Any]] = {}
    rows: dict[int, sa.RowMapping] = {}
    for row, plan in planned:
        rows[row["id"]] = row
        for place, occurrence in enumerate(plan.occurrences):
            columns = _occurrence_columns(row, occurrence, 0 if place else absorbed.get(row["id"], 0))
            held_until = None if occurrence.is_skipped else quiet.end(row, max(occurrence.due_at, claimer.now))
            if held_until is not None:
                columns |= {"try_at": to_micros(held_until), "was_held": True}
            elif not occurrence.is_skipped:
                columns["owner"] = claimer.owner
            values[row["id"], columns["due_at"]] = columns
    insert = insert_new(connection, DELIVERY).returning(DELIVERY.c.id, DELIVERY.c.reminder_id, DELIVERY.c.due_at)
    made = connection.execute(insert, list(values.values())).all()
    leased = [(rows[each.reminder_id], values[each.reminder_id, each.due_at], each.id) for each in made]
    return [
        (row, occurred_of({**columns, "delivery_id": identifier}))
        for row, columns, identifier in leased
        if columns["owner"]
    ]


def _occurrence_columns(row: sa.RowMapping, occurrence: Occurrence, absorbed: int) -> dict[str, Any]:
    due_at = to_micros(occurrence.due_at)
    state = DeliveryState.SKIPPED if occurrence.is_skipped else DeliveryState.LEASED
    return {
        "reminder_id": row["id"],
        "due_at": due_at,
        "version": row["version"],
        "content": row["content"],
        "chat_key": row["chat_key"],
        "missed": occurrence.missed + absorbed,
        "state": state.value,
        "try_at": due_at,
        "attempt": 0,
        "message_key": "",
        "was_held": False,
        "owner": "",
    }


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


def _advance_one_by_one(
    connection: sa.Connection, planned: Sequence[tuple[sa.RowMapping, DuePlan]], now: int
) -> None:
    connection.execute(
        REMINDER.update()
        .where(REMINDER.c.id == sa.bindparam("key"))
        .values(next_fire_at=sa.bindparam("following"), last_due_at=sa.bindparam("due"), updated_at=now),
        [
            {"key": row["id"], "following": to_micros_or_none(plan.next_fire_at), "due": to_micros(plan.due_at)}
            for row, plan in planned
        ],
    )


def _claim_freed(connection: sa.Connection, owner: str, until: int, limit: int) -> list[Lease]:
    # Two statements: what the second reads is as it was when the first had locked it.
    freed = connection.scalars(_freed_ids(until, limit)).all()
    if not freed:
        return []
    query = (
        sa.select(*DELIVERY_COLUMNS, *NOTICE_COLUMNS)
        .join(REMINDER, REMINDER.c.id == DELIVERY.c.reminder_id)
        .where(DELIVERY.c.id.in_(freed))
    )
    rows = connection.execute(query).mappings().all()
    connection.execute(DELIVERY.update().where(DELIVERY.c.id.in_(freed)).values(owner=owner))
    return [lease_of(row, occurred_of(row)) for row in rows]


def _freed_ids(until: int, limit: int) -> sa.Select[tuple[int]]:
    return (
        sa.select(DELIVERY.c.id)
        .where(DELIVERY.c.try_at <= until, IS_FREED)
        .order_by(DELIVERY.c.try_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
