"""Connections to platforms: retries, health and probes."""

import asyncio
from datetime import timedelta
from itertools import pairwise

import pytest

from bot.platforms.kit.connection import Backlog, Connection, ConnectionEnded, ConnectionRefusedForGood
from bot.platforms.kit.pace import SendPace
from bot.testing.clocks import LoopClock
from services.kernel.chat import BotAdded, ChatAddress
from services.kernel.errors import DeliveryFailed

pytestmark = pytest.mark.looptime


@pytest.fixture
def clock():
    return LoopClock()


async def keep_running(connection, session, seconds):
    keeping = asyncio.create_task(connection.run(session))
    await asyncio.sleep(seconds)
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)


def fail_times(times, clock):
    start = clock.now()

    async def session():
        times.append((clock.now() - start).total_seconds())
        raise ConnectionEnded("gone")

    return session


async def test_pauses_grow_up_to_the_longest(clock):
    times = []
    connection = Connection("x", clock, max_pause=timedelta(seconds=4), chance=lambda: 1.0)
    await keep_running(connection, fail_times(times, clock), 20)

    assert times == [0, 1, 3, 7, 11, 15, 19]


async def test_jitter_shortens_a_pause_by_up_to_half(clock):
    times = []
    await keep_running(Connection("x", clock, chance=lambda: 0.0), fail_times(times, clock), 3)

    assert times == [0, 0.5, 1.5]


async def test_retry_waits_for_the_time_of_the_server(clock):
    times = []

    async def session():
        times.append(clock.now())
        raise ConnectionEnded("busy", retry_after=30)

    await keep_running(Connection("x", clock), session, 40)

    assert (times[1] - times[0]).total_seconds() == 30


async def test_server_that_disconnects_after_login_is_not_flooded(clock):
    times = []
    connection = Connection("x", clock, chance=lambda: 1.0)

    async def session():
        times.append(clock.now())
        connection.note_received()
        raise ConnectionEnded("thrown out")

    await keep_running(connection, session, 60)

    assert len(times) == 6


async def test_steady_connection_reconnects_at_once(clock):
    times = []
    connection = Connection("x", clock, chance=lambda: 1.0)

    async def session():
        times.append(clock.now())
        for _ in range(5):
            connection.note_received()
            await asyncio.sleep(10)
        raise OSError("reset")

    await keep_running(connection, session, 120)

    assert [(later - earlier).total_seconds() for earlier, later in pairwise(times)] == [51, 51]


async def test_health_is_connecting_live_or_stopped(clock):
    connection = Connection("x", clock)
    seen = [connection.health.state]

    async def session():
        connection.note_received()
        seen.append(connection.health.state)
        await asyncio.Event().wait()

    await keep_running(connection, session, 1)

    assert [*seen, connection.health.state] == ["connecting", "live", "stopped"]


async def test_silent_connection_is_stale_and_then_renewed(clock):
    seen, sessions, probes = [], [], []
    connection = Connection("x", clock, stale_after=timedelta(seconds=10), probe=lambda: probe())

    async def probe():
        probes.append(connection.health.state)

    async def session():
        sessions.append(1)
        connection.note_received()
        await asyncio.sleep(15)
        seen.append(connection.health.state)
        await asyncio.Event().wait()

    await keep_running(connection, session, 25)

    assert seen == ["deaf"]
    assert probes == ["live"]
    assert len(sessions) == 2


async def test_an_answer_to_the_probe_saves_the_connection(clock):
    sessions = []

    async def probe():
        connection.note_received()

    connection = Connection("x", clock, stale_after=timedelta(seconds=10), probe=probe)

    async def session():
        sessions.append(1)
        connection.note_received()
        await asyncio.Event().wait()

    await keep_running(connection, session, 100)

    assert len(sessions) == 1


async def test_connection_that_answers_the_probe_is_never_stale(clock):
    seen = []

    async def probe():
        connection.note_received()

    connection = Connection("x", clock, stale_after=timedelta(seconds=10), probe=probe)

    async def session():
        connection.note_received()
        for _ in range(40):
            await asyncio.sleep(1)
            seen.append(connection.health.state)

    await keep_running(connection, session, 39)

    assert set(seen) == {"live"}


