"""Streamed text of a turn, which is sent as soon as it is certain to be answered."""

import pytest
from msgspec.structs import replace

from bot.testing.models import ScriptedModel
from bot.testing.turns import make_message, make_turn
from function_calls.llm import FunctionCallLLM
from function_calls.tools.calls import Step, ToolCall, ToolResult

DONE = Step(
    text="", calls=(ToolCall(id="c1", name="look", arguments={}),), results=(ToolResult(ok=True, text="sunny"),)
)


async def streamed_text(turn):
    """Return the text that a listener of `turn` gets of the answer "It is sunny."."""
    texts = []

    async def hear(text):
        texts.append(text)

    await FunctionCallLLM(ScriptedModel(["It is sunny."])).interpret(replace(turn, on_text=hear))
    return "".join(texts)


async def test_answer_to_the_requester_is_streamed():
    assert await streamed_text(make_turn("what is the weather?")) == "It is sunny."


async def test_answer_that_may_be_silence_is_not_streamed():
    overheard = make_turn(make_message("what is the weather?", is_addressed=False))

    assert await streamed_text(overheard) == ""


async def test_text_after_results_of_tools_is_streamed():
    overheard = make_turn(make_message("what is the weather?", is_addressed=False), steps=[DONE])

    assert await streamed_text(overheard) == "It is sunny."


@pytest.mark.parametrize("is_watched", [True, False])
async def test_turn_without_a_listener_is_not_streamed(is_watched):
    async def hear(text):
        del text

    model = ScriptedModel(["It is sunny."])
    turn = make_turn("what is the weather?")

    await FunctionCallLLM(model).interpret(replace(turn, on_text=hear) if is_watched else turn)

    assert (model.shown[0].on_text is not None) == is_watched
