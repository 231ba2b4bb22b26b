"""Claims of turns, so that one of several processes answers a message."""

import asyncio
from contextlib import suppress
from unittest.mock import AsyncMock
from zoneinfo import ZoneInfo

import pytest

from bot.inbound.intake import Intake, StorageRetry
from bot.inbound.middleware import AccessFilter, Deduplication
from bot.inbound.router import MessageRouter
from bot.inbound.turn_claims import TurnCoordinator
from bot.outbound.drafts import Drafts
from bot.outbound.outbox import Outbox
from bot.platforms.base import Capabilities
from bot.platforms.console import ConsolePlatform
from bot.platforms.web.adapter import WebPlatform
from bot.testing.clocks import LoopClock
from bot.testing.platform import FakePlatform
from bot.testing.turns import NOW, make_message, make_turn
from function_calls.tools.calls import Reply, ToolCall
from function_calls.tools.context import CallContext, Services
from services.history.service import HistoryService
from tests.support.stores.messages import MemoryMessageStore

MESSAGE = make_message("remind me of tea")
UTC = ZoneInfo("UTC")
KEY = (MESSAGE.address.key, MESSAGE.id)
pytestmark = pytest.mark.looptime


class FakeClaims:
    """Claims in memory: `left` are those of other processes, `lost` those they have taken over."""

    def __init__(self, *, left=(), lost=()):
        self.left = frozenset(left)
        self.lost = frozenset(lost)
        self.errors = 0
        self.dealt_with = set()
        self.gone = set()
        self.asked = []

    def _may_fail(self):
        if self.errors:
            self.errors -= 1
            raise ConnectionError("no database")

    async def is_ours(self, key):
        self._may_fail()
        return key not in self.lost

    async def take(self, platform, *, only_dead):
        self._may_fail()
        self.asked.append((platform, only_dead))
        left, self.left = self.left, frozenset()
        return left

    def complete(self, keys):
        self.dealt_with |= set(keys)

    async def release_completed(self):
        self._may_fail()
        self.gone |= self.dealt_with


class Taken(list):
    """Notes what was taken over."""

    async def __call__(self, keys):
        self.extend(keys)


class SlowAssistant:
    """Thinks for a minute."""

    async def answer(self, turn):
        await asyncio.sleep(60)
        return Reply(text="tea")


@pytest.fixture
def way():
    """Return a platform, the claims, and the router between them; corrections and reactions are not used."""
    clock, claims = LoopClock(), FakeClaims()
    platform, history = FakePlatform(clock, name=MESSAGE.address.platform), HistoryService(MemoryMessageStore())
    outbox, retry = Outbox({platform.name: platform}, history, clock), StorageRetry(clock)

    async def turn_for(message):
        return make_turn(message)

    router = MessageRouter(
        assistant=SlowAssistant(),
        outbox=outbox,
        turn_for=turn_for,
        middlewares=[Deduplication(history)],
        corrections=None,
        drafts=Drafts(outbox, clock),
        reactions=None,
        edited=None,
        intake=Intake(history, AccessFilter(()), retry, move_chat=AsyncMock()),
        retry=retry,
        turn_claims=TurnCoordinator(claims, clock),
    )
    return platform, claims, router.handle


async def wait_at_most(seconds, work):
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await work


async def test_answer_is_sent_and_its_message_completed(way):
    platform, claims, handle = way
    await handle(MESSAGE)

    assert platform.texts == ["tea"]
    assert claims.dealt_with == {KEY}


async def test_answer_claimed_by_another_process_is_not_sent(way):
    platform, claims, handle = way
    answering = asyncio.create_task(handle(MESSAGE))
    await asyncio.sleep(30)
    claims.lost = frozenset([KEY])
    await answering

    assert platform.texts == []


async def test_turn_cut_off_by_a_stop_stays_claimed(way):
    _, claims, handle = way
    answering = asyncio.create_task(handle(MESSAGE))
    await asyncio.sleep(30)
    answering.cancel()
    await asyncio.wait([answering])

    assert claims.dealt_with == set()


async def test_repeated_message_does_not_release_the_running_turn(way):
    _, claims, handle = way
    answering = asyncio.create_task(handle(MESSAGE))
    await asyncio.sleep(30)
    await handle(MESSAGE)
    let_go_meanwhile = set(claims.dealt_with)
    await answering

    assert let_go_meanwhile == set()
    assert claims.dealt_with == {KEY}


async def test_a_tool_is_not_called_for_a_message_that_another_process_answers():
    call = ToolCall(id="1", name="dice", arguments={})
    context = CallContext(
        call_id="1", message=MESSAGE, services=Services(), clock=LoopClock(), now=NOW, zone=UTC, language="en"
    )
    lost = await TurnCoordinator(FakeClaims(lost=[KEY]), LoopClock()).refuse(call, context)
    result = await TurnCoordinator(FakeClaims(), LoopClock()).refuse(call, context)

    assert (lost.ok, lost.failure) == (False, "denied")
    assert result is None


async def test_answer_is_sent_when_the_owner_of_the_turn_is_unknown():
    claims = FakeClaims(lost=[KEY])
    claims.errors = 1

    assert await TurnCoordinator(claims, LoopClock()).is_ours(MESSAGE)


async def test_turns_left_on_a_platform_are_taken_over_once():
    claims, taken = FakeClaims(left=[KEY]), Taken()
    await TurnCoordinator(claims, LoopClock()).follow(FakePlatform(LoopClock()), taken)

    assert claims.asked == [("fake", False)]
    assert taken == [KEY]
    assert claims.dealt_with == {KEY}


async def test_chats_of_ended_processes_are_checked_repeatedly_also_after_an_error():
    claims, taken, clock = FakeClaims(), Taken(), LoopClock()
    claims.errors = 1
    room = WebPlatform(clock=clock, bot_name="Bubbles")
    following = asyncio.create_task(wait_at_most(9, TurnCoordinator(claims, clock).follow(room, taken)))
    await asyncio.sleep(5)
    claims.left = frozenset([KEY])
    await following

    assert set(claims.asked) == {("web", True)}
    assert taken == [KEY]


async def test_terminal_of_another_process_is_not_taken_over():
    claims, clock = FakeClaims(left=[KEY]), LoopClock()
    terminal = ConsolePlatform(clock=clock, bot_name="Bubbles", room="home", person="ann")
    await TurnCoordinator(claims, clock).follow(terminal, Taken())

    assert terminal.capabilities == Capabilities(per_process=True, authenticates_people=False)
    assert claims.asked == []


async def test_claim_is_released_after_an_error_and_at_the_end():
    claims, clock = FakeClaims(), LoopClock()
    claims.errors = 1
    turn_claims = TurnCoordinator(claims, clock)
    letting_go = asyncio.create_task(wait_at_most(5, turn_claims.release_completed()))
    turn_claims.complete(KEY)
    await asyncio.sleep(4.5)
    let_go_meanwhile = set(claims.gone)
    turn_claims.complete(("fake:home", "m9"))
    await letting_go

    assert let_go_meanwhile == {KEY}
    assert claims.gone == {KEY, ("fake:home", "m9")}
