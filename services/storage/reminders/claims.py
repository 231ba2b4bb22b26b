"""Claim due reminders and freed occurrences: insert occurrences and update next fires in one transaction."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from loguru import logger

from services.kernel.errors import RequestRefused
from services.recurrence.fires import next_after
from services.reminders.model import CatchUp, ReminderState
from services.reminders.occurrences import DuePlan, plan_due
from services.reminders.records import Claim, DeliveryState, Lease
from services.storage.engine.rows import from_micros, from_micros_or_none, to_micros, to_micros_or_none, upsert
from services.storage.engine.worker_registry import IS_GONE, WorkerRegistry
from services.storage.reminders import ledger, postgres_deliveries
from services.storage.reminders.occurrence_rows import ClaimRequest, Planned, insert_occurrences, merge_waiting
from services.storage.reminders.quiet_hours import Quiet
from services.storage.reminders.rows import NOTICE_COLUMNS, delivery_columns, delivery_rows, lease_of, schedule_of
from services.storage.tables import DELIVERY, META, REMINDER, WORKER
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
    """Lease due occurrences, and return them with the time of the next one."""
    due = _claim_due(connection, request)
    freed = _claim_freed(connection, request)
    next_fire = connection.scalar(sa.select(sa.func.min(REMINDER.c.next_fire_at)).where(IS_DUE))
    next_try = connection.scalar(sa.select(sa.func.min(DELIVERY.c.try_at)).where(IS_FREED))
    upcoming = [moment for moment in (next_fire, next_try) if moment is not None]
    return Claim(
        leases=(*due, *freed),
        next_at=from_micros_or_none(min(upcoming, default=None)),
        is_full=bool(upcoming) and min(upcoming) <= request.until,
    )


def realign(connection: sa.Connection, now: datetime) -> int:
    """Recompute the next fires after the clock was set back; return the number of changed reminders."""
    moment = to_micros(now)
    due_or_now = sa.case((DELIVERY.c.due_at > moment, DELIVERY.c.due_at), else_=moment)
    connection.execute(DELIVERY.update().where(DELIVERY.c.try_at > moment, IS_FREED).values(try_at=due_or_now))
    return _recompute_next_fires(connection, now)


def _recompute_next_fires(connection: sa.Connection, now: datetime) -> int:
    """Recompute the next fire of every active recurring reminder."""
    changed, last_id = 0, 0
    while True:
        query = (
            sa.select(REMINDER)
            .where(REMINDER.c.id > last_id, IS_REPEATED, IS_DUE)
            .order_by(REMINDER.c.id)
            .limit(_REALIGN_ROWS)
            .with_for_update()  # a reminder deleted meanwhile must not get a next fire
        )
        rows = connection.execute(query).mappings().all()
        if not rows:
            return changed
        last_id = rows[-1]["id"]
        for row in rows:
            try:
                computed = to_micros_or_none(next_after(schedule_of(row), now))
            except RequestRefused:
                continue  # this version cannot read the rule; the reminder is paused when it is due
            if row["next_fire_at"] > to_micros(now) and computed != row["next_fire_at"]:
                connection.execute(REMINDER.update().where(REMINDER.c.id == row["id"]).values(next_fire_at=computed))
                changed += 1


def follow_zone_data(connection: sa.Connection, version: str, now: datetime) -> int:
    """Recompute the next fires if the zone data changed; return the number of changed reminders."""
    known = connection.scalar(sa.select(META.c.value).where(META.c.key == _ZONE_DATA))
    if known == version:
        return 0
    connection.execute(upsert(connection, META, key=["key"]), {"key": _ZONE_DATA, "value": version})
    return 0 if known is None else _recompute_next_fires(connection, now)


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
    absorbed = merge_waiting(connection, planned)
    inserted = insert_occurrences(connection, request, planned, absorbed)
    _advance(connection, planned, to_micros(request.now))
    return [lease_of(row, delivery) for row, delivery in inserted]


def _plan(row: sa.RowMapping, now: datetime) -> DuePlan:
    return plan_due(schedule_of(row), CatchUp(row["catch_up"]), from_micros(row["next_fire_at"]), now)


def _advance(connection: sa.Connection, planned: Planned, now: int) -> None:
    """Store the next fire of every claimed reminder, in the transaction that inserted the occurrences."""
    if connection.dialect.name == "postgresql":
        plans = [(row["id"], to_micros_or_none(plan.next_fire_at), to_micros(plan.due_at)) for row, plan in planned]
        postgres_deliveries.advance_at_once(connection, plans, now)
    else:
        _advance_one_by_one(connection, planned, now)
    unreadable = [row["id"] for row, plan in planned if not plan.is_readable]
    if unreadable:
        paused = REMINDER.update().where(REMINDER.c.id.in_(unreadable))
        connection.execute(paused.values(state=ReminderState.PAUSED.value))


def _advance_one_by_one(connection: sa.Connection, planned: Planned, now: int) -> None:
    connection.execute(
        REMINDER.update()
        .where(REMINDER.c.id == sa.bindparam("key"))
        .values(next_fire_at=sa.bindparam("following"), last_due_at=sa.bindparam("due"), updated_at=now),
        [
            {"key": row["id"], "following": to_micros_or_none(plan.next_fire_at), "due": to_micros(plan.due_at)}
            for row, plan in planned
        ],
    )


def _claim_freed(connection: sa.Connection, request: ClaimRequest) -> list[Lease]:
    """Lease occurrences that are to be retried by now; those in quiet hours are deferred to their end."""
    # Two statements, so that the second reads the rows as the first has locked them.
    due = sa.select(DELIVERY.c.id).where(DELIVERY.c.try_at <= request.until, IS_FREED).order_by(DELIVERY.c.try_at)
    freed = list(connection.scalars(due.limit(request.limit).with_for_update(skip_locked=True)))
    if not freed:
        return []
    rows = delivery_rows(connection, freed)
    rows = [*rows, *_companions(connection, rows)]
    held = _defer_quiet(connection, request, rows)
    taken = [row for row in rows if row["delivery_id"] not in held]
    ids = [row["delivery_id"] for row in taken]
    connection.execute(DELIVERY.update().where(DELIVERY.c.id.in_(ids)).values(owner=request.owner))
    return [lease_of(row, delivery_columns(row)) for row in taken]


def _companions(connection: sa.Connection, rows: Sequence[sa.RowMapping]) -> Sequence[sa.RowMapping]:
    """Read the other occurrences of the messages of `rows`, because a message must be retried with all of them."""
    keys = {row["message_key"] for row in rows if row["message_key"]}
    if not keys:
        return ()
    known = [row["delivery_id"] for row in rows]
    companions = sa.select(DELIVERY.c.id).where(IS_FREED, DELIVERY.c.message_key.in_(keys), DELIVERY.c.id.not_in(known))
    ids = list(connection.scalars(companions.with_for_update()))
    return delivery_rows(connection, ids) if ids else ()


def _defer_quiet(connection: sa.Connection, request: ClaimRequest, rows: Sequence[sa.RowMapping]) -> set[int]:
    """Defer occurrences in quiet hours, except those that may have been sent already."""
    quiet = Quiet(connection, rows, request.quiet)
    held = {}
    for row in rows:
        is_unsent = row["state"] == DeliveryState.LEASED.value
        end = quiet.end(row, max(from_micros(row["try_at"]), request.now)) if is_unsent else None
        if end is not None:
            held[row["delivery_id"]] = to_micros(end)
    if held:
        put_off = DELIVERY.update().where(DELIVERY.c.id == sa.bindparam("key"))
        values = [{"key": key, "moment": moment} for key, moment in held.items()]
        connection.execute(put_off.values(try_at=sa.bindparam("moment"), was_held=True), values)
    return set(held)


_HAS_WORK = sa.text(
    f"SELECT least((SELECT min(next_fire_at) FROM reminder WHERE {IS_DUE}), "  # noqa: S608 - constants
    f"(SELECT min(try_at) FROM delivery WHERE {IS_FREED})) <= :until "
    f"OR EXISTS (SELECT FROM worker WHERE {IS_GONE})"
)


def claim_shared(connection: sa.Connection, workers: WorkerRegistry, request: ClaimRequest) -> Claim:
    """Free the leases of dead processes, and claim. Claim again by `horizon`, as other processes add reminders."""
    horizon = from_micros(request.until)
    values = {**workers.parameters, "until": request.until}
    if not connection.scalar(_HAS_WORK, values):
        return Claim(leases=(), next_at=horizon, is_full=False)
    workers.confirm(connection, request.owner)
    free_dead(connection, workers)
    found = claim(connection, request)
    return Claim(leases=found.leases, next_at=min(found.next_at or horizon, horizon), is_full=found.is_full)


def free_dead(connection: sa.Connection, workers: WorkerRegistry) -> int:
    """Free the leases of dead or frozen owners; return their number."""
    dead = workers.dead_owners(connection)
    freed = 0
    for owner in dead:
        postgres_deliveries.settle_appended(connection, owner)
        freed += ledger.free(connection, owner)
    if dead:
        connection.execute(WORKER.delete().where(WORKER.c.owner.in_(dead)))
        logger.info("{} workers are gone; freed {} occurrences they had claimed", len(dead), freed)
    return freed
