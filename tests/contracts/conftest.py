"""Fixtures with every implementation of the stores."""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.testing.clocks import FixedClock
from function_calls.tools.session_state import MemoryScopeStore
from services.call_log.model import CallStore
from services.history.service import MessageStore
from services.kernel.chat import ChatAddress, Person
from services.kernel.state import MemoryStateStore, ScopeStore, StateStore
from services.recurrence.fires import check
from services.recurrence.schedule import read_schedule
from services.reminders.model import NewReminder
from services.reminders.ports import ReminderStore
from services.reminders.records import DeliveryRecord, ValidatedReminder
from services.storage.database import Database
from services.storage.messages.store import SqlMessageStore
from services.storage.people.state import SqlScopeStore, SqlStateStore
from services.storage.records.store import SqlCallStore
from services.storage.reminders.audit import SqlReminderAudit
from services.storage.reminders.store import SqlReminderStore
from services.storage.tables.base import IS_TO_TRY
from tests.support.stores.messages import MemoryMessageStore
from tests.support.stores.reminders import MemoryReminderStore

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
SQL_KINDS = [
    "sqlite in memory",
    "sqlite file",
    pytest.param(
        "postgresql", marks=[pytest.mark.integration, pytest.mark.timeout(30)]
    ),  # the first test starts a server
]
KINDS = ["memory", *SQL_KINDS]


@pytest.fixture
def now() -> datetime:
    return NOW


@pytest.fixture(params=SQL_KINDS)
async def sql_database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    async with _open(request, tmp_path) as opened:
        yield opened


@pytest.fixture(params=KINDS)
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database | None]:
    if request.param == "memory":
        yield None
        return
    async with _open(request, tmp_path) as opened:
        yield opened
        assert await opened.read(list_misindexed) == []


def _open(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    urls = {"sqlite in memory": "sqlite://", "sqlite file": f"sqlite:///{tmp_path / 'bubbles.db'}"}
    url = request.getfixturevalue("postgres_url") if request.param == "postgresql" else urls[request.param]
    return Database(url)


def list_misindexed(connection: sa.Connection) -> list[object]:
    """Return occurrences that are wrongly in the index of waiting ones, or wrongly absent from it."""
    is_filed, is_waiting = f"({IS_TO_TRY})", "(owner = '' AND state IN ('leased', 'unknown'))"
    query = f"SELECT id, state, try_at, owner, sent_at FROM delivery WHERE {is_filed} <> {is_waiting}"
    return [tuple(row) for row in connection.execute(sa.text(query))]


@pytest.fixture
def reminders(database: Database | None) -> ReminderStore:
    return MemoryReminderStore() if database is None else SqlReminderStore(database)


@pytest.fixture
def deliveries(
    reminders: ReminderStore, database: Database | None
) -> Callable[[datetime, datetime], Awaitable[tuple[DeliveryRecord, ...]]]:
    """Return a function that reads the occurrences due in a period."""
    return reminders.deliveries if isinstance(reminders, MemoryReminderStore) else SqlReminderAudit(database).deliveries


@pytest.fixture
def messages(database: Database | None) -> MessageStore:
    return MemoryMessageStore() if database is None else SqlMessageStore(database)


@pytest.fixture
def records(sql_database: Database) -> CallStore:
    return SqlCallStore(sql_database)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
def state(database: Database | None, clock: FixedClock) -> StateStore:
    return MemoryStateStore(clock) if database is None else SqlStateStore(database, clock)


@pytest.fixture
def draft() -> Callable[..., ValidatedReminder]:
    """Return a function that makes drafts, due `seconds` from NOW and recurring with a rule."""

    def make(
        key: str = "1", *, seconds: float = 60, rule: str = "", chat: str = "home", creator: str = "ann"
    ) -> ValidatedReminder:
        start = (NOW + timedelta(seconds=seconds)).replace(tzinfo=None)
        schedule = read_schedule(start, "UTC", rule)
        new = NewReminder(
            request_key=key,
            address=ChatAddress(platform="console", chat_id=chat, thread_id="t"),
            creator=Person(id=creator, name=creator.title()),
            content=f"tea {key}",
            schedule=schedule,
            language="zh",
            targets=(Person(id="bob", name="Bob 鲍勃"),),
        )
        return ValidatedReminder(reminder=new, first_fire=check(schedule, NOW))

    return make


@pytest.fixture
def scopes(database: Database | None) -> ScopeStore:
    return MemoryScopeStore() if database is None else SqlScopeStore(database)
