"""A process to be killed: the reminder service on a database, real time, a platform that is a text file.

    python reminder_worker.py FOLDER LABEL COUNT SECONDS [URL [SEND_SECONDS]]

Sets that many reminders due in so many seconds, prints `ready` when they are committed, and delivers until it is
killed. Without a URL the database is a SQLite file in FOLDER.
Every send appends `<idempotency key> <content> <label> <attempt> <repeat>` to FOLDER/sent.txt.
"""

import asyncio
import sys
from datetime import timedelta
from pathlib import Path

from services.chat import ChatAddress, Person
from services.clock import SystemClock
from services.reminders.model import DueNotice, NewReminder, Schedule
from services.reminders.service import ReminderService
from services.storage.database import Database
from services.storage.reminder_store import SqlReminderStore
from services.storage.state_store import SqlStateStore

HOME = ChatAddress(platform="console", chat_id="home")
ANN = Person(id="ann", name="Ann")
SEND_SECONDS = 0.01


class FilePlatform:
    """Takes a while for each send, then writes it down: what is in the file was seen by people."""

    def __init__(self, path: Path, label: str, send_seconds: float) -> None:
        self._path = path
        self._label = label
        self._send_seconds = send_seconds

    async def deliver(self, notice: DueNotice) -> str | None:
        line = f"{notice.idempotency_key} {notice.content} {self._label} {notice.attempt} {notice.may_be_repeat}\n"
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line)
        await asyncio.sleep(self._send_seconds)
        return None

    async def report_undeliverable(self, notice: DueNotice, reason: str) -> None:
        raise AssertionError(reason)


async def main(
    folder: Path, label: str, count: int, seconds: float, url: str = "", send_seconds: float = SEND_SECONDS
) -> None:
    clock = SystemClock()
    async with Database(url or f"sqlite:///{folder / 'bubbles.db'}") as database:
        platform = FilePlatform(folder / "sent.txt", label, send_seconds)
        service = ReminderService(SqlReminderStore(database), clock, platform, SqlStateStore(database, clock))
        due = (clock.now() + timedelta(seconds=seconds)).replace(tzinfo=None)
        wishes = [
            NewReminder(
                request_key=f"{label}-{number}",
                address=HOME,
                creator=ANN,
                content=f"{label}-{number}",
                schedule=Schedule(start=due, zone="UTC"),
                language="en",
            )
            for number in range(count)
        ]
        await service.create_many(wishes)
        running = asyncio.create_task(service.run())
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await running


if __name__ == "__main__":
    where, named, number, wait, *rest = sys.argv[1:]
    address = rest[0] if rest else ""
    asyncio.run(
        main(Path(where), named, int(number), float(wait), address, float(rest[1]) if rest[1:] else SEND_SECONDS)
    )
