"""Contender of the public reminder benchmark: the reminder service.

The benchmark runs each phase in a child process and imports its contenders from its folder `contenders`: copy this file
there as `ours.py`, add `"ours": ("ours", "Ours", {})` to its `REGISTRY`
(for PostgreSQL `"ours-pg": ("ours", "Ours", {"pg": "1"})`) and run, with the project on the path,

    PYTHONPATH=PROJECT python run.py burst -c ours -n 10000 -k 1000

Reminders are distributed over `--opt chats=100` chats and delivered one by one, as by the other contenders.
`OursTogether` delivers those that are due at once in a chat as one message, as the bot does.
"""

import asyncio
import gc
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import cycle

import sqlalchemy as sa
from loguru import logger

from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import SystemClock
from services.kernel.errors import DeliveryFailed
from services.recurrence.schedule import read_schedule
from services.reminders.exchange.model import ImportedReminder
from services.reminders.model import DueNotice, NewReminder, ReminderLimits, ReminderState
from services.reminders.service import ReminderService
from services.storage.database import Database
from services.storage.people.state import SqlStateStore
from services.storage.reminders.store import SqlReminderStore
from services.time_expressions import parse_all

_ANN = Person(id="ann", name="Ann")
_NO_LIMITS = ReminderLimits(per_person=10**9, per_chat=10**9)
_MAX_BULK_SIZE = 10_000
_PENDING = sa.text(
    "SELECT (SELECT count(*) FROM reminder WHERE next_fire_at IS NOT NULL) + "
    "(SELECT count(*) FROM delivery WHERE state NOT IN ('sent', 'parked', 'cancelled'))"
)

logger.remove()
gc.freeze()  # as in the bot, see `services/kernel/startup_imports.py`


class Ours:
    """The reminder service with a database; reminders are delivered after `start`."""

    persistent = True

    def __init__(self, dsn: str, opts: dict[str, str]) -> None:
        self._clock = SystemClock()
        self._database = Database(dsn)
        chats = int(opts.get("chats", "100"))
        self._chats = cycle([ChatAddress(platform="x", chat_id=f"c{number}") for number in range(chats)])

    async def open(self) -> None:
        await self._database.__aenter__()
        self._store = SqlReminderStore(self._database)
        state = SqlStateStore(self._database, self._clock)
        self._service = ReminderService(self._store, self._clock, self, state, limits=_NO_LIMITS, times=parse_all)

    async def add_many(self, items: Sequence[tuple[str, float]]) -> None:
        # The service refuses past times, which some phases add, so that reminders are written to the store.
        # The next part is prepared while one is written.
        writing: asyncio.Task[int] | None = None
        for start in range(0, len(items), _MAX_BULK_SIZE):
            part = items[start : start + _MAX_BULK_SIZE]
            moments = [(key, datetime.fromtimestamp(due, UTC)) for key, due in part]
            now, active = self._clock.now(), ReminderState.ACTIVE
            reminders = [
                ImportedReminder(
                    reminder=self._make_reminder(key, moment), state=active, next_fire_at=moment, created_at=now
                )
                for key, moment in moments
            ]
            if writing is not None:
                await writing
            writing = asyncio.create_task(self._store.add_imported(reminders, now))
            await asyncio.sleep(0)
        if writing is not None:
            await writing
        self._service.worker.claim_before(datetime.fromtimestamp(min(due for _, due in items), UTC))

    async def add(self, key: str, due: float) -> None:
        await self._service.create(self._make_reminder(key, datetime.fromtimestamp(due, UTC)))

    async def add_daily(self, key: str, first_due: float) -> None:
        await self._service.create(self._make_reminder(key, datetime.fromtimestamp(first_due, UTC), "FREQ=DAILY"))

    async def start(self, deliver) -> None:
        self._deliver = deliver
        self._running = asyncio.create_task(self._service.worker.run())

    async def deliver(self, notice: DueNotice) -> str | None:
        try:
            await self._deliver(notice.content, notice.due_at.timestamp())
        except ConnectionError as error:
            raise DeliveryFailed(str(error)) from error
        return None

    async def report_undeliverable(self, notice: DueNotice, reason: str) -> None:
        raise AssertionError(reason, notice)

    async def pending(self) -> int:
        return await self._database.read(lambda connection: connection.scalar(_PENDING) or 0)

    async def close(self) -> None:
        self._running.cancel()
        await self._database.__aexit__()

    def _make_reminder(self, key: str, due: datetime, rule: str = "") -> NewReminder:
        return NewReminder(
            request_key=key,
            address=next(self._chats),
            creator=_ANN,
            content=key,
            schedule=read_schedule(due.replace(tzinfo=None), "UTC", rule),
            language="en",
        )


class OursTogether(Ours):
    """As `Ours`, with one message for several reminders of a chat."""

    async def deliver_together(self, notices: Sequence[DueNotice], idempotency_key: str) -> str | None:
        del idempotency_key
        for notice in notices:
            await self.deliver(notice)
        return None
