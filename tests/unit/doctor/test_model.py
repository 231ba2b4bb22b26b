"""Checks of the language model and its tool calls."""

import json
from datetime import UTC, datetime

import pytest

from bot.app.connection_checks import examine_model
from bot.app.language_models import language_model
from bot.config.settings import ModelSettings
from bot.platforms.kit.doctor import Prober
from bot.testing.clocks import FixedClock
from bot.testing.models import ScriptedModel, completion
from services.kernel.errors import ModelUnavailable
from services.language_model.ports import RequestedCall
from tests.support.openai_server import OpenAIServer, Raw, status

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
CALLS = completion("", RequestedCall(id="1", name="reminder_list", arguments="{}"))


async def findings(model, **settings):
    async with Prober(FixedClock(NOON)) as prober:
        return await examine_model(model, ModelSettings(**settings), prober)


async def problems(model, **settings):
    return [each.about for each in await findings(model, **settings) if each.is_problem]


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
    [finding] = await findings(ScriptedModel([ModelUnavailable(reason)]))

    assert finding.is_problem
    assert step in finding.next_step_in("en")


async def test_refusal_is_reported_with_the_words_of_the_server():
    [finding] = await findings(ScriptedModel([ModelUnavailable("refused", "HTTP 401 wrong key")]))

    assert finding.state_in("es").endswith("(rechazado: HTTP 401 wrong key)")


@pytest.mark.parametrize(
    ("name", "step"), [("gwen3", "choose a model of the server: qwen3:8b, llama3:8b"), ("qwen3:8b", "check the key")]
)
async def test_name_that_the_server_does_not_know_is_reported_with_the_names_of_its_models(name, step):
    content = json.dumps({"data": [{"id": "llama3:8b"}, {"id": "qwen3:8b"}, {"id": 5}]}).encode()
    script = [status(404, "model not found"), Raw(code=200, body=content)]
    async with OpenAIServer(script) as server:
        settings = ModelSettings(name=name, base_url=server.base_url, api_key="sk-1", max_retries=0)
        model = language_model(settings)
        async with Prober(FixedClock(NOON)) as prober:
            [finding] = await examine_model(model, settings, prober)
        await model.close()

    assert finding.next_step_in("en").startswith(step)
    assert [each.path for each in server.requests] == ["/v1/chat/completions", "/v1/models"]
    assert {each.headers["authorization"] for each in server.requests} == {"Bearer sk-1"}
