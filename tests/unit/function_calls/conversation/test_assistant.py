"""Turns of the assistant: calls, answers, questions and silence."""

import asyncio

import pytest
from msgspec.structs import replace

from function_calls.conversation.assistant import Assistant, LoopLimits
from function_calls.model_calls.hooks import HookedInterpreter, ModelHooks
from function_calls.registry import Registry, tool_function
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import Interpretation, ToolCall, ToolResult
from services.kernel.chat import Choice
from services.kernel.errors import ModelUnavailable


class Script:
    """An interpreter that returns scripted interpretations in order and stores its turns."""

    def __init__(self, *plays):
        self.plays = list(plays)
        self.turns = []

    async def interpret(self, turn):
        self.turns.append(turn)
        play = self.plays.pop(0)
        if isinstance(play, Exception):
            raise play
        return play


@tool_function(returns="reply")
async def greet(name: str) -> str:
    """Greet somebody."""
    return f"Hello {name}!"


@tool_function()
async def look() -> str:
    """Look at something."""
    return "it is red"


@tool_function(returns="reply")
async def ask() -> ToolResult:
    """Ask back."""
    return ToolResult(ok=True, text="Which one?", ending="question")


@tool_function()
async def answered() -> ToolResult:
    """Have answered already."""
    return ToolResult(ok=True, ending="answered")


def calls(*names, text="", **arguments):
    made = tuple(ToolCall(id=str(place), name=name, arguments=arguments) for place, name in enumerate(names))
    return Interpretation(calls=made, answer=text)


@tool_function(returns="reply")
async def memory_save(name: str) -> str:
    """Save."""
    return f"Kept: {name}"


@pytest.fixture
def assistant_of(context_of):
    def make(model, offline=None, **limits):
        registry = Registry()
        for function in (greet, look, ask, answered, memory_save):
            registry.register(function)
        return Assistant(
            FunctionCallRouter(registry),
            model,
            rules=offline or Script(),
            context_for=lambda turn, place: context_of(),
            limits=LoopLimits(**limits),
        )

    return make


async def test_tool_with_a_reply_needs_no_second_round(assistant_of, turn):
    model = Script(calls("greet", name="Ann"))
    reply = await assistant_of(model).answer(turn)

    assert reply.text == "Hello Ann!"
    assert len(model.turns) == 1


async def test_result_is_shown_to_the_model_before_it_answers(assistant_of, turn):
    model = Script(calls("look"), Interpretation(answer="It is red."))
    reply = await assistant_of(model).answer(turn)

    assert reply.text == "It is red."
    assert model.turns[1].steps[0].results[0].value == "it is red"


async def test_results_of_several_calls_keep_the_order_of_the_calls(assistant_of, turn):
    first = ToolCall(id="1", name="greet", arguments={"name": "Ann"})
    second = ToolCall(id="2", name="greet", arguments={"name": "Bob"})
    reply = await assistant_of(Script(Interpretation(calls=(first, second)))).answer(turn)

    assert reply.text == "Hello Ann!\nHello Bob!"


async def test_a_question_ends_the_turn(assistant_of, turn):
    reply = await assistant_of(Script(calls("ask"))).answer(turn)

    assert reply.text == "Which one?"


async def test_question_beside_a_call_is_sent_after_it_with_its_buttons(assistant_of, turn):
    button = Choice(label="at eight", says="1")
    result = replace(calls("greet", name="Ann"), notice="When?", choices=(button,))

    reply = await assistant_of(Script(result)).answer(turn)

    assert (reply.text, reply.choices) == ("Hello Ann!\nWhen?", (button,))


async def test_message_answered_by_a_tool_is_not_answered_again(assistant_of, turn):
    assert await assistant_of(Script(calls("answered"))).answer(turn) is None


async def test_unaddressed_small_talk_is_not_answered(assistant_of, turn, message):
    overheard = replace(turn, message=replace(message, is_addressed=False))

    assert await assistant_of(Script(Interpretation(answer="Nice weather!"))).answer(overheard) is None


