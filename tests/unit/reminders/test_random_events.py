"""Random events and crashes, whose sent reminders match a small model."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import looptime
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from bot.testing.clocks import InlineExecutor, LoopClock
from services.kernel.chat import ChatAddress, Person
from services.kernel.state import MemoryStateStore
from services.recurrence.schedule import read_schedule
from services.reminders.delivery.config import DeliveryConfig
from services.reminders.model import DueNotice, NewReminder, ReminderEdit
from services.reminders.service import ReminderService
from services.storage.database import Database
from services.storage.reminders.store import SqlReminderStore
from services.time_expressions import parse_all

pytestmark = pytest.mark.timeout(60)
HOME = ChatAddress(platform="console", chat_id="home")
ANN = Person(id="ann", name="Ann")
MINUTE = timedelta(minutes=1)
# Commands come in the middle of a minute and fires at its beginning; other tests let them meet.
START = datetime(2026, 11, 20, 9, 0, 30, tzinfo=UTC)
MINUTES = st.integers(min_value=1, max_value=15)


@dataclass
class Expected:
    """A reminder of the model: its first fire, its interval (None: once), and the fires that are due."""

    id: str
    content: str
    first: datetime
    every: timedelta | None
    state: str = "active"
    owed: list[datetime] = field(default_factory=list)
    waived: int = 0  # fires that were still to be said when somebody deleted or paused it

    def fires_after(self, moment: datetime) -> datetime | None:
        if self.every is None or moment < self.first:
            return self.first if moment < self.first else None
        return self.first + self.every * ((moment - self.first) // self.every + 1)

    def pass_time_until(self, since: datetime, until: datetime) -> None:
        fire = self.fires_after(since)
        while self.state == "active" and fire is not None and fire <= until:
            self.owed.append(fire)
            fire = self.fires_after(fire)


class FakeCourier:
    """Stores notices; nothing is delivered while `hold` is cleared."""

    def __init__(self) -> None:
        self.said: list[DueNotice] = []
        self.hold = asyncio.Event()
        self.hold.set()

    async def deliver(self, notice: DueNotice) -> str | None:
        await self.hold.wait()
        self.said.append(notice)
        return f"m{len(self.said)}"

    async def report_undeliverable(self, notice: DueNotice, reason: str) -> None:
        raise AssertionError(notice, reason)


class AnyCourseOfEvents(RuleBasedStateMachine):
    """Sets, changes and loses processes and hours at random; `teardown` compares with the model."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = looptime.new_event_loop()
        self.reminders: list[Expected] = []
        self.number = 0
        self.do(self.open())

    def do(self, work):
        return self.loop.run_until_complete(work)

    async def open(self) -> None:
        self.clock, self.courier = LoopClock(START), FakeCourier()
        self.seen = self.clock.now()
        self.database = await Database("sqlite://", make_thread=InlineExecutor).__aenter__()
        self.store, self.state = SqlReminderStore(self.database), MemoryStateStore(self.clock)
        await self.begin()

    async def begin(self) -> None:
        delivery = DeliveryConfig(tick=MINUTE)
        self.service = ReminderService(
            self.store, self.clock, self.courier, self.state, delivery=delivery, times=parse_all
        )
        self.running = asyncio.create_task(self.service.worker.run())
        await asyncio.sleep(0.1)

    async def die(self) -> None:
        self.running.cancel()
        with suppress(asyncio.CancelledError):
            await self.running

    async def pass_time(self, by: timedelta) -> None:
        await asyncio.sleep(by.total_seconds())
        self.model_time()

    def model_time(self) -> None:
        now = self.clock.now()
        for reminder in self.reminders:
            reminder.pass_time_until(self.seen, now)
        self.seen = now

    async def add(self, content: str, minutes: int, every: int | None) -> None:
        first = self.clock.now().replace(second=0, microsecond=0) + minutes * MINUTE
        text = "" if every is None else f"FREQ=MINUTELY;INTERVAL={every}"
        schedule = read_schedule(first.replace(tzinfo=None), "UTC", text)
        self.number += 1
        made = await self.service.create(
            NewReminder(
                request_key=str(self.number),
                address=HOME,
                creator=ANN,
                content=content,
                schedule=schedule,
                language="en",
            )
        )
        pause = None if every is None else every * MINUTE
        self.reminders.append(Expected(id=made.id, content=content, first=first, every=pause))

    def draw_reminder(self, data, *states: str) -> Expected | None:
        """Draw a reminder in one of these states that has a fire left."""
        now = self.clock_now()
        found = [each for each in self.reminders if each.state in states and each.fires_after(now) is not None]
        return data.draw(st.sampled_from(found)) if found else None

    def clock_now(self) -> datetime:
        return self.do(self.ask_clock())

    async def ask_clock(self) -> datetime:
        return self.clock.now()

    def waive_failed(self, reminder: Expected) -> None:
        """Waive the fires of `reminder` that were not sent yet: a failed send left them to be tried again."""
        count = sum(1 + each.missed for each in self.courier.said if each.reminder_id == reminder.id)
        reminder.waived = len(reminder.owed) - count

    @rule(minutes=MINUTES)
    def set_once(self, minutes: int) -> None:
        self.do(self.add(f"once {self.number}", minutes, None))

    @rule(minutes=MINUTES, every=st.integers(min_value=5, max_value=30))
    def set_recurring(self, minutes: int, every: int) -> None:
        self.do(self.add(f"often {self.number}", minutes, every))

    @rule(minutes=MINUTES)
    def time_passes(self, minutes: int) -> None:
        self.do(self.pass_time(minutes * MINUTE))

    @rule(data=st.data())
    def edit(self, data) -> None:
        if reminder := self.draw_reminder(data, "active", "paused"):
            self.number += 1
            reminder.content = f"edited {self.number}"
            self.do(self.service.edit(HOME, ANN, reminder.id, ReminderEdit(content=reminder.content)))

    @rule(data=st.data())
    def delete(self, data) -> None:
        if reminder := self.draw_reminder(data, "active", "paused"):
            self.do(self.service.delete(HOME, ANN, reminder.id))
            self.waive_failed(reminder)
            reminder.state = "deleted"

    @rule(data=st.data())
    def undo_delete(self, data) -> None:
        if reminder := self.draw_reminder(data, "deleted"):
            self.do(self.service.restore(HOME, ANN, reminder.id))
            reminder.state = "active"

    @rule(data=st.data())
    def pause(self, data) -> None:
        if reminder := self.draw_reminder(data, "active"):
            self.do(self.service.pause(HOME, ANN, reminder.id))
            self.waive_failed(reminder)
            reminder.state = "paused"

    @rule(data=st.data())
    def resume(self, data) -> None:
        if reminder := self.draw_reminder(data, "paused"):
            self.do(self.service.resume(HOME, ANN, reminder.id))
            reminder.state = "active"

    @precondition(lambda self: self.courier.said)
    @rule(minutes=MINUTES)
    def snooze_the_last(self, minutes: int) -> None:
        self.do(self.snooze(minutes))

    async def snooze(self, minutes: int) -> None:
        last = self.courier.said[-1]
        if self.clock.now() - last.due_at > timedelta(hours=20):
            return
        self.number += 1
        until = self.clock.now().replace(second=0, microsecond=0) + minutes * MINUTE
        made = await self.service.snooze(HOME, ANN, last.reminder_id, until, request_key=str(self.number))
        self.reminders.append(Expected(id=made.id, content=made.content, first=until, every=None))

    @rule(minutes=st.integers(min_value=0, max_value=60))
    def crash_and_come_back(self, minutes: int) -> None:
        self.do(self.crash(minutes * MINUTE))

    async def crash(self, downtime: timedelta) -> None:
        await self.die()
        await self.pass_time(downtime)
        await self.begin()

    @rule(minutes=MINUTES)
    def crash_while_saying(self, minutes: int) -> None:
        self.do(self.crash_in_the_midst(minutes * MINUTE))

    async def crash_in_the_midst(self, after: timedelta) -> None:
        self.courier.hold.clear()
        await self.pass_time(after)
        await self.die()
        self.courier.hold.set()
        await self.begin()

    @rule(minutes=st.integers(min_value=1, max_value=120))
    def clock_jumps_forward(self, minutes: int) -> None:
        self.do(self.jump(minutes * MINUTE))

    async def jump(self, by: timedelta) -> None:
        self.clock.shift(by)
        await self.pass_time(2 * MINUTE)

    def teardown(self) -> None:
        try:
            self.do(self.pass_time(10 * MINUTE))
            self.compare()
        finally:
            self.do(self.close())
            self.loop.close()

    def compare(self) -> None:
        notices_of: dict[str, list[DueNotice]] = {}
        for notice in self.courier.said:
            notices_of.setdefault(notice.reminder_id, []).append(notice)
        for reminder in self.reminders:
            notices = notices_of.pop(reminder.id, [])
            dues = [notice.due_at for notice in notices]
            assert len(set(dues)) == len(dues), "nothing is said twice"
            for_the_first_time = [notice.due_at for notice in notices if not notice.may_be_repeat]
            assert for_the_first_time == sorted(for_the_first_time)  # a repeat may come after a later fire
            assert set(dues) <= set(reminder.owed)
            count = sum(1 + notice.missed for notice in notices)
            assert len(reminder.owed) - reminder.waived <= count <= len(reminder.owed), "nothing is lost"
        assert not notices_of, "nothing is said that was not set"

    async def close(self) -> None:
        await self.die()
        await self.database.__aexit__()


AnyCourseOfEvents.TestCase.settings = settings(
    max_examples=10, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)
TestAnyCourseOfEvents = AnyCourseOfEvents.TestCase
