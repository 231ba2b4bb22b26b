"""Platform leases: one of several processes is connected and sends for the others."""

import asyncio
import json
from dataclasses import dataclass, field

import pytest

from bot.outbound.outbox import Outbox
from bot.outbound.workers import LEASE_DURATION, PlatformLeaseHolder, RemoteOutbox
from bot.platforms.base import OutgoingMessage
from bot.testing.clocks import LoopClock
from bot.testing.platform import FakePlatform
from services.history.service import HistoryService
from services.kernel.chat import ChatAddress, Person, SentFile
from services.kernel.errors import DeliveryFailed
from tests.support.stores.messages import MemoryMessageStore

HOME = ChatAddress(platform="fake", chat_id="home")
pytestmark = pytest.mark.looptime


class FakeLeases:
    """Gives what it is told to give, after so many seconds."""

    def __init__(self, given=()):
        self.given = frozenset(given)
        self.error = None
        self.takes_seconds = 0.0
        self.were_given_back = False

    async def take(self, platforms):
        if self.error is not None:
            raise self.error
        await asyncio.sleep(self.takes_seconds)
        return self.given & frozenset(platforms)

    async def give_back(self):
        self.were_given_back = True


@dataclass
class FakeTable:
    """The table of what is handed over, shared by two relays of one test."""

    rows: dict[int, list[str | None]] = field(default_factory=dict)

    async def add(self, platform, content):
        self.rows[len(self.rows) + 1] = [platform, content, "", None]
        return len(self.rows)

    async def outcome(self, number):
        return self.rows[number][3]

    async def withdraw(self, number):
        return self.rows.pop(number)[2] == ""

    async def take(self, platforms):
        rows = [(number, row[1]) for number, row in self.rows.items() if row[0] in platforms and not row[2]]
        for number, _ in rows:
            self.rows[number][2] = "other"
        return rows

    async def settle(self, number, outcome):
        self.rows[number][3] = outcome


class Connected:
    """A platform's connection: how often it was made and ended."""

    def __init__(self):
        self.made = self.ended = 0

    async def run(self):
        self.made += 1
        try:
            await asyncio.Event().wait()
        finally:
            self.ended += 1


def lease_holder_of(leases, *names, local=()):
    return PlatformLeaseHolder(leases, names, LoopClock(), local=local)


async def test_only_the_holder_of_the_lease_connects():
    line, leases = Connected(), FakeLeases()
    lease_holder = lease_holder_of(leases, "fake")
    async with lease_holder.hold():
        running = asyncio.create_task(lease_holder.run_while_leader("fake", line.run))
        await asyncio.sleep(5)
        before = line.made
        leases.given = frozenset({"fake"})
        await asyncio.sleep(5)
        running.cancel()

    assert (before, line.made) == (0, 1)


async def test_worker_disconnects_without_the_lease_and_connects_again_with_it():
    line, leases = Connected(), FakeLeases({"fake"})
    lease_holder = lease_holder_of(leases, "fake")
    async with lease_holder.hold():
        running = asyncio.create_task(lease_holder.run_while_leader("fake", line.run))
        await asyncio.sleep(1)
        leases.given = frozenset()
        await asyncio.sleep(3)
        seen = (line.made, line.ended, lease_holder.is_here("fake"))
        leases.given = frozenset({"fake"})
        await asyncio.sleep(3)
        running.cancel()

    assert seen == (1, 1, False)
    assert line.made == 2


async def test_a_short_outage_of_the_database_keeps_the_connection_and_a_long_one_ends_it():
    line, leases = Connected(), FakeLeases({"fake"})
    lease_holder = lease_holder_of(leases, "fake")
    async with lease_holder.hold():
        running = asyncio.create_task(lease_holder.run_while_leader("fake", line.run))
        await asyncio.sleep(1)
        leases.error = OSError("gone")
        await asyncio.sleep(4)
        short = line.ended
        await asyncio.sleep(5)  # before the lease runs out and another process takes it
        running.cancel()

        assert (short, line.ended) == (0, 1)


async def test_worker_disconnects_before_its_lease_ends_while_the_database_hangs():
    line, leases = Connected(), FakeLeases({"fake"})
    lease_holder = lease_holder_of(leases, "fake")
    async with lease_holder.hold():
        running = asyncio.create_task(lease_holder.run_while_leader("fake", line.run))
        await asyncio.sleep(1)
        leases.takes_seconds = 60
        await asyncio.sleep(LEASE_DURATION.total_seconds() - 2)
        running.cancel()

        assert (line.made, line.ended) == (1, 1)


async def test_worker_without_renewal_sends_nothing_before_the_database_answers():
    table, platform, leases = FakeTable(), FakePlatform(LoopClock()), FakeLeases({"fake"})
    lease_holder = lease_holder_of(leases, "fake")
    remote_outbox = RemoteOutbox(table, lease_holder, LoopClock())
    outbox = Outbox({"fake": platform}, HistoryService(MemoryMessageStore()), LoopClock(), remote_outbox)
    async with lease_holder.hold():
        await asyncio.sleep(1)
        before = lease_holder.is_here("fake")
        leases.takes_seconds = 6.5  # as for one that is frozen: it asks, and time goes by
        await asyncio.sleep(6.7)
        after = lease_holder.is_here("fake")
        sending = asyncio.create_task(outbox.send(HOME, OutgoingMessage(text="tea")))
        await asyncio.sleep(0.1)
        sending.cancel()

    assert (before, after) == (True, False)
    assert platform.texts == []
    assert [row[0] for row in table.rows.values()] == ["fake"]


