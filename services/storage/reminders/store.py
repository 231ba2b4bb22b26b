"""Store reminders and their ledger in SQL."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache

import sqlalchemy as sa
from msgspec import Struct

from services.kernel.errors import RequestRefused
from services.recurrence.rules import Rule, load_calendar
from services.reminders.exchange.model import ImportedReminder
from services.reminders.model import ReminderLimits
from services.reminders.quiet_hours import QuietHours
from services.reminders.records import Change, DeliveryState, PendingPolicy, StoredReminder, ValidatedReminder
from services.storage.database import Database
from services.storage.engine.postgres import take_advisory_lock
from services.storage.engine.readonly import Readable
from services.storage.engine.rows import LATEST, from_micros, insert_many, to_micros, to_micros_or_none, upsert
from services.storage.reminders import ledger
from services.storage.reminders.deliveries import SqlDeliveryLedger
from services.storage.reminders.quiet_hours import columns_of, hours_of
from services.storage.reminders.rows import change_columns, draft_columns, imported_columns, reminder_of
from services.storage.tables import DELIVERY, QUIET, REMINDER
from services.storage.tables.base import IS_HELD, IS_OPEN


class SentOccurrence(Struct, frozen=True, kw_only=True):
    """One delivered occurrence of a reminder (`reminder_key` is its row); `due_at` is in UTC."""

    reminder_key: int
    content: str
    due_at: datetime


class SqlReminderReader:
    """Reads reminders, also while the bot writes them."""

    def __init__(self, database: Readable) -> None:
        self._readable = database

    async def in_chat(self, chat_key: str, limit: int) -> tuple[StoredReminder, ...]:
        """Return the active and paused reminders of a chat, soonest first."""
        return await self._rows(_open_in_chat(), {"chat": chat_key, "most": limit})

    async def get(self, key: int) -> StoredReminder | None:
        """Return the reminder with this key in any state."""
        return next(iter(await self._rows(sa.select(REMINDER).where(REMINDER.c.id == key))), None)

    async def by_request(self, request_key: str) -> StoredReminder | None:
        """Return the reminder created by the command with this key."""
        return await self._readable.read(lambda connection: _by_request(connection, request_key))

    async def _rows(
        self, query: sa.Select[tuple[object, ...]], values: Mapping[str, object] | None = None
    ) -> tuple[StoredReminder, ...]:
        def work(connection: sa.Connection) -> tuple[StoredReminder, ...]:
            found = tuple(reminder_of(row) for row in connection.execute(query, values).mappings())
            for rule in {row.schedule.rule for row in found}:
                _load(rule)  # in this thread, so that computing the next fire does not block the event loop
            return found

        return await self._readable.read(work)


class SqlReminderStore(SqlReminderReader, SqlDeliveryLedger):
    """A `ReminderStore` over a `Database`."""

    def __init__(self, database: Database, *, quiet: QuietHours | None = None) -> None:
        """Create the store; `quiet` are the quiet hours of chats without their own."""
        SqlReminderReader.__init__(self, database)
        SqlDeliveryLedger.__init__(self, database, quiet=quiet)

    async def add(self, draft: ValidatedReminder, now: datetime, limits: ReminderLimits) -> StoredReminder:
        """Store a reminder; with a known request key, return the stored one."""

        def work(connection: sa.Connection) -> StoredReminder:
            # So that concurrent inserts do not exceed the limits of a chat.
            take_advisory_lock(connection, draft.reminder.address.key)
            known = _by_request(connection, draft.reminder.request_key)
            if known is not None:
                return known
            _check_limits(connection, draft, limits)
            columns = draft_columns(draft, to_micros(now))
            row = connection.execute(REMINDER.insert().returning(*REMINDER.c), columns).mappings().one()
            return reminder_of(row)

        return await self._database.run(work)

    async def add_imported(self, imported: Sequence[ImportedReminder], now: datetime) -> int:
        """Store the reminders of a file in one transaction; return the number of new ones by request key."""
        rows = [imported_columns(reminder, now) for reminder in imported]
        if not rows:
            return 0
        return await self._database.run(lambda connection: insert_many(connection, REMINDER, rows))

    async def load_calendar(self, rule: Rule) -> None:
        """Load the calendar of a rule in the reader thread."""
        await self._database.read(lambda _: _load(rule))

    async def of_creator(self, platform: str, person_id: str, limit: int) -> tuple[StoredReminder, ...]:
        """Return the active and paused reminders that a person created in any chat of a platform."""
        is_own = REMINDER.c.creator_id == person_id
        is_there = REMINDER.c.chat_key.startswith(f"{platform}:", autoescape=True)
        return await self._rows(sa.select(REMINDER).where(is_own, is_there, IS_OPEN).limit(limit))

    async def sent_since(self, chat_key: str, since: datetime, limit: int) -> tuple[StoredReminder, ...]:
        """Return the reminders of a chat that are being sent or were sent since `since`, latest first."""
        here = DELIVERY.c.chat_key == chat_key
        being_sent = sa.and_(here, IS_HELD, DELIVERY.c.state == DeliveryState.SENDING.value)
        sent = sa.union_all(
            sa.select(DELIVERY.c.reminder_id, sa.literal(LATEST).label("message_time")).where(being_sent),
            sa.select(DELIVERY.c.reminder_id, DELIVERY.c.sent_at).where(here, DELIVERY.c.sent_at >= to_micros(since)),
        ).subquery()
        query = (
            sa.select(REMINDER)
            .join(sent, sent.c.reminder_id == REMINDER.c.id)
            .group_by(REMINDER.c.id)
            .order_by(sa.func.max(sent.c.message_time).desc())
            .limit(limit)
        )
        return await self._rows(query)

    async def sent_between(
        self, chat_key: str, since: datetime, until: datetime, limit: int
    ) -> tuple[SentOccurrence, ...]:
        """Return at most `limit` delivered occurrences of a chat that were due from `since` until `until`, in order."""
        query = (
            sa.select(DELIVERY.c.reminder_id, REMINDER.c.content, DELIVERY.c.due_at)
            .join(REMINDER, REMINDER.c.id == DELIVERY.c.reminder_id)
            .where(
                DELIVERY.c.chat_key == chat_key,
                DELIVERY.c.sent_at >= to_micros(since),  # `due_at` is indexed, and nothing is sent before it is due
                DELIVERY.c.due_at.between(to_micros(since), to_micros(until)),
            )
            .order_by(DELIVERY.c.due_at, DELIVERY.c.reminder_id)
            .limit(limit)
        )

        def work(connection: sa.Connection) -> tuple[SentOccurrence, ...]:
            return tuple(
                SentOccurrence(reminder_key=key, content=content, due_at=from_micros(due_at))
                for key, content, due_at in connection.execute(query)
            )

        return await self._database.read(work)

    async def sent_in(self, chat_key: str, message_id: str) -> tuple[StoredReminder, ...]:
        """Return the reminders sent in a message of the bot."""
        here = sa.and_(DELIVERY.c.chat_key == chat_key, DELIVERY.c.platform_message_id == message_id)
        sent = sa.select(DELIVERY.c.reminder_id).where(here)
        return await self._rows(sa.select(REMINDER).where(REMINDER.c.id.in_(sent)).order_by(REMINDER.c.id))

    async def change(self, changes: Sequence[Change], now: datetime) -> tuple[StoredReminder, ...]:
        """Apply the changes whose version is current, with their leases, in one transaction."""

        def work(connection: sa.Connection) -> tuple[StoredReminder, ...]:
            rows = [_apply(connection, change, now) for change in changes]
            return tuple(row for row in rows if row is not None)

        return await self._database.run(work)

    async def quiet_hours(self, key: str) -> QuietHours | None:
        """Return the quiet hours under `key`."""
        query = sa.select(QUIET).where(QUIET.c.key == key)
        row = await self._database.read(lambda connection: connection.execute(query).mappings().one_or_none())
        return None if row is None else hours_of(row)

    async def set_quiet_hours(self, key: str, hours: QuietHours | None) -> None:
        """Store quiet hours; None removes them."""

        def work(connection: sa.Connection) -> None:
            if hours is None:
                connection.execute(QUIET.delete().where(QUIET.c.key == key))
            else:
                connection.execute(upsert(connection, QUIET, key=["key"]), columns_of(key, hours))

        await self._database.run(work)


@cache
def _open_in_chat() -> sa.Select[tuple[object, ...]]:
    return (
        sa.select(REMINDER)
        .where(REMINDER.c.chat_key == sa.bindparam("chat"), IS_OPEN)
        .order_by(REMINDER.c.next_fire_at.nulls_last(), REMINDER.c.id)
        .limit(sa.bindparam("most"))
    )


def _load(rule: Rule | None) -> None:
    """Load the calendar of a rule; errors are reported at its next use."""
    if rule is not None:
        with suppress(RequestRefused):
            load_calendar(rule)


def _by_request(connection: sa.Connection, request_key: str) -> StoredReminder | None:
    row = connection.execute(sa.select(REMINDER).where(REMINDER.c.request_key == request_key)).mappings().one_or_none()
    return None if row is None else reminder_of(row)


def _check_limits(connection: sa.Connection, draft: ValidatedReminder, limits: ReminderLimits) -> None:
    in_chat = sa.select(REMINDER.c.id).where(REMINDER.c.chat_key == draft.reminder.address.key, IS_OPEN)
    of_person = in_chat.where(REMINDER.c.creator_id == draft.reminder.creator.id)
    for query, cap in ((of_person, limits.per_person), (in_chat, limits.per_chat)):
        # Counting stops at the limit, so that it is fast for chats with many reminders.
        counted = sa.select(sa.func.count()).select_from(query.limit(cap).subquery())
        if (connection.scalar(counted) or 0) >= cap:
            raise RequestRefused("too_many_reminders", limit=cap)


def _apply(connection: sa.Connection, change: Change, now: datetime) -> StoredReminder | None:
    columns, next_fire_at = change_columns(change, now), to_micros_or_none(change.next_fire_at)
    if change.leases is PendingPolicy.CANCEL:
        columns["next_fire_at"] = next_fire_at
    is_unchanged = sa.and_(REMINDER.c.id == change.key, REMINDER.c.version == change.version)
    row = (
        connection.execute(REMINDER.update().where(is_unchanged).values(columns).returning(*REMINDER.c))
        .mappings()
        .one_or_none()
    )
    if row is None:
        return None
    if change.leases is PendingPolicy.CANCEL:
        ledger.cancel_leases(connection, change.key, next_fire_at)
    else:
        ledger.rewrite_leases(connection, change.key, change.content, change.version + 1)
    return reminder_of(row)
