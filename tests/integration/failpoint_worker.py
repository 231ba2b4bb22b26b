"""A process that kills itself (kill -9) at a given step of a delivery, or ends after all deliveries.

It appends a line `<key> <repeat> <content,…>` for each message to `sent.txt` of its folder.
"""

import asyncio
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import SystemClock
from services.recurrence.schedule import Schedule
from services.reminders.model import DueNotice, NewReminder
from services.reminders.records import Claim, DeliveryOutcome, DeliveryState, Lease, ValidatedReminder
from services.reminders.service import ReminderService
from services.storage.database import Database
from services.storage.people.state import SqlStateStore
from services.storage.reminders.audit import SqlReminderAudit
from services.storage.reminders.store import SqlReminderStore
from services.time_expressions import parse_all
from tests.support.stores.reminders import add_many

HOME = ChatAddress(platform="console", chat_id="home")
ANN = Person(id="ann", name="Ann")
OPEN = {DeliveryState.LEASED, DeliveryState.SENDING, DeliveryState.UNKNOWN}
PATIENCE = timedelta(minutes=1)


class Failpoint:
    """Kills the process at one point."""

    def __init__(self, point: str) -> None:
        self._point = point

    def reach(self, point: str) -> None:
        if point == self._point:
            os.kill(os.getpid(), signal.SIGKILL)


class FailingStore(SqlReminderStore):
    """A store with a failpoint before and after each step."""

    def __init__(self, database: Database, failpoint: Failpoint) -> None:
        super().__init__(database)
        self._failpoint = failpoint

    async def claim(self, owner: str, now: datetime, horizon: datetime, limit: int) -> Claim:
        self._failpoint.reach("before claim")
        claim = await super().claim(owner, now, horizon, limit)
        if claim.leases:
            self._failpoint.reach("claim | begin")
        return claim

    async def begin(
        self, owner: str, delivery_ids: Sequence[int], message_keys: Mapping[int, str] | None = None
    ) -> dict[int, int]:
        attempts = await super().begin(owner, delivery_ids, message_keys)
        self._failpoint.reach("begin | send")
        return attempts

    async def record_sent(self, sent: Sequence[tuple[Lease, DeliveryOutcome]]) -> bool:
        self._failpoint.reach("ack | note")
        return await super().record_sent(sent)

    async def settle(self, marks: Sequence[DeliveryOutcome]) -> None:
        self._failpoint.reach("ack | mark")
        await super().settle(marks)
        self._failpoint.reach("after mark")


class FilePlatform:
    """Appends each message to a file."""

    def __init__(self, path: Path, failpoint: Failpoint) -> None:
        self._path = path
        self._failpoint = failpoint

    async def deliver(self, notice: DueNotice) -> str | None:
        return await self.deliver_together([notice], notice.idempotency_key)

    async def deliver_together(self, notices: Sequence[DueNotice], idempotency_key: str) -> str | None:
        contents = ",".join(notice.content for notice in notices)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"{idempotency_key} {notices[0].may_be_repeat} {contents}\n")
        self._failpoint.reach("send | ack")
        return "m1"

    async def report_undeliverable(self, notice: DueNotice, reason: str) -> None:
        raise AssertionError(reason)


def deliver_up_to(say_ready: Callable[[], None], folder: Path, url: str, point: str, contents: Sequence[str]) -> None:
    """Set a reminder for each content, all due at once, and deliver until `point` is reached.

    With the point "none", return when the ledger has no open occurrence.
    """
    say_ready()
    asyncio.run(_deliver(folder, url, point, contents))


async def _deliver(folder: Path, url: str, point: str, contents: Sequence[str]) -> None:
    clock, failpoint = SystemClock(), Failpoint(point)
    async with Database(url) as database:
        store = FailingStore(database, failpoint)
        service = ReminderService(
            store, clock, FilePlatform(folder / "sent.txt", failpoint), SqlStateStore(database, clock), times=parse_all
        )
        due = clock.now() + timedelta(seconds=0.2)
        reminders = [_make_reminder(content, due.replace(tzinfo=None)) for content in contents]
        await add_many(
            store, [ValidatedReminder(reminder=reminder, first_fire=due) for reminder in reminders], clock.now()
        )
        running = asyncio.create_task(service.worker.run())
        now, is_open = clock.now(), True
        while is_open:
            await asyncio.sleep(0.05)
            records = await SqlReminderAudit(database).deliveries(now - PATIENCE, now + PATIENCE)
            is_open = not records or any(record.state in OPEN for record in records)
        if point != "none":
            await asyncio.sleep(PATIENCE.total_seconds())  # the last step runs in another thread
        running.cancel()


def _make_reminder(content: str, due: datetime) -> NewReminder:
    schedule = Schedule(start=due, zone="UTC")
    return NewReminder(
        request_key=content, address=HOME, creator=ANN, content=content, schedule=schedule, language="en"
    )
