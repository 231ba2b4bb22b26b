"""Hooks around requests to a model."""

import pytest
from msgspec.structs import replace

from bot.testing.models import ScriptedInterpreter
from function_calls.model_calls.hooks import HookedInterpreter, ModelHooks
from function_calls.tools.calls import Interpretation
from services.kernel.errors import ModelUnavailable

FIXED = Interpretation(answer="fixed")


async def test_a_before_hook_may_answer_without_the_model(turn):
    model = ScriptedInterpreter()
    hooks = ModelHooks(before=[lambda turn: FIXED])

    assert await HookedInterpreter(model, hooks).interpret(turn) is FIXED
    assert model.turns == []


async def test_before_hook_may_change_the_turn_for_the_model(turn):
    async def censor(turn):
        return replace(turn, message=replace(turn.message, text="***"))

    model = ScriptedInterpreter(["fine"])
    await HookedInterpreter(model, ModelHooks(before=[censor])).interpret(turn)

    assert model.turns[0].message.text == "***"


async def test_an_after_hook_may_change_the_answer(turn):
    async def polite(turn, made):
        return replace(made, answer=f"{made.answer}, please")

    hooks = ModelHooks(after=[lambda turn, made: None, polite])
    made = await HookedInterpreter(ScriptedInterpreter(["tea"]), hooks).interpret(turn)

    assert made.answer == "tea, please"


async def test_an_error_hook_may_answer_for_a_model_that_failed(turn):
    hooks = ModelHooks(on_error=[lambda turn, error: None, lambda turn, error: Interpretation(answer=error.reason)])
    made = await HookedInterpreter(ScriptedInterpreter([ModelUnavailable("timeout")]), hooks).interpret(turn)

    assert made.answer == "timeout"


async def test_error_without_an_answer_of_a_hook_is_raised(turn):
    hooks = ModelHooks(on_error=[lambda turn, error: None])

    with pytest.raises(ModelUnavailable):
        await HookedInterpreter(ScriptedInterpreter([ModelUnavailable("timeout")]), hooks).interpret(turn)


def wrong(*arguments):
    return {"answer": "closed"}


WRONG = f"wrong ({__file__}:{wrong.__code__.co_firstlineno}) returned dict; return"


@pytest.mark.parametrize(
    ("hooks", "text"),
    [
        (ModelHooks(before=[wrong]), f"hook before the model {WRONG} Turn, Interpretation or None"),
        (ModelHooks(after=[wrong]), f"hook after the model {WRONG} Interpretation or None"),
        (ModelHooks(on_error=[wrong]), f"hook on a model's error {WRONG} Interpretation or None"),
    ],
    ids=["before", "after", "on_error"],
)
async def test_other_answer_of_a_hook_is_an_error_that_names_the_hook(hooks, text, turn):
    model = ScriptedInterpreter([ModelUnavailable("timeout") if hooks.on_error else "tea"])

    with pytest.raises(TypeError) as error:
        await HookedInterpreter(model, hooks).interpret(turn)

    assert str(error.value) == text
