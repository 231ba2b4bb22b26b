"""Fixtures for workers that share one PostgreSQL database."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path
from time import monotonic

import pytest

from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import SystemClock
from services.recurrence.schedule import Schedule
from services.reminders.model import NewReminder
from services.reminders.records import ValidatedReminder
from services.storage.database import Database
from services.storage.engine.postgres import DatabaseTimeouts
from services.storage.reminders.store import SqlReminderStore
from tests.integration.reminder_worker import deliver_until_killed
from tests.integration.workers import Worker
from tests.support.log_lines import whole_lines
from tests.support.stores.reminders import add_many


class Workers:
    """Processes that share the reminders of one database and write them to one file."""

    def __init__(self, folder: Path, url: str, resources: AsyncExitStack) -> None:
        self.url = url
        self.timeouts = DatabaseTimeouts()
        self._folder = folder
        self._resources = resources

    async def start(self, label: str, *, count: int = 0, seconds: float = 0.0, send_seconds: float = 0.01) -> Worker:
        """Start a worker and wait until it has committed `count` reminders due in `seconds`."""
        given = (self._folder, label, count, seconds, self.url, send_seconds, self.timeouts)
        worker = Worker(self._folder / f"{label}.log", deliver_until_killed, *given)
        self._resources.push_async_callback(worker.kill)
        await worker.ready()
        return worker

    async def add(self, label: str, count: int, seconds: float) -> None:
        """Set `count` reminders due in `seconds`, from a process that delivers nothing."""
        clock = SystemClock()
        due = clock.now() + timedelta(seconds=seconds)
        drafts = [
            ValidatedReminder(
                reminder=NewReminder(
                    request_key=f"{label}-{number}",
                    address=ChatAddress(platform="console", chat_id=f"chat{number % 50}"),
                    creator=Person(id="ann", name="Ann"),
                    content=f"{label}-{number}",
                    schedule=Schedule(start=due.replace(tzinfo=None), zone="UTC"),
                    language="en",
                ),
                first_fire=due,
            )
            for number in range(count)
        ]
        async with Database(self.url) as database:
            await add_many(SqlReminderStore(database), drafts, clock.now())

    def sent(self) -> list[list[str]]:
        """Return key, content, worker, attempt and mark of a possible repeat of every send."""
        return [line.split() for line in whole_lines(self._folder / "sent.txt")]

    def repeats(self) -> list[list[str]]:
        """Return the sends of occurrences that had been sent before."""
        seen: set[str] = set()
        return [line for line in self.sent() if line[0] in seen or seen.add(line[0])]

    async def wait_until_sent(self, count: int, *, within: float) -> float:
        """Wait until `count` different reminders were sent; return the seconds that it took."""
        started = monotonic()
        while len(found := {line[1] for line in self.sent()}) < count:
            assert monotonic() < started + within, f"only {len(found)} of {count} arrived in {within} s"
            await asyncio.sleep(0.02 if count < 2000 else 0.5)  # frequent reads of a long file would slow the workers
        return monotonic() - started


@pytest.fixture
async def workers(tmp_path: Path, postgres_url: str) -> AsyncIterator[Workers]:
    async with AsyncExitStack() as processes:
        yield Workers(tmp_path, postgres_url, processes)


@pytest.fixture
async def settled_server(workers: Workers, postgres_url: str) -> None:
    """Shorten the settling time of the server to two seconds, and wait for its end.

    Until then no worker counts as dead.
    """
    import psycopg

    workers.timeouts = DatabaseTimeouts(settling=timedelta(seconds=2))

    with psycopg.connect(postgres_url) as session:
        row = session.execute("SELECT extract(epoch FROM clock_timestamp() - pg_postmaster_start_time())").fetchone()
    assert row is not None
    await asyncio.sleep(max(0.0, workers.timeouts.settling.total_seconds() + 0.1 - float(row[0])))


@pytest.fixture
def other_session(postgres_url: str) -> Iterator[object]:
    """Open a session of another program."""
    import psycopg

    with psycopg.connect(postgres_url) as session:
        yield session
