"""The ledger's own statements: begin, settle, free, cancel."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from services.reminders.model import ReminderState
from services.reminders.public_ids import public_id, row_key
from services.reminders.records import DeliveryRecord, DeliveryState, Lease, Mark
from services.storage.instants import from_micros, from_micros_or_none, to_micros
from services.storage.reminder_rows import DELIVERY_COLUMNS, NOTICE_COLUMNS, lease_of, occurred_of
from services.storage.tables import DELIVERY, IS_HELD, REMINDER

_WAITING = (DeliveryState.LEASED.value, DeliveryState.UNKNOWN.value)
_BEGINNABLE = (*_WAITING, DeliveryState.SENDING.value)
_FINAL = (DeliveryState.SENT.value, DeliveryState.PARKED.value, DeliveryState.CANCELLED.value)


def begin(connection: sa.Connection, owner: str, delivery_ids: Sequence[int]) -> dict[int, int]:
    """Mark as `sending` what is still ours: the re-check that makes an edit or a delete hold to the last moment."""
    still_ours = sa.and_(DELIVERY.c.id.in_(delivery_ids), DELIVERY.c.owner == owner, DELIVERY.c.state.in_(_BEGINNABLE))
    begun = connection.execute(
        DELIVERY.update()
        .where(still_ours)
        .values(state=DeliveryState.SENDING.value, attempt=DELIVERY.c.attempt + 1)
        .returning(DELIVERY.c.id, DELIVERY.c.version)
    )
    return {row.id: row.version for row in begun}


def renew(connection: sa.Connection, delivery_id: int) -> Lease | None:
    """Read a begun occurrence again, with the text and people of now."""
    row = (
        connection.execute(
            sa.select(*DELIVERY_COLUMNS, *NOTICE_COLUMNS)
            .join(REMINDER, REMINDER.c.id == DELIVERY.c.reminder_id)
            .where(DELIVERY.c.id == delivery_id)
        )
        .mappings()
        .one_or_none()
    )
    if row is None:
        return None
    occurred = occurred_of(row)
    return lease_of(row, occurred._replace(attempt=occurred.attempt - 1))


def settle(connection: sa.Connection, marks: Sequence[Mark]) -> None:
    """Record outcomes in one go; a reminder without a next fire is done once its last occurrence is."""
    connection.execute(
        DELIVERY.update()
        .where(DELIVERY.c.id == sa.bindparam("key"), DELIVERY.c.state == DeliveryState.SENDING.value)
        .values(
            state=sa.bindparam("outcome"),
            attempt=sa.bindparam("attempts"),
            try_at=sa.bindparam("moment"),
            sent_at=sa.bindparam("said_at"),
            platform_message_id=sa.bindparam("message"),
            error=sa.bindparam("reason"),
            owner="",
        ),
        [_mark_columns(mark) for mark in marks],
    )
    finished = [row_key(mark.reminder_id) for mark in marks if mark.state.value in _FINAL]
    if finished:
        is_over = sa.and_(
            REMINDER.c.id.in_(finished),
            REMINDER.c.next_fire_at.is_(None),
            REMINDER.c.state == ReminderState.ACTIVE.value,
        )
        connection.execute(REMINDER.update().where(is_over).values(state=ReminderState.DONE.value))


def free(connection: sa.Connection, owner: str | None) -> int:
    """Free leases; what was being sent may have arrived, so it becomes `unknown`."""
    held = IS_HELD if owner is None else sa.and_(IS_HELD, DELIVERY.c.owner == owner)
    freed = connection.execute(
        DELIVERY.update()
        .where(held)
        .values(
            owner="",
            state=sa.case(
                (DELIVERY.c.state == DeliveryState.SENDING.value, DeliveryState.UNKNOWN.value),
                else_=DELIVERY.c.state,
            ),
        )
    )
    return freed.rowcount


def cancel_leases(connection: sa.Connection, reminder_id: int, next_fire_at: int | None) -> None:
    """Cancel what has not begun, and make room for the fires that the changed reminder will have again."""
    of_reminder = DELIVERY.c.reminder_id == reminder_id
    connection.execute(
        DELIVERY.update()
        .where(of_reminder, DELIVERY.c.state.in_(_WAITING))
        .values(state=DeliveryState.CANCELLED.value, error="the reminder was changed", owner="")
    )
    if next_fire_at is not None:
        is_again_to_come = sa.and_(
            of_reminder, DELIVERY.c.state == DeliveryState.CANCELLED.value, DELIVERY.c.due_at >= next_fire_at
        )
        connection.execute(DELIVERY.delete().where(is_again_to_come))


def rewrite_leases(connection: sa.Connection, reminder_id: int, content: str, version: int) -> None:
    """Give what has not begun the new text."""
    waiting = sa.and_(DELIVERY.c.reminder_id == reminder_id, DELIVERY.c.state.in_(_WAITING))
    connection.execute(DELIVERY.update().where(waiting).values(content=content, version=version))


def purge(connection: sa.Connection, before: int, limit: int) -> int:
    """Delete final rows due before `before`."""
    old = sa.select(DELIVERY.c.id).where(DELIVERY.c.due_at < before, DELIVERY.c.state.in_(_FINAL)).limit(limit)
    return connection.execute(DELIVERY.delete().where(DELIVERY.c.id.in_(old))).rowcount


def deliveries(connection: sa.Connection, since: datetime, until: datetime) -> tuple[DeliveryRecord, ...]:
    """Every occurrence due in the period, oldest first."""
    in_period = DELIVERY.c.due_at.between(to_micros(since), to_micros(until))
    query = sa.select(DELIVERY).where(in_period).order_by(DELIVERY.c.due_at, DELIVERY.c.id)
    return tuple(
        DeliveryRecord(
            reminder_id=public_id(row.reminder_id),
            due_at=from_micros(row.due_at),
            state=DeliveryState(row.state),
            attempt=row.attempt,
            missed=row.missed,
            sent_at=from_micros_or_none(row.sent_at),
            error=row.error,
        )
        for row in connection.execute(query)
    )


def _mark_columns(mark: Mark) -> dict[str, object]:
    moment = to_micros(mark.at)
    return {
        "key": mark.delivery_id,
        "outcome": mark.state.value,
        "attempts": mark.attempt,
        "moment": moment,
        "said_at": moment if mark.state is DeliveryState.SENT else None,
        "message": mark.platform_message_id,
        "reason": mark.error,
    }