async def test_question_about_an_unaddressed_request_is_sent(assistant_of, turn, message):
    overheard = replace(turn, message=replace(message, is_addressed=False))
    reply = await assistant_of(Script(Interpretation(answer="When?", must_reply=True))).answer(overheard)

    assert reply.text == "When?"


async def test_unavailable_model_is_replaced_by_the_offline_interpreter(assistant_of, turn):
    offline = Script(calls("greet", name="Ann"))
    reply = await assistant_of(Script(ModelUnavailable("timeout")), offline).answer(turn)

    assert reply.text.startswith("Hello Ann!\n")
    assert "could not reach the language model" in reply.text


async def test_hanging_model_is_replaced_after_its_timeout(assistant_of, turn):
    class Hanging:
        async def interpret(self, turn):
            await asyncio.sleep(3600)

    offline = Script(calls("greet", name="Ann"))
    reply = await assistant_of(Hanging(), offline, seconds=0.01).answer(turn)

    assert reply.text.startswith("Hello Ann!")


async def test_failure_of_the_model_after_a_call_does_not_repeat_the_call(assistant_of, turn):
    offline = Script()
    model = Script(calls("look"), ModelUnavailable("server_error"))
    reply = await assistant_of(model, offline).answer(turn)

    assert offline.turns == []
    assert reply.text.startswith("it is red")


async def test_endless_calls_end_with_a_message(assistant_of, turn):
    model = Script(*[calls("look")] * 3)
    reply = await assistant_of(model, rounds=3).answer(turn)

    assert reply.text == "I could not finish that; please ask in smaller steps."


async def test_silence_of_the_model_to_an_addressed_message_is_answered_offline(assistant_of, turn):
    reply = await assistant_of(Script(Interpretation()), Script(calls("greet", name="Ann"))).answer(turn)

    assert reply.text == "Hello Ann!"


async def test_silence_of_the_model_after_thanks_is_kept(assistant_of, turn):
    assert await assistant_of(Script(Interpretation()), Script(Interpretation())).answer(turn) is None


async def test_silence_of_the_model_to_an_unaddressed_message_is_kept(assistant_of, turn, message):
    overheard = replace(turn, message=replace(message, is_addressed=False))

    assert await assistant_of(Script(Interpretation()), Script(calls("greet", name="Ann"))).answer(overheard) is None


@pytest.mark.parametrize(
    "words", ["I'll remember that!", "Noted.", "Okay, your locker is 42.", "好的，我记住了。", "已经帮您记下了"]
)
async def test_unfulfilled_promise_is_carried_out_if_clearly_requested(assistant_of, turn, words):
    reply = await assistant_of(Script(Interpretation(answer=words)), Script(calls("memory_save", name="42"))).answer(
        turn
    )

    assert reply.text == "Kept: 42"


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ("Sure, which locker?", calls("memory_save", name="42")),
        ("Tea is a drink.", calls("memory_save", name="42")),
        ("Sure, Ann!", calls("greet", name="Ann")),
        ("Sure, Ann!", Interpretation(answer="When?")),
    ],
)
async def test_text_that_is_no_promise_is_sent(assistant_of, turn, words, read):
    reply = await assistant_of(Script(Interpretation(answer=words)), Script(read)).answer(turn)

    assert reply.text == words


async def test_empty_answer_of_hook_sends_nothing(assistant_of, turn):
    quiet = ModelHooks()
    quiet.after.append(lambda turn, made: Interpretation())
    model = HookedInterpreter(Script(Interpretation(answer="Hello!")), quiet)

    assert await assistant_of(model, Script(calls("greet", name="Ann"))).answer(turn) is None


async def test_silent_model_after_a_lookup_is_answered_with_the_result(assistant_of, turn):
    model, offline = Script(calls("look"), Interpretation()), Script(Interpretation())
    reply = await assistant_of(model, offline).answer(turn)

    assert reply.text == "I could not put the outcome into words. Could you ask in another way?"


async def test_interpreter_exception_propagates(assistant_of, turn):
    with pytest.raises(RuntimeError):
        await assistant_of(Script(RuntimeError("bug"))).answer(turn)
