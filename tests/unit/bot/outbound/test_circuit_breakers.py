"""Circuit breakers of platforms."""

import asyncio

import pytest

from bot.outbound.circuit_breakers import CircuitBreakers
from services.kernel.chat import ChatAddress
from services.kernel.errors import DeliveryFailed

UNREACHABLE = DeliveryFailed("no route")


def chat(name, platform="qq"):
    return ChatAddress(platform=platform, chat_id=name)


@pytest.fixture
def breakers():
    return CircuitBreakers(chats=3, cooldown=10)


def say(breakers, address, failure=None):
    with breakers.guard(address):
        if failure is not None:
            raise failure


def fail(breakers, *names, failure=UNREACHABLE):
    for name in names:
        with pytest.raises(DeliveryFailed):
            say(breakers, chat(name), failure)


def is_out(breakers, platform="qq"):
    try:
        say(breakers, chat("any", platform))
    except DeliveryFailed as failure:
        return failure.retry_after == 10
    return False


@pytest.mark.looptime
async def test_circuit_breaker_opens_after_failures_in_three_chats(breakers):
    fail(breakers, "a", "b", "c")

    assert is_out(breakers)
    assert not is_out(breakers, "matrix")


@pytest.mark.looptime
async def test_failures_of_one_chat_are_no_outage(breakers):
    fail(breakers, *["a"] * 20)

    assert not is_out(breakers)


@pytest.mark.looptime
async def test_success_in_between_resets_the_count(breakers):
    fail(breakers, "a", "b")
    say(breakers, chat("d"))
    fail(breakers, "b", "c")

    assert not is_out(breakers)


@pytest.mark.looptime
@pytest.mark.parametrize(
    "failure", [DeliveryFailed("not a member", is_permanent=True), DeliveryFailed("slow down", retry_after=3)]
)
async def test_refusal_is_no_failure(breakers, failure):
    fail(breakers, "a", "b")
    fail(breakers, "c", failure=failure)
    fail(breakers, "d", "e")

    assert not is_out(breakers)


@pytest.mark.looptime
async def test_single_messages_are_tried_after_the_pause_until_one_is_sent(breakers):
    fail(breakers, "a", "b", "c")
    await asyncio.sleep(10)

    with breakers.guard(chat("a")):
        assert is_out(breakers)
    assert not is_out(breakers)


@pytest.mark.looptime
async def test_failed_attempt_after_the_pause_starts_another_pause(breakers):
    fail(breakers, "a", "b", "c")
    await asyncio.sleep(10)
    fail(breakers, "a")

    assert is_out(breakers)


@pytest.mark.looptime
@pytest.mark.parametrize(("seconds", "expected"), [(120, True), (2, False)])
async def test_slow_failure_counts_as_a_hanging_platform(breakers, seconds, expected):
    async def hang(name):
        with breakers.guard(chat(name)):
            await asyncio.sleep(1000)

    tasks = [asyncio.create_task(hang(name)) for name in "abc"]
    await asyncio.sleep(seconds)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)

    assert is_out(breakers) is expected


@pytest.mark.looptime
async def test_failures_of_single_chats_open_no_circuit_breaker(breakers):
    fail(breakers, *"abcdef", failure=DeliveryFailed("not synced yet", is_of_chat=True))

    assert not is_out(breakers)


@pytest.mark.looptime
async def test_failure_of_one_chat_does_not_end_an_outage(breakers):
    fail(breakers, "a", "b")
    fail(breakers, "d", failure=DeliveryFailed("not synced yet", is_of_chat=True))
    fail(breakers, "c")

    assert is_out(breakers)
