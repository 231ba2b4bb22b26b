"""A full disk: no change is confirmed, and due reminders are sent."""

import asyncio
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import SystemClock
from services.recurrence.schedule import Schedule
from services.reminders.model import DueNotice, NewReminder
from services.reminders.records import DeliveryState
from services.reminders.service import ReminderService
from services.storage.database import Database
from services.storage.people.state import SqlStateStore
from services.storage.reminders.audit import SqlReminderAudit
from services.storage.reminders.store import SqlReminderStore
from services.time_expressions import parse_all

HOME = ChatAddress(platform="console", chat_id="home")


class FakeCourier:
    """Keeps what it is given."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.has_said = asyncio.Event()

    async def deliver(self, notice: DueNotice) -> str | None:
        self.said.append(notice.content)
        self.has_said.set()
        return None

    async def report_undeliverable(self, notice: DueNotice, reason: str) -> None:
        raise AssertionError(notice, reason)


TABLES = {"reminder": "INSERT", "delivery": "INSERT", "delivery_": "UPDATE"}


def fill_up(file: Path) -> None:
    """Let every write of reminders fail from now on, as on a full disk."""
    with closing(sqlite3.connect(file)) as connection, connection:
        for name, verb in TABLES.items():
            body = "BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END"
            connection.execute(f"CREATE TRIGGER full_{name} BEFORE {verb} ON {name.strip('_')} {body}")


def make_room(file: Path) -> None:
    """Let writes through again."""
    with closing(sqlite3.connect(file)) as connection, connection:
        for name in TABLES:
            connection.execute(f"DROP TRIGGER full_{name}")


def make_reminder(content: str, seconds: float) -> NewReminder:
    start = (SystemClock().now() + timedelta(seconds=seconds)).replace(tzinfo=None)
    return NewReminder(
        request_key=content,
        address=HOME,
        creator=Person(id="ann", name="Ann"),
        content=content,
        schedule=Schedule(start=start, zone="UTC"),
        language="en",
    )


async def test_full_disk_confirms_no_change_and_due_reminders_are_sent_once(tmp_path: Path):
    clock, courier = SystemClock(), FakeCourier()
    file = tmp_path / "bubbles.db"
    async with Database(f"sqlite:///{file}") as database:
        store = SqlReminderStore(database)
        service = ReminderService(store, clock, courier, SqlStateStore(database, clock), times=parse_all)
        await service.create(make_reminder("kept", 0.3))
        fill_up(file)
        running = asyncio.create_task(service.worker.run())
        with pytest.raises(sa.exc.DBAPIError):
            await service.create(make_reminder("not kept", 5))
        await asyncio.sleep(0.6)
        was_sent = bool(courier.said)
        make_room(file)
        async with asyncio.timeout(3):
            await courier.has_said.wait()
        await asyncio.sleep(0.2)
        running.cancel()
        await asyncio.wait([running])
        now = clock.now()
        (record,) = await SqlReminderAudit(database).deliveries(now - timedelta(minutes=1), now + timedelta(minutes=1))

    assert not was_sent  # nothing is handed over that the ledger does not know
    assert courier.said == ["kept"]
    assert record.state is DeliveryState.SENT
