"""The interpreter on a language model over HTTP, with faulty and unreachable models."""

import pytest

from bot.testing.models import ScriptedInterpreter
from bot.testing.turns import make_tool, make_turn
from function_calls.conversation.assistant import Assistant
from function_calls.llm import FunctionCallLLM
from function_calls.registry import Registry
from function_calls.router import FunctionCallRouter
from services.kernel.errors import ModelUnavailable
from services.language_model.fallback import FallbackChain
from services.language_model.openai_model import OpenAIModel, RequestRetries
from services.language_model.ports import Timeouts
from tests.support.openai_server import Hang, OpenAIServer, call, calls, cut, garbage, say, status

SET = make_tool(
    "reminder_set",
    required=["type", "content"],
    type={"type": "string", "enum": ["once", "daily"]},
    content={"type": "string"},
)
LIST = make_tool("reminder_list")
TURN = make_turn("每天提醒我喝茶", tools=(SET, LIST), language="zh")
TEA = {"type": "daily", "content": "喝茶"}


def model_at(server, *, total=3.0):
    return OpenAIModel(
        "scripted",
        base_url=server.base_url,
        timeouts=Timeouts(connect=1, silence=total, total=total),
        retries=RequestRetries(attempts=2, first_delay=0.001),
    )


async def understand(script, *, is_streaming, total=3.0):
    server = OpenAIServer(script)
    async with server:
        model = model_at(server, total=total)
        await model.warm_up()  # to import the SDK is no part of the time that an answer may take
        try:
            return await FunctionCallLLM(model, is_streaming=is_streaming).interpret(TURN), server
        finally:
            await model.close()


@pytest.mark.parametrize("is_streaming", [False, True])
@pytest.mark.parametrize(
    "script",
    [
        [call("reminder_set", TEA)],
        [call("reminder_set", '{"type": "daily", "content": "喝茶",}')],
        [call("reminder_set", {"type": "sometimes", "content": "喝茶"}), call("reminder_set", TEA)],
        [call("reminder_set", '{"type": "daily", "cont'), call("reminder_set", TEA)],
        [call("remindr_set", TEA), call("reminder_set", TEA)],
        [say('<tool_call>{"name": "reminder_set", "arguments": {"type": "daily", "content": "喝茶"}}</tool_call>')],
        [status(429, retry_after=0), call("reminder_set", TEA)],
        [status(500), call("reminder_set", TEA)],
        [garbage(), call("reminder_set", TEA)],
    ],
    ids=["proper", "mended", "corrected", "cut arguments", "unknown tool", "printed", "429", "500", "garbage"],
)
async def test_call_is_received_correctly_despite_faults_of_the_server(script, is_streaming):
    found, server = await understand(script, is_streaming=is_streaming)

    assert [(each.name, each.arguments) for each in found.calls] == [("reminder_set", TEA)]
    assert server.overruns == 0
    assert bool(server.requests[0].body.get("stream")) is is_streaming


@pytest.mark.parametrize("is_streaming", [False, True])
@pytest.mark.parametrize("script", [[status(503)] * 2, [status(401)], [cut("Sure, I")] * 2, [Hang()]])
async def test_model_without_an_answer_is_unavailable(script, is_streaming):
    with pytest.raises(ModelUnavailable):
        await understand(script, is_streaming=is_streaming, total=0.4)


async def test_offline_interpreter_answers_if_the_model_is_unreachable():
    offline = ScriptedInterpreter(["好的"])
    async with OpenAIServer([status(500)] * 2) as server:
        chain = FallbackChain([model_at(server)])
        router = FunctionCallRouter(Registry())
        assistant = Assistant(router, FunctionCallLLM(chain), rules=offline, context_for=refuse_context)
        reply = await assistant.answer(TURN)
        await chain.close()

    assert reply.text.startswith("好的\n")
    assert len(offline.turns) == 1


async def test_unreachable_model_is_not_requested_for_every_message():
    offline = ScriptedInterpreter(is_strict=False)
    async with OpenAIServer([status(401)] * 9) as server:
        chain = FallbackChain([model_at(server)], failures=3)
        assistant = Assistant(
            FunctionCallRouter(Registry()), FunctionCallLLM(chain), rules=offline, context_for=refuse_context
        )
        for _ in range(6):
            await assistant.answer(TURN)
        await chain.close()

    assert len(server.requests) == 3
    assert len(offline.turns) == 6


async def test_parallel_calls_keep_their_order():
    found, _ = await understand([calls(("reminder_list", {}), ("reminder_set", TEA))], is_streaming=True)

    assert [each.name for each in found.calls] == ["reminder_list", "reminder_set"]


def refuse_context(turn, place):
    raise AssertionError("no call is made in these tests")


@pytest.mark.parametrize("is_streaming", [False, True])
@pytest.mark.parametrize(
    "answer",
    [
        call("reminder_set", "[" * 180_000),
        call("reminder_set", '{"type":' * 20_000),
        say("[" * 200_000),
        say("<tool_call>" + '{"a":' * 30_000),
    ],
    ids=["arguments", "objects in arguments", "text", "printed call"],
)
async def test_deeply_nested_answer_never_crashes_the_turn(answer, is_streaming):
    """Any outcome but an exception, which would mean silence, is handled by the assistant."""
    try:
        found, _ = await understand([answer, answer, answer, answer], is_streaming=is_streaming, total=10)
    except ModelUnavailable:
        return

    assert not found.calls
