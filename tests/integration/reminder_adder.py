"""A process for tests of power cuts, which sets reminders and prints those that are committed.

    python reminder_adder.py FOLDER

Prints the number of each reminder once it is confirmed.
"""

import asyncio
import sys
from datetime import timedelta
from pathlib import Path

from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import SystemClock
from services.recurrence.schedule import Schedule
from services.reminders.model import DueNotice, NewReminder, ReminderLimits
from services.reminders.service import ReminderService
from services.storage.database import Database
from services.storage.people.state import SqlStateStore
from services.storage.reminders.store import SqlReminderStore
from services.time_expressions import parse_all

HOME = ChatAddress(platform="console", chat_id="home")
LIMITS = ReminderLimits(per_person=100_000, per_chat=100_000)


class UnusedNotifier:
    """A notifier that is never called, as no reminder falls due."""

    async def deliver(self, notice: DueNotice) -> str | None:
        raise AssertionError(notice)

    async def report_undeliverable(self, notice: DueNotice, reason: str) -> None:
        raise AssertionError(notice, reason)


async def main(folder: Path) -> None:
    clock = SystemClock()
    async with Database(f"sqlite:///{folder / 'bubbles.db'}") as database:
        state = SqlStateStore(database, clock)
        service = ReminderService(
            SqlReminderStore(database), clock, UnusedNotifier(), state, limits=LIMITS, times=parse_all
        )
        due = (clock.now() + timedelta(days=1)).replace(tzinfo=None)
        for number in range(100_000):
            await service.create(
                NewReminder(
                    request_key=str(number),
                    address=HOME,
                    creator=Person(id="ann", name="Ann"),
                    content=str(number),
                    schedule=Schedule(start=due, zone="UTC"),
                    language="en",
                )
            )
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
