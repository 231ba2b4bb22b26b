"""Days of reminders with crashes, outages and database errors, in simulated time."""

import asyncio
import random
import resource
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest

from bot.testing.clocks import InlineExecutor, LoopClock
from services.kernel.chat import ChatAddress, Person
from services.kernel.errors import DeliveryFailed
from services.kernel.state import MemoryStateStore
from services.recurrence.schedule import read_schedule
from services.reminders.audit.verification import Result, verify
from services.reminders.delivery.config import DeliveryConfig
from services.reminders.model import DueNotice, NewReminder
from services.reminders.service import ReminderService
from services.storage.database import Database
from services.storage.reminders.audit import SqlReminderAudit
from services.storage.reminders.store import SqlReminderStore
from services.time_expressions import parse_all

pytestmark = [pytest.mark.integration, pytest.mark.looptime, pytest.mark.timeout(120)]
START = datetime(2027, 3, 20, 0, 0, tzinfo=UTC)  # the clocks change in Berlin on the 28th
DAYS = 7
RULES = (
    "FREQ=DAILY",
    "FREQ=HOURLY;INTERVAL=5",
    "FREQ=WEEKLY;BYDAY=MO,WE,FR",
    "FREQ=DAILY;BYHOUR=2;BYMINUTE=30",
    "FREQ=DAILY;BYHOUR=20;BYMINUTE=0;NAG=20;NAGS=3",
    "WORKDAYS;REGION=DE;BYHOUR=9;BYMINUTE=0",
    "",
)


class FlakyNotifier:
    """A notifier that fails at random, and counts the sends of each occurrence."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self.sent_counts: dict[str, int] = {}

    async def deliver(self, notice: DueNotice) -> str | None:
        if self._chance.random() < 0.1:
            raise DeliveryFailed("out of reach", retry_after=self._chance.choice([None, 5.0]))
        self.sent_counts[notice.idempotency_key] = self.sent_counts.get(notice.idempotency_key, 0) + 1
        return f"m{len(self.sent_counts)}"

    async def report_undeliverable(self, notice: DueNotice, reason: str) -> None:
        raise AssertionError(notice, reason)


def make_reminder(number: int, chance: random.Random) -> NewReminder:
    start = START.replace(tzinfo=None) + timedelta(minutes=chance.randrange(60, 60 * 24 * DAYS - 600))
    return NewReminder(
        request_key=str(number),
        address=ChatAddress(platform="console", chat_id=f"chat{number % 5}"),
        creator=Person(id="ann", name="Ann"),
        content=str(number),
        schedule=read_schedule(start, "Europe/Berlin", RULES[number % len(RULES)]),
        language="en",
    )


@pytest.mark.parametrize("seed", range(2))
async def test_week_of_crashes_and_outages_loses_and_repeats_nothing(seed: int):
    chance = random.Random(seed)
    clock = LoopClock(START)
    notifier = FlakyNotifier(chance)
    async with Database("sqlite://", make_thread=InlineExecutor) as database:
        store = SqlReminderStore(database)

        def make_service() -> ReminderService:
            delivery = DeliveryConfig(tick=timedelta(minutes=10))
            return ReminderService(store, clock, notifier, MemoryStateStore(clock), delivery=delivery, times=parse_all)

        for number in range(49):
            await make_service().create(make_reminder(number, chance))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        end = START + timedelta(days=DAYS)
        while clock.now() < end:
            running = asyncio.create_task(make_service().worker.run())
            await asyncio.sleep(chance.uniform(60, 86_400))
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running
            await asyncio.sleep(chance.choice([1, 600, 7200]))
        running = asyncio.create_task(make_service().worker.run())
        await asyncio.sleep(3600)
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        verdict = await verify(SqlReminderAudit(database), START, clock.now(), clock.now())

    assert verdict.is_proved, verdict.wrong[:5]
    assert verdict.counts[Result.DELIVERED] > 80
    assert set(notifier.sent_counts.values()) == {1}
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60_000  # KiB