async def test_connection_ends_with_its_input():
    lease_holder = lease_holder_of(FakeLeases({"fake"}), "fake")

    async def ends():
        return None

    async with lease_holder.hold():
        async with asyncio.timeout(3):
            await lease_holder.run_while_leader("fake", ends)


async def test_error_of_the_platform_is_passed_on():
    lease_holder = lease_holder_of(FakeLeases({"fake"}), "fake")

    async def fails():
        raise RuntimeError("no such network")

    async with lease_holder.hold():
        with pytest.raises(RuntimeError, match="no such network"):
            await lease_holder.run_while_leader("fake", fails)


async def test_leases_are_released_at_a_stop():
    leases = FakeLeases({"fake"})
    lease_holder = lease_holder_of(leases, "fake")
    async with lease_holder.hold():
        await asyncio.sleep(1)

    assert leases.were_given_back
    assert lease_holder.held == frozenset()


async def test_platform_of_each_process_is_not_leased():
    line = Connected()
    lease_holder = lease_holder_of(FakeLeases(), "fake", local=("web",))
    running = asyncio.create_task(lease_holder.run_while_leader("web", line.run))
    await asyncio.sleep(0.1)
    running.cancel()

    assert lease_holder.is_here("web")
    assert line.made == 1


class Two:
    """Two processes on one database: `here` has the platform, `away` has not."""

    def __init__(self):
        self.table, self.platform = FakeTable(), FakePlatform(LoopClock())
        self.leases = FakeLeases({"fake"})
        self.here, self.away = lease_holder_of(self.leases, "fake"), lease_holder_of(FakeLeases(), "fake")
        self.outbox = Outbox({"fake": self.platform}, HistoryService(MemoryMessageStore()), LoopClock())
        self.histories = HistoryService(MemoryMessageStore())
        self.away_outbox = Outbox({}, self.histories, LoopClock(), RemoteOutbox(self.table, self.away, LoopClock()))

    async def __aenter__(self):
        self._kept = self.here.hold()
        await self._kept.__aenter__()
        remote_outbox = RemoteOutbox(self.table, self.here, LoopClock())
        self._serving = asyncio.create_task(remote_outbox.serve(self.outbox.send))
        return self

    async def __aexit__(self, *_):
        self._serving.cancel()
        await asyncio.wait([self._serving])
        await self._kept.__aexit__(None, None, None)


async def test_message_of_another_process_is_sent_completely_by_the_connected_one():
    ann = Person(id="a", name="Ann")
    file = SentFile(name="tea.png", media_type="image/png", content=b"\x89PNG\xff")
    message = OutgoingMessage(text="⏰ @Ann 茶", mentions=(ann,), idempotency_key="k1", files=(file,), reply_to="7")
    async with Two() as two:
        message_id = await two.away_outbox.send(HOME, message)

    assert two.platform.sent == [(HOME, message)]
    assert message_id == two.platform.sent_ids[0]
    assert two.table.rows == {}


async def test_messages_keep_their_order():
    async with Two() as two, asyncio.TaskGroup() as group:
        for number in range(20):
            group.create_task(two.away_outbox.send(HOME, OutgoingMessage(text=str(number))))

    assert two.platform.texts == [str(number) for number in range(20)]


async def test_refusal_of_the_platform_is_passed_on():
    def refuse(*_):
        raise DeliveryFailed("slow down", retry_after=7.0, is_global=True)

    async with Two() as two:
        two.platform.refuse = refuse
        with pytest.raises(DeliveryFailed, match="slow down") as failure:
            await two.away_outbox.send(HOME, OutgoingMessage(text="tea"))

    assert (failure.value.retry_after, failure.value.is_global, failure.value.is_unknown) == (7.0, True, False)


async def test_error_in_the_other_process_may_follow_a_send():
    def break_down(*_):
        raise KeyError("chat")

    async with Two() as two:
        two.platform.refuse = break_down
        with pytest.raises(DeliveryFailed, match="KeyError") as failure:
            await two.away_outbox.send(HOME, OutgoingMessage(text="tea"))

    assert failure.value.is_unknown


async def test_without_a_connected_worker_the_message_is_retried_and_was_not_sent():
    async with Two() as two:
        two.leases.given = frozenset()
        await asyncio.sleep(3)
        with pytest.raises(DeliveryFailed, match="no worker is connected to fake") as failure:
            await two.away_outbox.send(HOME, OutgoingMessage(text="tea"))

    assert not failure.value.is_unknown
    assert two.table.rows == {}


async def test_message_taken_by_a_dead_process_may_have_been_sent():
    two = Two()
    sending = asyncio.create_task(two.away_outbox.send(HOME, OutgoingMessage(text="tea")))
    await asyncio.sleep(0.1)
    [(_, content)] = await two.table.take({"fake"})
    with pytest.raises(DeliveryFailed) as failure:
        await sending

    assert failure.value.is_unknown
    assert json.loads(content)["message"]["text"] == "tea"
