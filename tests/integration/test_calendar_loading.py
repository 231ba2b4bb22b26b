"""Loading of holiday calendars, which is fast and does not block."""

import asyncio
import gc
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

import pytest

from bot.testing.clocks import FixedClock
from services.kernel.chat import ChatAddress, Person
from services.kernel.state import MemoryStateStore
from services.recurrence.schedule import read_schedule
from services.reminders.model import DueNotice, NewReminder
from services.reminders.service import ReminderService
from services.storage.database import Database
from services.storage.reminders.store import SqlReminderStore
from services.time_expressions import warm_up
from tests.integration.workers import Worker
from tests.pace import on_this_machine

pytestmark = [pytest.mark.integration, pytest.mark.timeout(60)]
STALL_SECONDS = 0.02
TRIES = 5  # others may have had the processor
HOME, ANN = ChatAddress(platform="console", chat_id="home"), Person(id="ann", name="Ann")
WORKDAYS = read_schedule(datetime(2026, 11, 21, 9, 0), "Asia/Shanghai", "WORKDAYS;REGION=CN")


class NoCourier:
    """Says nothing: nothing falls due here."""

    async def deliver(self, notice: DueNotice) -> str | None:
        raise AssertionError(notice)

    async def report_undeliverable(self, notice: DueNotice, reason: str) -> None:
        raise AssertionError(notice, reason)


def look(say_ready: Callable[[], None], folder: Path, what: str) -> None:
    """Set or list a reminder on working days as the first thing of a process; write down how long the loop was away."""
    say_ready()
    warm_up()
    gc.freeze()  # as the start of the bot does with all that was imported; else a collection could fall into the time
    assert "holidays" not in sys.modules
    longest = asyncio.run(_look(folder, what))
    assert "holidays" in sys.modules
    (folder / what).write_text(str(longest), encoding="ascii")


async def _look(folder: Path, what: str) -> float:
    clock = FixedClock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))
    async with Database(f"sqlite:///{folder / 'bubbles.db'}") as database:
        service = ReminderService(SqlReminderStore(database), clock, NoCourier(), MemoryStateStore(clock))
        ended = asyncio.Event()
        watching = asyncio.create_task(_longest_absence(ended))
        await asyncio.sleep(0.05)
        if what == "set":
            await service.create(
                NewReminder(request_key="1", address=HOME, creator=ANN, content="tea", schedule=WORKDAYS, language="en")
            )
        (reminder,) = await service.list(HOME, ANN)
        assert len(reminder.next_fires) == 3
        ended.set()
        return await watching


async def _longest_absence(ended: asyncio.Event) -> float:
    longest, before = 0.0, perf_counter()
    while not ended.is_set():
        await asyncio.sleep(0.001)
        now = perf_counter()
        longest, before = max(longest, now - before), now
    return longest


@pytest.mark.parametrize("what", ["set", "list"])
def test_neither_who_sets_nor_who_lists_the_first_holiday_rule_stops_the_others(tmp_path: Path, what: str):
    if what == "list":
        assert Worker(tmp_path / "log", look, tmp_path, "set").ended(within=30) == 0
    absences = []
    for _ in range(TRIES):
        worker = Worker(tmp_path / "log", look, tmp_path, what)
        assert worker.ended(within=30) == 0, worker.said
        absences.append(float((tmp_path / what).read_text(encoding="ascii")))
        if absences[-1] < STALL_SECONDS:
            break

    assert min(absences) < on_this_machine(STALL_SECONDS)
