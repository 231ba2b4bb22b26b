"""Begin, settle, free and cancel occurrences in the ledger."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Protocol

import sqlalchemy as sa

from services.reminders.model import ReminderState, public_id
from services.reminders.records import DeliveryOutcome, DeliveryRecord, DeliveryState, Lease
from services.storage.engine.rows import from_micros, from_micros_or_none, to_micros
from services.storage.engine.sent_journal import SentOccurrenceLine
from services.storage.reminders import postgres_deliveries, sqlite_deliveries
from services.storage.reminders.rows import delivery_rows, lease_of, occurred_of
from services.storage.tables import DELIVERY, REMINDER
from services.storage.tables.base import BIG, IS_HELD, NEVER

WAITING = (DeliveryState.LEASED.value, DeliveryState.UNKNOWN.value)
# Without IN, which `executemany` does not support.
_IS_WAITING = sa.or_(*(DELIVERY.c.state == state for state in WAITING))
_IS_SENDING = DELIVERY.c.state == DeliveryState.SENDING.value
_IS_WITHDRAWN = DELIVERY.c.is_withdrawn
_LAST_CLAIMED = 1000
_FINAL = tuple(
    state.value for state in (DeliveryState.SENT, DeliveryState.FAILED, DeliveryState.CANCELLED, DeliveryState.SKIPPED)
)


def begin(
    connection: sa.Connection, owner: str, delivery_ids: Sequence[int], message_keys: Mapping[int, str]
) -> dict[int, int]:
    """Mark leased occurrences as `sending`, after a last check for edits and deletions."""
    begun = _statements(connection).begin_at_once(connection, owner, delivery_ids)
    shared = [
        {"key": delivery_id, "message": message_keys[delivery_id]}
        for delivery_id in begun
        if delivery_id in message_keys
    ]
    if shared:
        connection.execute(_store_message_key(), shared)
    return begun


def held(connection: sa.Connection, owner: str, delivery_ids: Sequence[int]) -> frozenset[int]:
    """Return the ids still being sent by `owner`."""
    query = sa.select(DELIVERY.c.id).where(DELIVERY.c.id.in_(delivery_ids), DELIVERY.c.owner == owner, _IS_SENDING)
    return frozenset(connection.scalars(query))


def renew(connection: sa.Connection, delivery_id: int) -> Lease | None:
    """Reload a begun occurrence with the current text and people."""
    row = next(iter(delivery_rows(connection, [delivery_id])), None)
    if row is None:
        return None
    occurred = occurred_of(row)
    return lease_of(row, occurred._replace(attempt=occurred.attempt - 1))


def settle(connection: sa.Connection, outcomes: Sequence[DeliveryOutcome]) -> None:
    """Record outcomes together; a reminder without a next fire is done when its last occurrence is."""
    sent = [outcome for outcome in outcomes if outcome.state is DeliveryState.SENT]
    unsent = [outcome for outcome in outcomes if outcome.state is not DeliveryState.SENT]
    if sent:
        rows = [(outcome.delivery_id, to_micros(outcome.at), outcome.platform_message_id) for outcome in sent]
        _statements(connection).settle_sent_at_once(connection, rows, [outcome.reminder_key for outcome in sent])
    if unsent:
        connection.execute(_settle_other(), [_outcome_columns(outcome) for outcome in unsent])
    finished = [outcome.reminder_key for outcome in unsent if outcome.state.value in _FINAL]
    if finished:
        _statements(connection).finish_at_once(connection, finished)


def settle_journaled(connection: sa.Connection, journaled: Sequence[SentOccurrenceLine]) -> None:
    """Record occurrences of the journal that the database still has as being sent."""
    being_sent = sa.and_(
        DELIVERY.c.reminder_id == sa.bindparam("reminder"),
        DELIVERY.c.due_at == sa.bindparam("due"),
        _IS_SENDING,
    )
    asked = [{"reminder": entry.reminder_key, "due": entry.due_at} for entry in journaled]
    found = [connection.scalar(sa.select(DELIVERY.c.id).where(being_sent), entry) for entry in asked]
    sent = [(key, entry.at, entry.message_id) for key, entry in zip(found, journaled, strict=True) if key is not None]
    if sent:
        _statements(connection).settle_sent_at_once(connection, sent, [entry.reminder_key for entry in journaled])


def free(connection: sa.Connection, owner: str | None) -> int:
    """Free leases; an occurrence being sent becomes `unknown`, or `cancelled` if it was withdrawn."""
    held = IS_HELD if owner is None else sa.and_(IS_HELD, DELIVERY.c.owner == owner)
    state = sa.case(
        (_IS_WITHDRAWN, DeliveryState.CANCELLED.value),
        (_IS_SENDING, DeliveryState.UNKNOWN.value),
        else_=DELIVERY.c.state,
    )
    try_at = sa.case((_IS_WITHDRAWN, NEVER), else_=DELIVERY.c.try_at)
    return connection.execute(DELIVERY.update().where(held).values(owner="", state=state, try_at=try_at)).rowcount


def release(connection: sa.Connection, owner: str, but: Collection[int]) -> int:
    """Free the leases of `owner` that are not begun, except the ids `but`."""
    idle = sa.and_(IS_HELD, DELIVERY.c.owner == owner, DELIVERY.c.state.in_(WAITING), DELIVERY.c.id.not_in(but))
    return connection.execute(DELIVERY.update().where(idle).values(owner="")).rowcount


def retry_failed(connection: sa.Connection, chat_key: str, *, since: int, now: int) -> int:
    """Retry the latest failed occurrence of each reminder of a chat at `now`; times are in microseconds."""
    is_wanted = sa.and_(
        REMINDER.c.chat_key == chat_key,
        REMINDER.c.state.in_((ReminderState.ACTIVE.value, ReminderState.DONE.value)),
    )
    later = DELIVERY.alias("later")
    is_overtaken = sa.exists().where(
        later.c.reminder_id == DELIVERY.c.reminder_id,
        later.c.due_at > DELIVERY.c.due_at,
        later.c.state == DeliveryState.SENT.value,
    )
    latest = (
        sa.select(sa.func.max(DELIVERY.c.id))
        .join(REMINDER, REMINDER.c.id == DELIVERY.c.reminder_id)
        .where(is_wanted, _is_failed(since), sa.not_(is_overtaken))
        .group_by(DELIVERY.c.reminder_id)
    )
    again = {"state": DeliveryState.LEASED.value, "try_at": now, "attempt": 0, "error": "", "owner": ""}
    return connection.execute(DELIVERY.update().where(DELIVERY.c.id.in_(latest)).values(again)).rowcount


def chats_with_failures(connection: sa.Connection, since: int) -> frozenset[str]:
    """Return the keys of the chats with failed deliveries due after `since` (microseconds)."""
    return frozenset(connection.scalars(sa.select(DELIVERY.c.chat_key).distinct().where(_is_failed(since))))


def cancel_leases(connection: sa.Connection, reminder_id: int, next_fire_at: int | None) -> None:
    """Cancel pending occurrences, withdraw begun ones, and delete cancelled ones that will fire again."""
    of_reminder = DELIVERY.c.reminder_id == reminder_id
    connection.execute(
        DELIVERY.update()
        .where(of_reminder, DELIVERY.c.state.in_(WAITING))
        .values(state=DeliveryState.CANCELLED.value, try_at=NEVER, error="the reminder was changed", owner="")
    )
    connection.execute(DELIVERY.update().where(of_reminder, _IS_SENDING).values(is_withdrawn=True))
    if next_fire_at is not None:
        is_again_to_come = sa.and_(
            of_reminder, DELIVERY.c.state == DeliveryState.CANCELLED.value, DELIVERY.c.due_at >= next_fire_at
        )
        connection.execute(DELIVERY.delete().where(is_again_to_come))


def rewrite_leases(connection: sa.Connection, reminder_id: int, content: str, version: int) -> None:
    """Update the text of pending occurrences and of retries of begun ones."""
    open_ones = sa.or_(DELIVERY.c.state.in_(WAITING), sa.and_(_IS_SENDING, sa.not_(_IS_WITHDRAWN)))
    of_reminder = DELIVERY.update().where(DELIVERY.c.reminder_id == reminder_id, open_ones)
    connection.execute(of_reminder.values(content=content, version=version))


def purge(connection: sa.Connection, before: int, limit: int) -> int:
    """Delete final rows due before `before`."""
    old = sa.select(DELIVERY.c.id).where(DELIVERY.c.due_at < before, DELIVERY.c.state.in_(_FINAL)).limit(limit)
    return connection.execute(DELIVERY.delete().where(DELIVERY.c.id.in_(old))).rowcount


def latest_due(connection: sa.Connection) -> int | None:
    """Return the latest due time, in microseconds, of the last claimed occurrences."""
    last = sa.select(DELIVERY.c.due_at).order_by(DELIVERY.c.id.desc()).limit(_LAST_CLAIMED).subquery()
    latest: int | None = connection.scalar(sa.select(sa.func.max(last.c.due_at)))
    return latest


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


def _is_failed(since: int) -> sa.ColumnElement[bool]:
    return sa.and_(DELIVERY.c.state == DeliveryState.FAILED.value, DELIVERY.c.due_at > since)


@cache
def _store_message_key() -> sa.Update:
    return DELIVERY.update().where(DELIVERY.c.id == sa.bindparam("key")).values(message_key=sa.bindparam("message"))


class _Statements(Protocol):
    """The module with the statements for one kind of database."""

    def begin_at_once(
        self, connection: sa.Connection, owner: str, delivery_ids: Sequence[int], /
    ) -> dict[int, int]: ...

    def settle_sent_at_once(
        self,
        connection: sa.Connection,
        outcomes: Sequence[tuple[int, int, str | None]],
        reminder_keys: Sequence[int],
        /,
    ) -> None: ...

    def finish_at_once(self, connection: sa.Connection, reminder_keys: Sequence[int], /) -> None: ...


def _statements(connection: sa.Connection) -> _Statements:
    return postgres_deliveries if connection.dialect.name == "postgresql" else sqlite_deliveries


@cache
def _settle_other() -> sa.Update:
    # Of an attempt that somebody else has overtaken meanwhile only success is news. A server that crashed may not know
    # that the attempt was begun.
    number: sa.BindParameter[int] = sa.bindparam("number")
    this_attempt = sa.and_(
        DELIVERY.c.id == sa.bindparam("key"),
        sa.or_(
            sa.and_(_IS_SENDING, DELIVERY.c.attempt == number),
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
        "moment": NEVER if outcome.state.value in _FINAL else to_micros(outcome.at),
        "reason": outcome.error,
    }
