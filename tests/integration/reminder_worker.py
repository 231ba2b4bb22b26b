"""A process for tests to kill: a reminder service on a database, with a text file as its platform.

Every send appends `<idempotency key> <content> <label> <attempt> <repeat>` to `sent.txt` of its folder, padded with
spaces so that no line crosses a page of the file, where a kill could cut it.
"""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import SystemClock
from services.recurrence.schedule import Schedule
from services.reminders.model import DueNotice, NewReminder
from services.reminders.records import ValidatedReminder
from services.reminders.service import ReminderService
from services.storage.database import Database
from services.storage.engine.postgres import DatabaseTimeouts
from services.storage.people.state import SqlStateStore
from services.storage.reminders.store import SqlReminderStore
from services.time_expressions import parse_all
from tests.support.stores.reminders import add_many

HOME = ChatAddress(platform="console", chat_id="home")
ANN = Person(id="ann", name="Ann")
SEND_SECONDS = 0.01
LINE_BYTES = 128  # a divisor of the page size


class FilePlatform:
    """Writes each message to a file, and takes a while for it."""

    def __init__(self, path: Path, label: str, send_seconds: float) -> None:
        self._path = path
        self._label = label
        self._send_seconds = send_seconds

    async def deliver(self, notice: DueNotice) -> str | None:
        line = f"{notice.idempotency_key} {notice.content} {self._label} {notice.attempt} {notice.may_be_repeat}"
        with self._path.open("a", encoding="ascii") as file:
            file.write(f"{line:{LINE_BYTES - 1}}\n")
        await asyncio.sleep(self._send_seconds)
        return None

    async def report_undeliverable(self, notice: DueNotice, reason: str) -> None:
        raise AssertionError(reason)


def deliver_until_killed(
    say_ready: Callable[[], None],
    folder: Path,
    label: str,
    count: int = 0,
    seconds: float = 0.0,
    url: str = "",
    send_seconds: float = SEND_SECONDS,
    timeouts: DatabaseTimeouts | None = None,
) -> None:
    """Set `count` reminders due in `seconds`, report that they are committed, and deliver.

    Without a URL the database is a SQLite file in `folder`.
    """
    platform = FilePlatform(folder / "sent.txt", label, send_seconds)
    wished = [f"{label}-{number}" for number in range(count)]
    database = Database(url or f"sqlite:///{folder / 'bubbles.db'}", timeouts=timeouts)
    asyncio.run(_deliver(database, platform, wished, seconds, say_ready))


async def _deliver(
    database: Database, platform: FilePlatform, contents: list[str], seconds: float, say_ready: Callable[[], None]
) -> None:
    clock = SystemClock()
    async with database:
        store = SqlReminderStore(database)
        service = ReminderService(store, clock, platform, SqlStateStore(database, clock), times=parse_all)
        due = clock.now() + timedelta(seconds=seconds)
        reminders = [_make_reminder(content, due.replace(tzinfo=None)) for content in contents]
        await add_many(
            store, [ValidatedReminder(reminder=reminder, first_fire=due) for reminder in reminders], clock.now()
        )
        running = asyncio.create_task(service.worker.run())
        say_ready()
        await running


def _make_reminder(content: str, due: datetime) -> NewReminder:
    schedule = Schedule(start=due, zone="UTC")
    return NewReminder(
        request_key=content, address=HOME, creator=ANN, content=content, schedule=schedule, language="en"
    )
