"""Several workers on one PostgreSQL database: shared work, takeover, and no repeats."""

import asyncio
import signal
from collections import Counter
from datetime import timedelta

import pytest
import sqlalchemy as sa

from services.kernel.clock import SystemClock
from services.reminders.delivery.config import DeliveryConfig
from services.reminders.model import ReminderState
from services.reminders.records import DeliveryOutcome, DeliveryState
from services.storage.database import Database
from services.storage.engine.postgres import DatabaseTimeouts
from services.storage.reminders.audit import SqlReminderAudit
from services.storage.reminders.store import SqlReminderStore
from services.storage.tables import UNSETTLED
from tests.support.stores.reminders import make_outcome
from tests.support.timeouts import on_this_machine

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]
SENDERS = DeliveryConfig().senders
SHORT_TIMEOUTS = DatabaseTimeouts(
    beat=timedelta(seconds=1), frozen_after=timedelta(seconds=5), settling=timedelta(seconds=2)
)
FROZEN_SECONDS = 10


@pytest.mark.parametrize(("size", "count"), [(2, 5000), (4, 20_000)])
async def test_workers_share_due_reminders_and_lose_and_repeat_none(workers, size: int, count: int):
    names = [f"worker{number}" for number in range(size)]
    # With sends that take no time, one worker could finish before another has run at all on a busy machine.
    await asyncio.gather(*(workers.start(name, send_seconds=0.005) for name in names))

    await workers.add("due", count, seconds=0.5)
    await workers.wait_until_sent(count, within=60)

    shares = Counter(line[2] for line in workers.sent())
    assert len(workers.sent()) == count
    assert min(shares[name] for name in names) >= count / 10


@pytest.mark.usefixtures("settled_server")
async def test_reminders_of_a_killed_worker_are_sent_by_the_other_at_once(workers):
    count = 600
    first, _ = await asyncio.gather(workers.start("first"), workers.start("second"))
    await workers.add("due", count, seconds=3)
    await workers.wait_until_sent(count // 4, within=20)

    await first.kill()
    took = await workers.wait_until_sent(count, within=20)

    await asyncio.sleep(0.5)
    repeats = workers.repeats()
    assert took < on_this_machine(2)
    assert len(repeats) <= 4 * SENDERS  # being sent, or sent and not yet marked while the outcomes are committed
    assert all(line[4] == "True" for line in repeats)


async def send_three_and_record_two(database: Database, workers) -> list[DeliveryOutcome]:
    """As the worker "dead", begin three reminders and record the sending of two; return the outcomes of all."""
    await workers.add("due", 3, seconds=0)
    store, now = SqlReminderStore(database), SystemClock().now()
    leases = (await store.claim("dead", now, now, 10)).leases
    await store.begin("dead", [lease.notice.delivery_id for lease in leases])
    outcomes = [make_outcome(lease, DeliveryState.SENT, now, message_id="m1") for lease in leases]
    assert await store.record_sent(list(zip(leases[:2], outcomes[:2], strict=True)))
    return outcomes


@pytest.mark.usefixtures("settled_server")
async def test_message_sent_by_a_dead_worker_is_not_repeated(workers):
    async with Database(workers.url) as dead:
        outcomes = await send_three_and_record_two(dead, workers)

    async with Database(workers.url, timeouts=workers.timeouts) as other:
        store = SqlReminderStore(other)
        count = await store.free(None)
        found = await SqlReminderAudit(other).deliveries(outcomes[0].at - timedelta(minutes=1), outcomes[0].at)
        found_reminders = await store.sent_in("console:chat0", "m1")

    assert count == 1
    assert [each.state for each in found] == [DeliveryState.SENT, DeliveryState.SENT, DeliveryState.UNKNOWN]
    assert [row.state for row in found_reminders] == [ReminderState.DONE]


async def test_record_of_a_send_is_removed_when_settled(workers):
    async with Database(workers.url) as database:
        outcomes = await send_three_and_record_two(database, workers)
        await SqlReminderStore(database).settle(outcomes)
        kept = await database.read(
            lambda connection: connection.scalar(sa.select(sa.func.count()).select_from(UNSETTLED))
        )

    assert kept == 0


@pytest.mark.usefixtures("settled_server")
async def test_reminders_of_a_frozen_worker_are_taken_over_and_not_repeated_later(workers):
    count = 400
    workers.timeouts = SHORT_TIMEOUTS
    frozen, other = await asyncio.gather(workers.start("frozen"), workers.start("other"))
    await workers.add("due", count, seconds=4)
    await asyncio.sleep(2)  # both have claimed, nothing is due

    frozen.send_signal(signal.SIGSTOP)
    took = await workers.wait_until_sent(count, within=SHORT_TIMEOUTS.frozen_after.total_seconds() + on_this_machine(5))
    await asyncio.sleep(max(0.0, FROZEN_SECONDS - took))
    frozen.send_signal(signal.SIGCONT)
    await asyncio.sleep(2)

    assert len(workers.sent()) == count
    assert "frozen" not in {line[2] for line in workers.sent()}
    await other.kill()
    await workers.add("later", count, seconds=2)
    await workers.wait_until_sent(2 * count, within=15)
    assert {line[2] for line in workers.sent() if line[1].startswith("later")} == {"frozen"}
    assert len(workers.sent()) == 2 * count


async def test_lock_on_the_tables_delays_and_loses_nothing(workers, other_session):
    await asyncio.gather(workers.start("first"), workers.start("second"))
    await workers.add("due", 100, seconds=2)

    other_session.execute("LOCK TABLE reminder, delivery IN ACCESS EXCLUSIVE MODE")
    await asyncio.sleep(4)
    before = len(workers.sent())
    other_session.rollback()
    took = await workers.wait_until_sent(100, within=20)
    await workers.add("later", 100, seconds=1)
    await workers.wait_until_sent(200, within=10)

    assert before < 100
    assert took < on_this_machine(3)
    assert len(workers.sent()) == 200


@pytest.mark.usefixtures("settled_server")
async def test_worker_frozen_while_sending_repeats_only_its_running_sends(workers):
    count = 3000
    workers.timeouts = SHORT_TIMEOUTS
    frozen, _ = await asyncio.gather(
        workers.start("frozen", send_seconds=0.0), workers.start("other", send_seconds=0.02)
    )
    await workers.add("due", count, seconds=3)
    await workers.wait_until_sent(count // 10, within=20)

    frozen.send_signal(signal.SIGSTOP)
    await workers.wait_until_sent(count, within=60)
    frozen.send_signal(signal.SIGCONT)
    await asyncio.sleep(3)

    assert {line[1] for line in workers.sent()} == {f"due-{number}" for number in range(count)}
    assert len(workers.repeats()) <= 2 * SENDERS  # sent at the moment of the freeze and not yet marked, or under way
