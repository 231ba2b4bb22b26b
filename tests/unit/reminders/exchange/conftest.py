"""Reminders outside a database, and an importer with a real one."""

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta

import pytest

from bot.testing.clocks import FixedClock
from services.kernel.chat import ChatAddress, Person
from services.recurrence.schedule import read_schedule
from services.reminders.exchange.ics_read import ImportDefaults
from services.reminders.exchange.model import PortableReminder
from services.reminders.exchange.transfer import Importer
from services.reminders.model import CatchUp, ReminderLimits, ReminderState
from services.storage.database import Database
from services.storage.reminders.store import SqlReminderStore

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
HOME = ChatAddress(platform="console", chat_id="home")


@pytest.fixture
def now() -> datetime:
    return NOW


@pytest.fixture
def home() -> ChatAddress:
    return HOME


@pytest.fixture
def defaults() -> ImportDefaults:
    return ImportDefaults(creator=Person(id="ann", name="Ann"), zone="Europe/Berlin", language="en")


@pytest.fixture
def make() -> Callable[..., PortableReminder]:
    def one(rule: str = "", *, start: str = "2026-12-24T09:30:00", zone: str = "Europe/Berlin", **more):
        values = {
            "uid": "one@test",
            "content": "交周报; a, b\nline two \\n ✅",
            "creator": Person(id="ann", name="Ann"),
            "targets": (Person(id="bob", name='Bob "鲍勃"'), Person(id="@all", name="all")),
            "schedule": read_schedule(datetime.fromisoformat(start), zone, rule),
            "language": "zh",
            "is_private": True,
            "state": ReminderState.ACTIVE,
            "created_at": NOW - timedelta(days=3, microseconds=7),
            "thread_id": "t1",
            "is_urgent": True,
            "catch_up": CatchUp.ALL,
        }
        return PortableReminder(**{**values, **more})

    return one


@pytest.fixture
async def database() -> AsyncIterator[Database]:
    async with Database("sqlite://") as opened:
        yield opened


@pytest.fixture
def store(database: Database) -> SqlReminderStore:
    return SqlReminderStore(database)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
def importer(store: SqlReminderStore, clock: FixedClock) -> Importer:
    return Importer(store, clock, ReminderLimits(per_chat=40))
