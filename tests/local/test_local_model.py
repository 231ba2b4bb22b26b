"""A real local model drives the bot through its OpenAI-compatible server (opt-in).

    BUBBLES_LOCAL_LLM_URL=http://127.0.0.1:8092/v1 pytest -m local_llm tests/local

`BUBBLES_LOCAL_LLM_NAME` names the model (`local` by default), `BUBBLES_LOCAL_LLM_PROMPTS` how many of the project's own
prompts are said (32 by default; a model of 1.5 billion parameters on one core needs about ten seconds for each), and
`BUBBLES_LOCAL_LLM_CONVERSATIONS` how many of its own conversations are played in each language (10 by default).
"""

import os

import pytest

from benchmarks.evaluation.blocking_model import open_blocking_model
from benchmarks.evaluation.bot_runner import run_bot
from benchmarks.evaluation.conversation_cases import OWN_CONVERSATIONS, load_conversations
from benchmarks.evaluation.conversation_play import play
from benchmarks.evaluation.conversation_scores import ConversationScore
from benchmarks.evaluation.prompts import load_own_prompts, sample_prompts
from benchmarks.evaluation.reports import format_tool_report
from benchmarks.evaluation.tool_scores import judge, score
from bot.app.language_models import language_model, model_interpreter
from bot.config.settings import ModelSettings

pytestmark = [pytest.mark.local_llm, pytest.mark.timeout(3600)]

_TOLERANCE = 0.02
"""The share of messages, about two, by which a model may do worse than the rules alone."""


@pytest.fixture
def settings():
    url = os.environ.get("BUBBLES_LOCAL_LLM_URL")
    if not url:
        pytest.skip("no local model: set BUBBLES_LOCAL_LLM_URL to the address of an OpenAI-compatible server")
    return ModelSettings(
        base_url=url,
        name=os.environ.get("BUBBLES_LOCAL_LLM_NAME", "local"),
        function_calling="json_router",
        timeout_seconds=300,
        max_retries=0,
    )


async def collect_outcomes(settings, prompts):
    """Return the outcomes of the prompts, one after the other: a small machine has one slot."""
    model = language_model(settings)
    async with run_bot(model_interpreter(model, settings)) as bot:
        await bot.warm_up()
        judgements = [judge(await bot.send(prompt)) for prompt in prompts]
    await model.close()
    return judgements


async def test_the_bot_chooses_tools_and_arguments_with_a_local_model(settings):
    prompts = sample_prompts(load_own_prompts(), int(os.environ.get("BUBBLES_LOCAL_LLM_PROMPTS", "32")))

    judgements = await collect_outcomes(settings, prompts)
    found = score(judgements)

    report = "\n".join(format_tool_report(judgements, errors=len(prompts)))
    assert found.unanswered == 0, report
    assert found.right_tool >= 0.9 * found.wanted, report
    assert found.right_arguments >= 0.85 * found.wanted, report
    assert found.false_triggers <= 0.1 * found.unwanted, report


def played(conversations, interpreter=None):
    return ConversationScore(tuple(row for each in conversations for row in play(each, interpreter)))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_conversations_are_read_at_least_as_well_as_without_the_model(settings, language):
    count = int(os.environ.get("BUBBLES_LOCAL_LLM_CONVERSATIONS", "10"))
    conversations = [each for each in load_conversations(OWN_CONVERSATIONS) if each.lang == language][-count:]
    with open_blocking_model(language_model(settings)) as model:
        found = played(conversations, model_interpreter(model, settings))
    alone = played(conversations)

    assert found.first_try >= alone.first_try - _TOLERANCE
    assert found.harmful <= alone.harmful + _TOLERANCE
    assert found.talk_left_alone >= alone.talk_left_alone - _TOLERANCE
