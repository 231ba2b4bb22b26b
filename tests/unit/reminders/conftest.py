"""A reminder service in memory, on a simulated clock."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from bot.testing.clocks import LoopClock
from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import Clock, SystemClock
from services.kernel.errors import DeliveryFailed
from services.kernel.state import MemoryStateStore
from services.recurrence.schedule import read_schedule
from services.reminders.delivery.config import DeliveryConfig
from services.reminders.model import DueNotice, NewReminder, Reminder, ReminderEdit, ReminderLimits
from services.reminders.records import DeliveryState
from services.reminders.service import ReminderService
from services.time_expressions import TimeReader
from tests.support.stores.reminders import MemoryReminderStore

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
HOME = ChatAddress(platform="console", chat_id="home")
ANN = Person(id="ann", name="Ann")
BOB = Person(id="bob", name="Bob")


class FakeCourier:
    """Stores notices; `failures` are raised first, `hold` keeps sends in flight while it is cleared."""

    def __init__(self) -> None:
        self.clock: Clock = SystemClock()
        self.said: list[DueNotice] = []
        self.message_time: list[datetime] = []
        self.reported: list[tuple[DueNotice, str]] = []
        self.failures: list[Exception] = []
        self.hold = asyncio.Event()
        self.hold.set()
        self.in_flight = 0
        self.max_in_flight = 0

    async def deliver(self, notice: DueNotice) -> str | None:
        if self.failures:
            raise self.failures.pop(0)
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        try:
            await self.hold.wait()
        finally:
            self.in_flight -= 1
        self.said.append(notice)
        self.message_time.append(self.clock.now())
        return f"m{len(self.said)}"

    async def report_undeliverable(self, notice: DueNotice, reason: str) -> None:
        self.reported.append((notice, reason))
        if reason == "the owner is gone too":
            raise DeliveryFailed(reason, is_permanent=True)

    @property
    def texts(self) -> list[str]:
        return [notice.content for notice in self.said]


class FakeGatheringCourier(FakeCourier):
    """Sends several notices in one message; `messages` are their keys and contents."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[tuple[str, list[str]]] = []

    async def deliver_together(self, notices: Sequence[DueNotice], idempotency_key: str) -> str | None:
        if self.failures:
            self.messages.append((idempotency_key, []))
            raise self.failures.pop(0)
        for notice in notices:
            await self.deliver(notice)
        self.messages.append((idempotency_key, [notice.content for notice in notices]))
        return f"m{len(self.said)}"


class FragileStore(MemoryReminderStore):
    """A store whose calls fail as often as set, like a locked database."""

    def __init__(self) -> None:
        super().__init__()
        self.failures: dict[str, int] = {}

    def __getattribute__(self, name: str):
        found = super().__getattribute__(name)
        if name in {"claim", "begin", "settle", "free", "renew", "realign"} and self.failures.get(name, 0) > 0:
            self.failures[name] -= 1

            async def fail(*_: object) -> None:
                raise OSError("database is locked")

            return fail
        return found


@dataclass
class Desk:
    """A reminder service with its dependencies, and short methods to set reminders."""

    clock: LoopClock = field(default_factory=lambda: LoopClock(NOW))
    store: FragileStore = field(default_factory=FragileStore)
    courier: FakeCourier = field(default_factory=FakeCourier)
    limits: ReminderLimits = field(default_factory=ReminderLimits)
    delivery: DeliveryConfig = field(
        default_factory=lambda: DeliveryConfig(tick=timedelta(minutes=1))
    )  # days pass in few steps

    def __post_init__(self) -> None:
        self.courier.clock = self.clock
        self.state = MemoryStateStore(self.clock)
        self.service = self.new_service()

    def new_service(self, *, zone_data: str = "") -> ReminderService:
        """Return a service of another process on the same store."""
        return ReminderService(
            self.store,
            self.clock,
            self.courier,
            self.state,
            limits=self.limits,
            delivery=self.delivery,
            zone_data=zone_data,
            times=TimeReader().parse_all,
        )

    def new_reminder(
        self, content: str = "tea", *, seconds: float = 60, rule: str = "", by: Person = ANN, **more
    ) -> NewReminder:
        start = (self.clock.now() + timedelta(seconds=seconds)).replace(tzinfo=None)
        values = {
            "request_key": f"{content}-{seconds}-{rule}",
            "address": HOME,
            "creator": by,
            "content": content,
            "schedule": read_schedule(start, "UTC", rule),
            "language": "en",
        }
        return NewReminder(**{**values, **more})

    async def set(self, content: str = "tea", **more) -> Reminder:
        return await self.service.create(self.new_reminder(content, **more))

    async def states(self) -> list[DeliveryState]:
        """Return the state of each occurrence from a month before now to a month after it."""
        now, month = self.clock.now(), timedelta(days=30)
        return [each.state for each in await self.store.deliveries(now - month, now + month)]

    @asynccontextmanager
    async def running(self, service: ReminderService | None = None) -> AsyncIterator[None]:
        task = asyncio.create_task((service or self.service).worker.run())
        await asyncio.sleep(0)
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


@pytest.fixture
def make_desk() -> Callable[..., Desk]:
    return Desk


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def gathering_desk() -> Desk:
    return Desk(courier=FakeGatheringCourier())


@pytest.fixture
def edit_of() -> Callable[..., ReminderEdit]:
    return ReminderEdit
