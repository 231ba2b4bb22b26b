"""Agents as tools of other agents."""

import pytest

from bot.testing.models import ScriptedInterpreter
from function_calls.conversation.agent_loop import LoopLimits
from function_calls.conversation.agents.agent import Agent
from function_calls.conversation.agents.agent_tool import AgentTool
from function_calls.conversation.records.recorder import spawn_record
from function_calls.registry import Registry
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import Choice, Receipt, ToolCall, ToolResult
from services.kernel.errors import ModelUnavailable
from tests.unit.agents.conftest import make_call

RED = Choice(label="Red", says="red")


async def paint(color: str) -> ToolResult:
    """Paint it."""
    return ToolResult(ok=True, text="Painted.", receipts=(Receipt(action="painted", subject=color),))


async def ask() -> ToolResult:
    """Ask."""
    return ToolResult(ok=True, text="Which color?", ending="question", choices=(RED,))


@pytest.fixture
def dispatch(context):
    async def run(*script, **options):
        registry = Registry()
        model = ScriptedInterpreter(script)
        painter = Agent(name="painter", description="Paints things.", model=model, tools=[paint, ask], **options)
        registry.register(AgentTool(painter))
        call = ToolCall(id="1", name="painter", arguments={"request": "make it red"})
        return await FunctionCallRouter(registry).dispatch(call, context), model, registry

    return run


async def test_agent_as_a_tool_has_one_request_argument(dispatch):
    _, model, registry = await dispatch("done")
    spec = registry.specs[0]

    assert (spec.name, spec.description) == ("painter", "Paints things.")
    assert spec.parameters["required"] == ["request"]
    assert list(spec.parameters["properties"]) == ["request"]
    assert model.turns[0].message.text == "make it red"


async def test_answer_of_the_agent_is_the_result(dispatch):
    result, _, _ = await dispatch("It is red.")

    assert result.text == "It is red."
    assert result.for_model() == {"result": "It is red."}


async def test_changes_of_the_agent_are_receipts_of_the_call(dispatch):
    result, _, _ = await dispatch(make_call("paint", color="red"), "It is red.")

    assert result.receipts == (Receipt(action="painted", subject="red"),)


async def test_question_of_the_agent_is_a_question_to_the_person(dispatch):
    result, _, _ = await dispatch(make_call("ask"))

    assert result.ending == "question"
    assert result.text == "Which color?"
    assert result.choices == (RED,)


async def test_work_of_the_agent_is_recorded_with_the_call(dispatch):
    result, _, _ = await dispatch(make_call("paint", color="red"), "It is red.")
    record = spawn_record(result.spawned)
    calls = record.pop("tool_calls")

    assert record == {"agent": "painter", "request": "make it red", "answer": "It is red.", "ok": True}
    assert [(call["name"], call["arguments"], call["status"]) for call in calls] == [
        ("paint", {"color": "red"}, "success")
    ]


async def test_a_failed_call_is_in_the_record(dispatch):
    result, _, _ = await dispatch(make_call("paint", color=3), "sorry")
    call = spawn_record(result.spawned)["tool_calls"][0]

    assert (call["status"], call["result"]) == ("error", None)
    assert "/color" in call["error"]


async def test_agents_under_agents_are_recorded_too(context):
    painter = Agent(name="painter", model=ScriptedInterpreter(["It is red."]))
    request = make_call("painter", request="make it red")
    boss = Agent(name="boss", model=ScriptedInterpreter([request, "done"]), tools=[AgentTool(painter)])
    result = await AgentTool(boss).run({"request": "paint"}, context)
    inner = spawn_record(result.spawned)["tool_calls"][0]["spawn_task"]

    assert (inner["agent"], inner["answer"]) == ("painter", "It is red.")


async def test_unreachable_model_of_the_agent_is_a_failed_call(dispatch):
    result, _, _ = await dispatch(ModelUnavailable("timeout"))

    assert not result.ok
    assert "timeout" in result.error
    assert not spawn_record(result.spawned)["ok"]


async def test_used_up_rounds_are_a_failed_call_that_keeps_its_receipts(dispatch):
    result, _, _ = await dispatch(make_call("paint", color="red"), limits=LoopLimits(rounds=1))

    assert not result.ok
    assert result.receipts == (Receipt(action="painted", subject="red"),)
