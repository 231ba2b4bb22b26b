"""Claim, begin, settle and free occurrences of reminders in the ledger of a database."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import sqlalchemy as sa
from loguru import logger

from services.kernel.errors import StorageBusy, StorageFull, StorageUnavailable
from services.reminders.model import ReminderState
from services.reminders.quiet_hours import QuietHours
from services.reminders.records import Claim, DeliveryOutcome, DeliveryState, Lease
from services.storage.database import Database
from services.storage.engine.rows import from_micros_or_none, to_micros
from services.storage.engine.sent_journal import SentOccurrenceLine
from services.storage.reminders import claims, ledger, postgres_deliveries
from services.storage.reminders.ledger import FINAL, IS_SENDING, WAITING
from services.storage.reminders.occurrence_rows import ClaimRequest
from services.storage.reminders.rows import delivery_columns, delivery_rows, lease_of
from services.storage.tables import DELIVERY, REMINDER
from services.storage.tables.base import IS_HELD

_LAST_CLAIMED = 1000


class SqlDeliveryLedger:
    """A `DeliveryLedger` over a `Database`."""

    def __init__(self, database: Database, *, quiet: QuietHours | None = None) -> None:
        """Create the ledger; `quiet` are the quiet hours of chats without their own."""
        self._database = database
        self._quiet = quiet

    async def claim(self, owner: str, now: datetime, horizon: datetime, limit: int) -> Claim:
        """Lease occurrences due by `horizon` to `owner`; on a shared database the next claim is then."""
        request = ClaimRequest(owner=owner, now=now, until=to_micros(horizon), limit=limit, quiet=self._quiet)
        workers = self._database.workers
        if workers is None:
            return await self._database.run(lambda connection: claims.claim(connection, request))
        await workers.hold(owner)
        return await self._database.run(lambda connection: claims.claim_shared(connection, workers, request))

    async def begin(
        self, owner: str, delivery_ids: Sequence[int], message_keys: Mapping[int, str] | None = None
    ) -> dict[int, int]:
        """Mark leased occurrences as being sent."""
        if not message_keys:
            return await self._database.autocommit(lambda connection: ledger.begin(connection, owner, delivery_ids, {}))
        return await self._database.run(
            lambda connection: ledger.begin(connection, owner, delivery_ids, message_keys), is_durable=False
        )

    async def list_sending(self, owner: str, delivery_ids: Sequence[int]) -> frozenset[int]:
        """Return the ids still being sent by `owner`."""
        query = sa.select(DELIVERY.c.id).where(DELIVERY.c.id.in_(delivery_ids), DELIVERY.c.owner == owner, IS_SENDING)
        return frozenset(await self._database.read(lambda connection: connection.scalars(query).all()))

    async def renew(self, delivery_id: int) -> Lease | None:
        """Reload a claimed occurrence whose reminder was edited."""
        rows = await self._database.run(lambda connection: delivery_rows(connection, [delivery_id]), is_durable=False)
        if not rows:
            return None
        delivery = delivery_columns(rows[0])
        return lease_of(rows[0], delivery._replace(attempt=delivery.attempt - 1))

    async def record_sent(self, sent: Sequence[tuple[Lease, DeliveryOutcome]]) -> bool:
        """Append to the journal of a SQLite file, or to a table of a shared database."""
        if self._database.sent is not None:
            return self._database.sent.append([_journal_line(lease, outcome) for lease, outcome in sent])
        rows = [
            (outcome.delivery_id, to_micros(outcome.at), outcome.platform_message_id, outcome.reminder_key)
            for _, outcome in sent
        ]
        try:
            await self._database.autocommit(lambda connection: postgres_deliveries.append_sent(connection, rows))
        except (StorageBusy, StorageFull, StorageUnavailable, sa.exc.DBAPIError) as error:
            logger.warning("could not record sent reminders in PostgreSQL: {}", error)
            return False
        return True

    async def settle(self, outcomes: Sequence[DeliveryOutcome]) -> None:
        """Record the outcomes of attempts."""
        if all(outcome.state is DeliveryState.SENT for outcome in outcomes):
            await self._database.autocommit(lambda connection: ledger.settle(connection, outcomes))
        else:
            await self._database.run(lambda connection: ledger.settle(connection, outcomes), is_durable=False)
        if self._database.sent is not None:
            self._database.sent.remove([outcome.delivery_id for outcome in outcomes])

    async def free(self, owner: str | None) -> int:
        """Free the leases of `owner` (None: of every dead owner), begun sends as `unknown`."""
        workers = self._database.workers
        if owner is None and workers is not None:
            await self._database.autocommit(postgres_deliveries.warm_up)
            return await self._database.run(lambda connection: claims.free_dead(connection, workers))
        journal = self._database.sent
        if owner is not None or journal is None:
            return await self._database.run(lambda connection: ledger.free(connection, owner))

        def recover(connection: sa.Connection) -> int:
            ledger.settle_journaled(connection, journal.read())
            return ledger.free(connection, owner)

        freed = await self._database.run(recover)
        journal.clear()
        return freed

    async def release(self, owner: str, but: Collection[int]) -> int:
        """Free the leases of `owner` that are not begun, except `but`."""
        idle = sa.and_(IS_HELD, DELIVERY.c.owner == owner, DELIVERY.c.state.in_(WAITING), DELIVERY.c.id.not_in(but))
        release = DELIVERY.update().where(idle).values(owner="")
        return await self._database.run(lambda connection: connection.execute(release).rowcount)

    async def latest_due(self) -> datetime | None:
        """Return the latest due time among the last claimed occurrences."""
        last = sa.select(DELIVERY.c.due_at).order_by(DELIVERY.c.id.desc()).limit(_LAST_CLAIMED).subquery()
        latest = sa.select(sa.func.max(last.c.due_at))
        return from_micros_or_none(await self._database.read(lambda connection: connection.scalar(latest)))

    async def retry_failed(self, chat_key: str, since: datetime, now: datetime) -> int:
        """Schedule the latest failed delivery of each reminder of a chat, due after `since`, for a retry at `now`.

        An active one-time reminder fires again anyway: at another time or as a follow-up. An occurrence that somebody
        has marked as done is not retried.
        """
        is_active, is_done = (REMINDER.c.state == state.value for state in (ReminderState.ACTIVE, ReminderState.DONE))
        is_retried = sa.or_(is_done, sa.and_(is_active, REMINDER.c.rule != ""))
        is_open = sa.or_(REMINDER.c.done_until.is_(None), REMINDER.c.done_until < DELIVERY.c.due_at)
        is_wanted = sa.and_(REMINDER.c.chat_key == chat_key, is_retried, is_open)
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
        again = {"state": DeliveryState.LEASED.value, "try_at": to_micros(now), "attempt": 0, "error": "", "owner": ""}
        retry = DELIVERY.update().where(DELIVERY.c.id.in_(latest)).values(again)
        return await self._database.run(lambda connection: connection.execute(retry).rowcount)

    async def chats_with_failures(self, since: datetime) -> frozenset[str]:
        """Return the keys of the chats with failed deliveries due after `since`."""
        query = sa.select(DELIVERY.c.chat_key).distinct().where(_is_failed(since))
        return frozenset(await self._database.read(lambda connection: connection.scalars(query).all()))

    async def realign(self, now: datetime) -> int:
        """Recompute the next fires after the clock was set back."""
        return await self._database.run(lambda connection: claims.realign(connection, now))

    async def follow_zone_data(self, version: str, now: datetime) -> int:
        """Recompute the next fires of recurring reminders if the zone data has changed."""
        return await self._database.run(lambda connection: claims.follow_zone_data(connection, version, now))

    async def purge(self, before: datetime, limit: int) -> int:
        """Delete final occurrences due before `before`."""
        is_old = sa.and_(DELIVERY.c.due_at < to_micros(before), DELIVERY.c.state.in_(FINAL))
        purge = DELIVERY.delete().where(DELIVERY.c.id.in_(sa.select(DELIVERY.c.id).where(is_old).limit(limit)))
        return await self._database.run(lambda connection: connection.execute(purge).rowcount, is_durable=False)


def _journal_line(lease: Lease, outcome: DeliveryOutcome) -> SentOccurrenceLine:
    due_at, at = to_micros(lease.notice.due_at), to_micros(outcome.at)
    return SentOccurrenceLine(outcome.delivery_id, outcome.reminder_key, due_at, at, outcome.platform_message_id)


def _is_failed(since: datetime) -> sa.ColumnElement[bool]:
    return sa.and_(DELIVERY.c.state == DeliveryState.FAILED.value, DELIVERY.c.due_at > to_micros(since))