@pytest.mark.parametrize("error", [OSError("reset"), DeliveryFailed("nobody there"), None], ids=str)
async def test_a_probe_that_fails_or_hangs_changes_no_times(clock, error):
    start, states = clock.now(), {}

    async def probe():
        if error is not None:
            raise error
        await asyncio.Event().wait()

    connection = Connection("x", clock, stale_after=timedelta(seconds=10), probe=probe, chance=lambda: 1.0)

    async def session():
        connection.note_received()
        while True:
            await asyncio.sleep(0.5)
            states.setdefault(connection.health.state, (clock.now() - start).total_seconds())

    await keep_running(connection, session, 20.5)

    assert states == {"live": 0.5, "deaf": pytest.approx(10, abs=0.6)}
    assert connection.health.state == "stopped"
    assert str(connection.health.detail) == "nothing was received for too long"


async def test_library_that_reconnects_by_itself_gets_time(clock):
    states = []
    connection = Connection("x", clock, stale_after=timedelta(seconds=10), reconnect_after=timedelta(seconds=60))

    async def session():
        connection.note_received()
        await asyncio.sleep(5)
        connection.note_interrupted("the gateway hung up")
        connection.note_interrupted("no answer")
        states.append(connection.health.state)
        await asyncio.sleep(50)
        connection.note_received()
        states.append(connection.health.state)
        await asyncio.Event().wait()

    await keep_running(connection, session, 56)

    assert states == ["connecting", "live"]
    assert connection.health.reconnects == 1


async def test_a_connection_that_has_stopped_cannot_be_interrupted(clock):
    connection = Connection("x", clock)
    await keep_running(connection, fail_times([], clock), 1)
    connection.note_interrupted("late news")

    assert connection.health.state == "stopped"


async def test_a_refusal_for_good_stops_and_says_why(clock):
    connection = Connection("x", clock)

    async def session():
        raise ConnectionRefusedForGood("wrong password")

    with pytest.raises(ConnectionRefusedForGood):
        await connection.run(session)

    assert connection.health.state == "stopped"
    assert connection.health.detail == "wrong password"


async def test_a_burst_passes_and_the_rest_keeps_the_pace(clock):
    start = clock.now()
    pace = SendPace(clock, burst=3, interval=timedelta(seconds=2))
    times = []
    for _ in range(6):
        await pace.wait()
        times.append((clock.now() - start).total_seconds())

    assert times == [0, 0, 0, 2, 4, 6]


async def test_a_pause_gives_the_burst_back(clock):
    pace = SendPace(clock, burst=2, interval=timedelta(seconds=2))
    for _ in range(2):
        await pace.wait()
    await asyncio.sleep(10)
    start = clock.now()
    for _ in range(2):
        await pace.wait()

    assert clock.now() == start


async def test_every_new_try_is_counted(clock):
    connection = Connection("x", clock, chance=lambda: 1.0)
    await keep_running(connection, fail_times([], clock), 4)

    assert connection.health.reconnects == 2


async def test_event_that_cannot_be_received_does_not_hold_up_the_next():
    received = []

    async def receive(incoming):
        received.append(incoming)
        if len(received) == 1:
            raise OSError("disk I/O error")

    backlog = Backlog()
    events = [BotAdded(address=ChatAddress(platform="x", chat_id=name)) for name in ("a", "b")]
    async with backlog.forward(receive):
        for each in events:
            backlog.put(each)
        await asyncio.sleep(1)

    assert received == events


async def test_clock_that_is_set_back_hides_no_silence(clock):
    sessions = []
    connection = Connection("x", clock, stale_after=timedelta(seconds=10))

    async def session():
        sessions.append(1)
        connection.note_received()
        if len(sessions) == 1:
            clock.shift(timedelta(hours=-1))
        await asyncio.Event().wait()

    await keep_running(connection, session, 60)

    assert len(sessions) > 1
