"""Platform leases, turn claims and the remote outbox of workers on one PostgreSQL database."""

import asyncio
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from bot.outbound.outbox import Outbox
from bot.outbound.workers import PlatformLeaseHolder, RemoteOutbox
from bot.platforms.base import OutgoingMessage
from bot.testing.platform import FakePlatform
from services.history.service import HistoryService
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.kernel.clock import SystemClock
from services.storage.database import Database
from services.storage.engine.postgres import DatabaseTimeouts
from services.storage.messages.store import SqlMessageStore
from services.storage.reminders.claims import free_dead
from services.storage.workers.platform_leases import PlatformLeases
from services.storage.workers.remote_outbox import RemoteMessages
from services.storage.workers.turn_claims import TurnClaims
from tests.support.stores.messages import MemoryMessageStore

pytestmark = [pytest.mark.integration, pytest.mark.timeout(60)]
LASTS = timedelta(seconds=1)
AT_ONCE = DatabaseTimeouts(settling=timedelta(0))
SENT_AT = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
BOTH = frozenset({"telegram", "irc"})


@pytest.fixture
async def databases(postgres_url):
    async with AsyncExitStack() as resources:
        opened = [Database(postgres_url, timeouts=AT_ONCE) for _ in range(2)]
        yield [await resources.enter_async_context(each) for each in opened]


async def test_renewed_lease_is_held_by_one_of_two_workers(databases):
    one, two = (PlatformLeases(database, f"w{n}", lasts=LASTS) for n, database in enumerate(databases))
    leases = [await one.take(BOTH), await two.take(BOTH)]
    for _ in range(3):
        await asyncio.sleep(0.5)
        leases += [await one.take(BOTH), await two.take(BOTH)]

    assert leases == [BOTH, frozenset()] * 4


async def test_expired_lease_is_taken_by_the_other_worker_and_kept(databases):
    one, two = (PlatformLeases(database, f"w{n}", lasts=LASTS) for n, database in enumerate(databases))
    await one.take(BOTH)
    await asyncio.sleep(1.1)

    assert await two.take({"irc"}) == {"irc"}
    assert await one.take(BOTH) == {"telegram"}


async def test_returned_lease_is_free_at_once(databases):
    one, two = (PlatformLeases(database, f"w{n}", lasts=LASTS) for n, database in enumerate(databases))
    await one.take(BOTH)
    await one.give_back()

    assert await two.take(BOTH) == BOTH


HOME = ChatAddress(platform="web", chat_id="home")


async def store_messages(owner, database, *ids):
    """Store messages as a live process, which claims their turns."""
    await database.workers.hold(owner)
    claims = TurnClaims(database, owner)
    ann = Person(id="ann", name="Ann")
    messages = [ChatMessage(id=each, address=HOME, sender=ann, text="tea?", sent_at=SENT_AT) for each in ids]
    await SqlMessageStore(database, claims).add(messages)
    return claims


async def test_turns_of_a_live_process_are_taken_only_with_its_platform(databases):
    one, two = await store_messages("w0", databases[0], "1"), await store_messages("w1", databases[1], "2")
    of_dead = await two.take("web", only_dead=True)
    was_ours = await one.is_ours((HOME.key, "1"))
    leases = await two.take("web", only_dead=False)

    assert (of_dead, was_ours) == (frozenset(), True)
    assert leases == {(HOME.key, "1")}
    assert [await one.is_ours((HOME.key, "1")), await two.is_ours((HOME.key, "1"))] == [False, True]
    assert await one.is_ours((HOME.key, "never claimed"))


async def wait_until_released(database: Database, owner: str) -> None:
    """Wait until the server has closed the session of `owner`."""
    held = sa.text("SELECT NOT pg_try_advisory_xact_lock_shared(hashtextextended(:owner, 0))")
    while await database.run(lambda connection: connection.scalar(held, {"owner": owner})):  # noqa: ASYNC110 - the server has no event
        await asyncio.sleep(0.02)


async def test_incomplete_turns_of_a_dead_process_are_claimed_once(databases):
    async with Database(databases[0].url.render_as_string(hide_password=False)) as other_database:
        claims = await store_messages("w9", other_database, "1", "2", "3")
        claims.complete([(HOME.key, "1"), (HOME.key, "of another")])
        await claims.release_completed()
    for n, database in enumerate(databases):
        await database.workers.hold(f"w{n}")
    await wait_until_released(databases[0], "w9")
    await databases[0].run(lambda connection: free_dead(connection, databases[0].workers))
    claimers = [TurnClaims(database, f"w{n}") for n, database in enumerate(databases)]
    leases = await asyncio.gather(*(each.take("web", only_dead=True) for each in claimers))

    assert sorted(key for each in leases for key in each) == [(HOME.key, "2"), (HOME.key, "3")]


async def test_remote_message_is_taken_by_one_of_many_workers(databases):
    tables = [RemoteMessages(database, f"w{n}", fresh=LASTS) for n, database in enumerate(databases)]
    numbers = [await tables[0].add("irc", str(number)) for number in range(30)]
    leases = await asyncio.gather(*(table.take({"irc"}) for table in tables * 3))

    assert sorted(number for each in leases for number, _ in each) == numbers


async def test_expired_message_is_not_sent(databases):
    table = RemoteMessages(databases[0], "w0", fresh=LASTS)
    await table.add("irc", "stale")
    await asyncio.sleep(1.1)

    assert await table.take({"irc"}) == []


async def test_only_unclaimed_messages_can_be_withdrawn(databases):
    table = RemoteMessages(databases[0], "w0", fresh=LASTS)
    first, second = await table.add("irc", "1"), await table.add("matrix", "2")
    await table.take({"irc"})

    assert [await table.withdraw(first), await table.withdraw(second), await table.withdraw(second)] == [
        False,
        True,
        False,
    ]


async def _connect_briefly() -> None:
    """Connect to the platform and end at once."""


async def test_hundred_messages_are_sent_in_order_by_the_worker_with_the_platform(databases):
    clock, platform = SystemClock(), FakePlatform(SystemClock(), name="irc")
    holders = [
        PlatformLeaseHolder(PlatformLeases(database, f"w{n}", lasts=LASTS), ["irc"], clock)
        for n, database in enumerate(databases)
    ]
    remote_outboxes = [
        RemoteOutbox(RemoteMessages(database, f"w{n}", fresh=LASTS), holders[n], clock)
        for n, database in enumerate(databases)
    ]
    outboxes = [
        Outbox({"irc": platform}, HistoryService(MemoryMessageStore()), clock, remote) for remote in remote_outboxes
    ]
    home = ChatAddress(platform="irc", chat_id="#home")
    async with holders[0].hold():
        await holders[0].run_while_leader("irc", _connect_briefly)
        serving = asyncio.create_task(remote_outboxes[0].serve(outboxes[0].send))
        async with asyncio.TaskGroup() as group:
            for number in range(100):
                group.create_task(outboxes[1].send(home, OutgoingMessage(text=str(number))))
        serving.cancel()

    assert platform.texts == [str(number) for number in range(100)]
