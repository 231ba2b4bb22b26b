"""Begin, settle, free and cancel occurrences in the ledger."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache

import sqlalchemy as sa

from services.reminders.model import ReminderState, public_id
from services.reminders.records import DeliveryOutcome, DeliveryRecord, DeliveryState
from services.storage.engine.rows import from_micros, from_micros_or_none, to_micros
from services.storage.engine.sent_journal import SentOccurrenceLine
from services.storage.reminders import postgres_deliveries, sqlite_deliveries
from services.storage.tables import DELIVERY, REMINDER
from services.storage.tables.base import BIG, IS_HELD, NEVER

WAITING = (DeliveryState.LEASED.value, DeliveryState.UNKNOWN.value)
# Without IN, which `executemany` does not support.
_IS_WAITING = sa.or_(*(DELIVERY.c.state == state for state in WAITING))
IS_SENDING = DELIVERY.c.state == DeliveryState.SENDING.value
_IS_WITHDRAWN = DELIVERY.c.is_withdrawn
FINAL = tuple(
    state.value for state in (DeliveryState.SENT, DeliveryState.FAILED, DeliveryState.CANCELLED, DeliveryState.SKIPPED)
)


def begin(
    connection: sa.Connection, owner: str, delivery_ids: Sequence[int], message_keys: Mapping[int, str]
) -> dict[int, int]:
    """Mark leased occurrences as `sending`, after a last check for edits and deletions."""
    is_postgres = connection.dialect.name == "postgresql"
    begin_at_once = postgres_deliveries.begin_at_once if is_postgres else sqlite_deliveries.begin_at_once
    started = begin_at_once(connection, owner, delivery_ids)
    shared = [
        {"key": delivery_id, "message": message_keys[delivery_id]}
        for delivery_id in started
        if delivery_id in message_keys
    ]
    if shared:
        connection.execute(_store_message_key(), shared)
    return started


def settle(connection: sa.Connection, outcomes: Sequence[DeliveryOutcome]) -> None:
    """Record outcomes together; a reminder without a next fire is done when its last occurrence is."""
    sent = [outcome for outcome in outcomes if outcome.state is DeliveryState.SENT]
    unsent = [outcome for outcome in outcomes if outcome.state is not DeliveryState.SENT]
    if sent:
        rows = [(outcome.delivery_id, to_micros(outcome.at), outcome.platform_message_id) for outcome in sent]
        is_postgres = connection.dialect.name == "postgresql"
        settle_sent = postgres_deliveries.settle_sent_at_once if is_postgres else sqlite_deliveries.settle_sent_at_once
        settle_sent(connection, rows, [outcome.reminder_key for outcome in sent])
    if unsent:
        connection.execute(_settle_other(), [_outcome_columns(outcome) for outcome in unsent])
    finished = [outcome.reminder_key for outcome in unsent if outcome.state.value in FINAL]
    if finished:
        is_over = sa.and_(REMINDER.c.next_fire_at.is_(None), REMINDER.c.state == ReminderState.ACTIVE.value)
        done = REMINDER.update().where(REMINDER.c.id.in_(finished), is_over).values(state=ReminderState.DONE.value)
        connection.execute(done)


def settle_journaled(connection: sa.Connection, journaled: Sequence[SentOccurrenceLine]) -> None:
    """Record occurrences of the journal of a SQLite file that the database still has as being sent."""
    being_sent = sa.and_(
        DELIVERY.c.reminder_id == sa.bindparam("reminder"),
        DELIVERY.c.due_at == sa.bindparam("due"),
        IS_SENDING,
    )
    query = sa.select(DELIVERY.c.id).where(being_sent)
    found = [
        (delivery_id, entry)
        for entry in journaled
        if (delivery_id := connection.scalar(query, {"reminder": entry.reminder_key, "due": entry.due_at})) is not None
    ]
    if found:
        sent = [(delivery_id, entry.at, entry.message_id) for delivery_id, entry in found]
        sqlite_deliveries.settle_sent_at_once(connection, sent, [entry.reminder_key for _, entry in found])


def free(connection: sa.Connection, owner: str | None) -> int:
    """Free leases; an occurrence being sent becomes `unknown`, or `cancelled` if it was withdrawn."""
    held = IS_HELD if owner is None else sa.and_(IS_HELD, DELIVERY.c.owner == owner)
    state = sa.case(
        (_IS_WITHDRAWN, DeliveryState.CANCELLED.value),
        (IS_SENDING, DeliveryState.UNKNOWN.value),
        else_=DELIVERY.c.state,
    )
    try_at = sa.case((_IS_WITHDRAWN, NEVER), else_=DELIVERY.c.try_at)
    return connection.execute(DELIVERY.update().where(held).values(owner="", state=state, try_at=try_at)).rowcount


def cancel_leases(connection: sa.Connection, reminder_id: int, next_fire_at: int | None) -> None:
    """Cancel pending occurrences, withdraw begun ones, and delete cancelled ones that will fire again."""
    of_reminder = DELIVERY.c.reminder_id == reminder_id
    connection.execute(
        DELIVERY.update()
        .where(of_reminder, DELIVERY.c.state.in_(WAITING))
        .values(state=DeliveryState.CANCELLED.value, try_at=NEVER, error="the reminder was changed", owner="")
    )
    connection.execute(DELIVERY.update().where(of_reminder, IS_SENDING).values(is_withdrawn=True))
    if next_fire_at is not None:
        is_again_to_come = sa.and_(
            of_reminder, DELIVERY.c.state == DeliveryState.CANCELLED.value, DELIVERY.c.due_at >= next_fire_at
        )
        connection.execute(DELIVERY.delete().where(is_again_to_come))


def rewrite_leases(connection: sa.Connection, reminder_id: int, content: str, version: int) -> None:
    """Update the text of pending occurrences and of retries of begun ones."""
    open_ones = sa.or_(DELIVERY.c.state.in_(WAITING), sa.and_(IS_SENDING, sa.not_(_IS_WITHDRAWN)))
    of_reminder = DELIVERY.update().where(DELIVERY.c.reminder_id == reminder_id, open_ones)
    connection.execute(of_reminder.values(content=content, version=version))


def deliveries(connection: sa.Connection, since: datetime, until: datetime) -> tuple[DeliveryRecord, ...]:
    """Return every occurrence due in the period, oldest first."""
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


@cache
def _store_message_key() -> sa.Update:
    return DELIVERY.update().where(DELIVERY.c.id == sa.bindparam("key")).values(message_key=sa.bindparam("message"))


@cache
def _settle_other() -> sa.Update:
    # Of an attempt that somebody else has overtaken meanwhile only success is news. A server that crashed may not know
    # that the attempt was begun.
    number: sa.BindParameter[int] = sa.bindparam("number")
    this_attempt = sa.and_(
        DELIVERY.c.id == sa.bindparam("key"),
        sa.or_(
            sa.and_(IS_SENDING, DELIVERY.c.attempt == number),
            sa.and_(_IS_WAITING, DELIVERY.c.attempt == number - 1),
        ),
    )
    state = sa.case((_IS_WITHDRAWN, DeliveryState.CANCELLED.value), else_=sa.bindparam("outcome"))
    try_at = sa.case((_IS_WITHDRAWN, NEVER), else_=sa.bindparam("moment", type_=BIG))
    reason: sa.BindParameter[str] = sa.bindparam("reason")
    values = {"state": state, "attempt": number, "try_at": try_at, "error": reason, "owner": ""}
    return DELIVERY.update().where(this_attempt).values(values)


def _outcome_columns(outcome: DeliveryOutcome) -> dict[str, object]:
    return {
        "key": outcome.delivery_id,
        "number": outcome.attempt,
        "outcome": outcome.state.value,
        "moment": NEVER if outcome.state.value in FINAL else to_micros(outcome.at),
        "reason": outcome.error,
    }
