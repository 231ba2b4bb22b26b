"""Loops of agents."""

import pytest

from bot.testing.models import ScriptedInterpreter
from function_calls.conversation.agents.agent import Agent
from function_calls.conversation.agents.loop import LoopAgent
from function_calls.tools.calls import ToolResult
from function_calls.tools.context import CallContext
from services.kernel.errors import ModelUnavailable
from tests.unit.agents.conftest import make_call


async def approve(ctx: CallContext) -> str:
    """Approve the text."""
    ctx.actions.escalate = True
    return "Approved."


async def look() -> str:
    """Look at something."""
    return "it is red"


async def ask() -> ToolResult:
    """Ask."""
    return ToolResult(ok=True, text="Which one?", ending="question")


def agent(name, *script):
    return Agent(name=name, model=ScriptedInterpreter(script), tools=[approve, look, ask])


async def test_a_loop_ends_when_a_tool_escalates(turn, context):
    writer = agent("writer", "draft 1", "draft 2")
    critic = agent("critic", "too short", make_call("approve"))
    outcome = await LoopAgent(name="desk", agents=[writer, critic]).run(turn, context)

    assert outcome.text == "Approved."
    assert outcome.agent == "critic"
    assert outcome.rounds_used == 4


async def test_a_loop_ends_after_its_iterations(turn, context):
    writer = agent("writer", "draft 1", "draft 2", "draft 3")
    outcome = await LoopAgent(name="desk", agents=[writer], max_iterations=2).run(turn, context)

    assert outcome.text == "draft 2"


async def test_the_end_of_an_inner_loop_does_not_end_the_outer(turn, context):
    inner = LoopAgent(name="inner", agents=[agent("critic", *[make_call("approve")] * 2)])
    writer = agent("writer", "one", "two")
    outcome = await LoopAgent(name="outer", agents=[inner, writer], max_iterations=2).run(turn, context)

    assert outcome.text == "two"


async def test_each_agent_gets_the_text_of_the_agents_before_it(turn, context):
    critic = ScriptedInterpreter(["too short"])
    agents = [agent("writer", "draft 1"), Agent(name="critic", model=critic)]
    await LoopAgent(name="desk", agents=agents, max_iterations=1).run(turn, context)
    last_message = critic.turns[0].recent[-1]

    assert (last_message.sender.name, last_message.text) == ("writer", "draft 1")


async def test_a_question_to_the_person_ends_a_loop(turn, context):
    outcome = await LoopAgent(name="desk", agents=[agent("writer", make_call("ask"))]).run(turn, context)

    assert outcome.ending == "question"


async def test_loop_does_not_exceed_its_rounds(turn, context):
    writer = agent("writer", "one", "two")
    outcome = await LoopAgent(name="desk", agents=[writer]).run(turn, context, rounds=2)

    assert outcome.is_exhausted
    assert outcome.rounds_used == 2


async def test_calls_of_different_iterations_have_different_ids(turn, context):
    ids = []

    async def listed(ctx: CallContext) -> str:
        """List the call."""
        ids.append(ctx.call_id)
        return "listed"

    model = ScriptedInterpreter([make_call("listed"), "one", make_call("listed"), "two"])
    loop = LoopAgent(name="desk", agents=[Agent(name="writer", model=model, tools=[listed])], max_iterations=2)
    await loop.run(turn, context)

    assert len(set(ids)) == 2


async def test_later_model_failure_keeps_the_earlier_text(turn, context):
    writer = agent("writer", make_call("look"), "draft 1", ModelUnavailable("timeout"))
    outcome = await LoopAgent(name="desk", agents=[writer]).run(turn, context)

    assert outcome.text == "draft 1"
    assert outcome.notice
    assert outcome.is_model_down


async def test_immediate_model_failure_is_reported(turn, context):
    with pytest.raises(ModelUnavailable):
        await LoopAgent(name="desk", agents=[agent("writer", ModelUnavailable("timeout"))]).run(turn, context)
