"""The language model: whether it answers and calls tools, well and not."""

import pytest

from bot.app.connection_checks import examine_model
from bot.config.settings import ModelSettings
from bot.testing.models import ScriptedModel, completion
from services.kernel.errors import ModelUnavailable
from services.language_model.ports import RequestedCall

CALLS = completion("", RequestedCall(id="1", name="reminder_list", arguments="{}"))


async def problems(model, **settings):
    return [each.about for each in await examine_model(model, ModelSettings(**settings)) if each.is_problem]


async def test_no_model_is_no_problem():
    assert await problems(None) == []


async def test_a_model_that_calls_the_tool_is_well():
    assert await problems(ScriptedModel([CALLS]), function_calling="native") == []


async def test_a_model_that_only_talks_is_a_problem_where_tools_are_offered_natively():
    assert await problems(ScriptedModel(["You have none."]), function_calling="native") == ["model tools"]


@pytest.mark.parametrize("style", ["auto", "json_router", "prompt"])
async def test_model_without_calls_is_ok_if_another_style_works(style):
    assert await problems(ScriptedModel(["You have none."]), function_calling=style) == []


@pytest.mark.parametrize(
    ("reason", "step"),
    [("connection", "start the server"), ("refused", "OPENAI_API_KEY"), ("server_error", "log"), ("timeout", "again")],
)
async def test_a_model_that_does_not_answer_is_a_problem_with_the_step_that_fits(reason, step):
    [finding] = await examine_model(ScriptedModel([ModelUnavailable(reason)]), ModelSettings())

    assert finding.is_problem
    assert step in finding.next_step_in("en")


async def test_refusal_is_reported_with_the_words_of_the_server():
    [finding] = await examine_model(ScriptedModel([ModelUnavailable("refused", "HTTP 401 wrong key")]), ModelSettings())

    assert finding.state_in("es").endswith("(rechazado: HTTP 401 wrong key)")
