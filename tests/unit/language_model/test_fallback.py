"""The chain of models and its circuit breaker, in simulated time."""

import asyncio

import pytest

from bot.testing.models import ScriptedModel
from services.kernel.errors import ModelUnavailable
from services.kernel.network import CircuitBreaker
from services.language_model.failures import RequestRejected
from services.language_model.fallback import FallbackChain
from services.language_model.ports import CompletionRequest

pytestmark = pytest.mark.looptime
REQUEST = CompletionRequest(messages=[{"role": "user", "content": "hi"}])
DOWN = ModelUnavailable("connection")


async def test_the_next_model_answers_when_the_first_is_down():
    chain = FallbackChain([ScriptedModel([DOWN]), ScriptedModel(["second"])])

    completion = await chain.complete(REQUEST)

    assert completion.text == "second"


async def test_last_reason_is_reported_when_all_are_down():
    chain = FallbackChain([ScriptedModel([DOWN]), ScriptedModel([ModelUnavailable("timeout")])])

    with pytest.raises(ModelUnavailable) as error:
        await chain.complete(REQUEST)

    assert error.value.reason == "timeout"


async def test_unreachable_model_is_not_requested_for_each_message():
    dead = ScriptedModel([DOWN] * 9)
    chain = FallbackChain([dead, ScriptedModel(["ok"] * 9)], failures=3)

    for _ in range(9):
        await chain.complete(REQUEST)

    assert len(dead.shown) == 3


async def test_the_breaker_of_a_single_model_opens_too():
    chain = FallbackChain([ScriptedModel([DOWN] * 3)], failures=3)
    for _ in range(3):
        with pytest.raises(ModelUnavailable):
            await chain.complete(REQUEST)

    with pytest.raises(ModelUnavailable, match="circuit breaker"):
        await chain.complete(REQUEST)


async def test_successful_probe_after_the_cooldown_restores_the_model():
    first = ScriptedModel([DOWN, DOWN, DOWN, "back", "still here"])
    chain = FallbackChain([first, ScriptedModel(["other"] * 3)], failures=3, cooldown=30)
    for _ in range(3):
        await chain.complete(REQUEST)

    await asyncio.sleep(30)
    texts = [(await chain.complete(REQUEST)).text for _ in range(2)]

    assert texts == ["back", "still here"]


async def test_a_failed_probe_opens_the_breaker_again():
    first = ScriptedModel([DOWN] * 4)
    chain = FallbackChain([first, ScriptedModel(["other"] * 6)], failures=3, cooldown=30)
    for _ in range(3):
        await chain.complete(REQUEST)

    await asyncio.sleep(30)
    for _ in range(3):
        await chain.complete(REQUEST)

    assert len(first.shown) == 4


async def test_a_success_between_failures_starts_the_count_again():
    first = ScriptedModel([DOWN, DOWN, "ok", DOWN, DOWN, "ok"])
    chain = FallbackChain([first, ScriptedModel(["other"] * 9)], failures=3)

    for _ in range(6):
        await chain.complete(REQUEST)

    assert first.remaining == 0


async def test_a_rejected_request_does_not_count_against_the_endpoint():
    first = ScriptedModel([RequestRejected("too long")] * 4 + ["ok"])
    chain = FallbackChain([first, ScriptedModel(["other"] * 4)], failures=3)
    for _ in range(4):
        await chain.complete(REQUEST)

    completion = await chain.complete(REQUEST)

    assert completion.text == "ok"


async def test_only_one_probe_is_let_through_at_a_time():
    breaker = CircuitBreaker(failures=1, cooldown=10)
    breaker.failed()
    await asyncio.sleep(10)

    assert [breaker.admits(), breaker.admits()] == [True, False]


async def test_a_cancelled_probe_leaves_room_for_the_next():
    breaker = CircuitBreaker(failures=1, cooldown=10)
    breaker.failed()
    await asyncio.sleep(10)
    breaker.admits()

    breaker.abandoned()

    assert breaker.admits()


class Speaker:
    name = "speaker"

    async def complete(self, request):
        await request.on_text("It is")
        raise DOWN


async def test_started_stream_is_not_replaced_by_the_next_model():
    texts = []

    async def on_text(text):
        texts.append(text)

    chain = FallbackChain([Speaker(), ScriptedModel(["It is ten"])])

    with pytest.raises(ModelUnavailable):
        await chain.complete(CompletionRequest(messages=[], on_text=on_text))

    assert texts == ["It is"]
