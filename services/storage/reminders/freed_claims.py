"""Claim freed occurrences: after a failure, a crash, or quiet hours."""

from collections.abc import Sequence

import sqlalchemy as sa

from services.reminders.records import DeliveryState, Lease
from services.storage.engine.rows import from_micros, to_micros
from services.storage.reminders.occurrence_rows import ClaimRequest
from services.storage.reminders.quiet_hours import Quiet
from services.storage.reminders.rows import DELIVERY_COLUMNS, NOTICE_COLUMNS, lease_of, occurred_of
from services.storage.tables import DELIVERY, REMINDER
from services.storage.tables.base import IS_FREED


def claim_freed(connection: sa.Connection, request: ClaimRequest) -> list[Lease]:
    """Lease what is to be retried by now; occurrences in quiet hours are deferred to their end."""
    # Two statements: what the second reads is as it was when the first had locked it.
    freed = list(connection.scalars(_due_ids(request)))
    if not freed:
        return []
    rows = _read(connection, freed)
    rows = [*rows, *_companions(connection, rows)]
    held = _hold(connection, request, rows)
    taken = [row for row in rows if row["delivery_id"] not in held]
    ids = [row["delivery_id"] for row in taken]
    connection.execute(DELIVERY.update().where(DELIVERY.c.id.in_(ids)).values(owner=request.owner))
    return [lease_of(row, occurred_of(row)) for row in taken]


def _due_ids(request: ClaimRequest) -> sa.Select[int]:
    return (
        sa.select(DELIVERY.c.id)
        .where(DELIVERY.c.try_at <= request.until, IS_FREED)
        .order_by(DELIVERY.c.try_at)
        .limit(request.limit)
        .with_for_update(skip_locked=True)
    )


def _read(connection: sa.Connection, ids: Sequence[int]) -> Sequence[sa.RowMapping]:
    query = (
        sa.select(*DELIVERY_COLUMNS, *NOTICE_COLUMNS)
        .join(REMINDER, REMINDER.c.id == DELIVERY.c.reminder_id)
        .where(DELIVERY.c.id.in_(ids))
    )
    return connection.execute(query).mappings().all()


def _companions(connection: sa.Connection, rows: Sequence[sa.RowMapping]) -> Sequence[sa.RowMapping]:
    """Read the other occurrences of the messages of `rows`: a message is claimed whole, or its key would hide them."""
    keys = {row["message_key"] for row in rows if row["message_key"]}
    if not keys:
        return ()
    known = [row["delivery_id"] for row in rows]
    others = sa.select(DELIVERY.c.id).where(IS_FREED, DELIVERY.c.message_key.in_(keys), DELIVERY.c.id.not_in(known))
    ids = list(connection.scalars(others.with_for_update()))
    return _read(connection, ids) if ids else ()


def _hold(connection: sa.Connection, request: ClaimRequest, rows: Sequence[sa.RowMapping]) -> set[int]:
    """Put off what falls into quiet hours; what may have been said already is not held back."""
    quiet = Quiet(connection, rows, request.quiet)
    held = {}
    for row in rows:
        is_certainly_unsaid = row["state"] == DeliveryState.LEASED.value
        end = quiet.end(row, max(from_micros(row["try_at"]), request.now)) if is_certainly_unsaid else None
        if end is not None:
            held[row["delivery_id"]] = to_micros(end)
    if held:
        put_off = DELIVERY.update().where(DELIVERY.c.id == sa.bindparam("key"))
        values = [{"key": key, "moment": moment} for key, moment in held.items()]
        connection.execute(put_off.values(try_at=sa.bindparam("moment"), was_held=True), values)
    return set(held)
