"""Agents: tools, rounds, hooks, transfers and failures."""

import asyncio

import pytest
from msgspec.structs import replace

from bot.testing.models import ScriptedInterpreter, ScriptedModel, completion, requested
from function_calls.conversation.agent_loop import LoopLimits
from function_calls.conversation.agents.agent import Agent, AgentHooks
from function_calls.model_calls.hooks import ModelHooks
from function_calls.registry import tool_function
from function_calls.tools.calls import Interpretation, Receipt, ToolCall, ToolResult
from function_calls.tools.context import CallContext
from function_calls.tools.dispatch.hooks import ToolHooks
from services.call_log.usage import Budgets, DailyBudget, Limit, TurnUsage, count_usage
from services.kernel.errors import ModelUnavailable
from tests.unit.agents.conftest import make_call

SEEN = "it is red"


async def look() -> str:
    """Look at something."""
    return SEEN


@tool_function(returns="reply")
async def paint(color: str) -> ToolResult:
    """Paint it."""
    return ToolResult(ok=True, text=f"Painted {color}.", receipts=(Receipt(action="painted", subject=color),))


async def note(word: str, ctx: CallContext) -> str:
    """Note a word."""
    ctx.state["word"] = word
    return f"{ctx.agent_name} {ctx.call_id}"


def agent(*script, name="helper", **options):
    return Agent(name=name, model=ScriptedInterpreter(script), tools=[look, paint, note], **options)


async def test_an_agent_works_with_its_own_tools(turn, context):
    outcome = await agent(make_call("look"), "It is red.").run(turn, context)

    assert outcome.text == "It is red."
    assert outcome.steps[0].results[0].value == SEEN
    assert outcome.rounds_used == 2


async def test_text_that_a_function_returns_is_wrapped_for_the_model_like_its_other_values():
    def color() -> str:
        """Return a color."""
        return "蓝\n"

    def size() -> int:
        """Return a size."""
        return 3

    def page() -> ToolResult:
        """Return a page."""
        return ToolResult(ok=True, text="1| blue")

    model = ScriptedModel([completion("", *map(requested, ("color", "size", "page"))), "done"])
    result = await Agent("looker", model=model, tools=[color, size, page]).run("look")

    contents = [message["content"] for message in model.shown[1].messages if message["role"] == "tool"]
    assert contents == ['{"result": "蓝\\n"}', '{"result": 3}', "1| blue"]
    assert result.calls[0].result.text == "蓝\n"


@pytest.mark.looptime
async def test_calls_of_one_round_run_at_the_same_time(turn, context):
    async def wait(seconds: int):
        """Wait."""
        await asyncio.sleep(seconds)

    round_of_three = [ToolCall(id=str(n), name="wait", arguments={"seconds": n}) for n in (30, 20, 10)]
    agent = Agent(name="slow", model=ScriptedInterpreter([round_of_three, "done"]), tools=[wait])
    loop = asyncio.get_running_loop()
    before = loop.time()

    outcome = await agent.run(turn, context)

    assert loop.time() - before == pytest.approx(30, abs=1)
    assert [result.ok for result in outcome.steps[0].results] == [True] * 3


@pytest.mark.looptime
async def test_tool_without_a_limit_of_its_own_has_that_of_the_agent(turn, context):
    async def wait():
        """Wait."""
        await asyncio.sleep(3600)

    agent = Agent(name="slow", model=ScriptedInterpreter([make_call("wait"), "done"]), tools=[wait], tool_timeout=5.0)

    outcome = await agent.run(turn, context)

    assert outcome.steps[0].results[0].error == "Tool 'wait' timed out after 5.0s"


async def test_agents_model_gets_its_instructions_and_tools(turn, context):
    model = ScriptedModel([completion("", requested("look")), "It is red."])
    outcome = await Agent(name="painter", model=model, instructions="You only paint.", tools=[look]).run(turn, context)

    assert outcome.text == "It is red."
    assert "You only paint." in model.shown[0].messages[0]["content"]
    assert b'"name":"look"' in model.shown[0].tools


async def test_usage_of_an_agents_model_counts_for_the_message(turn, context):
    account = TurnUsage(address=turn.message.address, person=turn.message.sender)
    model = ScriptedModel([completion("", requested("look")), "It is red."])
    with count_usage(account):
        await Agent(name="painter", model=model, tools=[look]).run(turn, context)

    assert [each.model for each in account.completions] == [model.name] * 2


async def test_budget_of_the_message_limits_the_model_of_an_agent(turn, context):
    async def nothing_spent(moment):
        return []

    budget = DailyBudget(Budgets(message=Limit(tokens=1)), context.clock, turn.zone, nothing_spent)
    account = TurnUsage(address=turn.message.address, person=turn.message.sender, budget=budget)
    model = ScriptedModel([completion("", requested("look")), "never asked for"])
    with count_usage(account):
        await Agent(name="painter", model=model, tools=[look]).run(turn, context)

    assert len(model.shown) == 1


async def test_a_tool_that_replies_ends_the_run_without_another_round(turn, context):
    outcome = await agent(make_call("paint", color="red")).run(turn, context)

    assert outcome.text == "Painted red."
    assert outcome.receipts == (Receipt(action="painted", subject="red"),)


async def test_endless_calls_end_when_the_rounds_are_used_up(turn, context):
    endless = [make_call("look")] * 3
    outcome = await agent(*endless, limits=LoopLimits(rounds=3)).run(turn, context)

    assert outcome.is_exhausted
    assert outcome.rounds_used == 3


async def test_a_tool_sees_which_agent_calls_and_writes_to_its_session(turn, context):
    outcome = await agent(make_call("note", word="tea"), "done").run(turn, context)

    assert outcome.steps[0].results[0].text == "helper m1/0/helper/0.0"
    assert context.state["word"] == "tea"


async def test_an_agents_state_is_the_beginning_of_a_session(turn, context):
    context.state["mood"] = "good"
    await context.state.commit()
    await agent("hello", state={"mood": "bad", "color": "red"}).run(turn, context)

    assert dict(context.state) == {"mood": "good", "color": "red"}


async def test_the_names_of_agents_are_names_of_tools():
    with pytest.raises(ValueError, match="cannot be the name of an agent"):
        agent(name="the helper")


async def test_two_sub_agents_with_one_name_are_refused():
    with pytest.raises(ValueError, match="the same name"):
        agent(sub_agents=[agent(name="twin"), agent(name="twin")])


async def test_model_failure_before_any_change_is_reported(turn, context):
    with pytest.raises(ModelUnavailable):
        await agent(ModelUnavailable("timeout")).run(turn, context)


async def test_model_failure_after_a_call_keeps_its_results(turn, context):
    outcome = await agent(make_call("look"), ModelUnavailable("timeout")).run(turn, context)

    assert outcome.text == SEEN
    assert outcome.notice
    assert outcome.is_model_down


async def test_a_model_hook_may_answer_for_an_agent(turn, context):
    hooks = AgentHooks(model=ModelHooks(before=[lambda turn: Interpretation(answer="closed")]))
    outcome = await agent(hooks=hooks).run(turn, context)

    assert outcome.text == "closed"


async def test_error_hook_may_answer_for_a_failed_model_of_an_agent(turn, context):
    hooks = AgentHooks(model=ModelHooks(on_error=[lambda turn, error: Interpretation(answer="later")]))
    outcome = await agent(ModelUnavailable("timeout"), hooks=hooks).run(turn, context)

    assert outcome.text == "later"


async def test_a_tool_hook_of_an_agent_may_block_its_tools(turn, context):
    hooks = AgentHooks(tools=ToolHooks(before=[lambda call, ctx: ToolResult.failed("blocked")]))
    outcome = await agent(make_call("paint", color="red"), "sorry", hooks=hooks).run(turn, context)

    assert outcome.steps[0].results[0].error == "blocked"
    assert outcome.receipts == ()


def router(*script, specialists):
    return Agent(name="router", model=ScriptedInterpreter(script), tools=[look], sub_agents=specialists)


async def test_transfer_lets_the_sub_agent_answer(turn, context):
    specialist = agent(make_call("paint", color="blue"), name="painter", description="Paints things.")
    desk = router(make_call("transfer_to_agent", agent_name="painter"), specialists=[specialist])
    outcome = await desk.run(turn, context)

    assert (outcome.agent, outcome.text) == ("painter", "Painted blue.")
    assert [step.calls[0].name for step in outcome.steps] == ["transfer_to_agent", "paint"]


async def test_the_transfer_tool_is_there_only_with_sub_agents_and_names_them(turn, context):
    specialist = ScriptedInterpreter(["hello"])
    painter = Agent(name="painter", description="Paints things.", model=specialist)
    model = ScriptedInterpreter([make_call("transfer_to_agent", agent_name="painter")])
    await Agent(name="router", model=model, sub_agents=[painter]).run(turn, context)
    transfer = model.turns[0].tools[0]

    assert transfer.parameters["properties"]["agent_name"]["enum"] == ["painter"]
    assert "painter: Paints things." in transfer.description
    assert specialist.turns[0].tools == ()


async def test_sub_agent_sees_results_but_not_the_transfer(turn, context):
    specialist = ScriptedInterpreter(["red, then"])
    both = [*make_call("look", call_id="1"), *make_call("transfer_to_agent", call_id="2", agent_name="painter")]
    await router(both, specialists=[Agent(name="painter", model=specialist)]).run(turn, context)
    steps = specialist.turns[0].steps

    assert [[call.name for call in step.calls] for step in steps] == [["look"]]
    assert steps[0].results[0].value == SEEN


async def test_unknown_agent_is_reported_to_the_model(turn, context):
    model = ScriptedInterpreter([make_call("transfer_to_agent", agent_name="plumber"), "sorry"])
    outcome = await Agent(name="router", model=model, sub_agents=[agent(name="painter")]).run(turn, context)

    assert not outcome.steps[0].results[0].ok
    assert "painter" in outcome.steps[0].results[0].error


async def test_own_tool_may_transfer(turn, context):
    async def send(where: str, ctx: CallContext) -> str:
        """Send the person on."""
        ctx.actions.transfer_to_agent = where
        return "sent"

    script = [make_call("send", where="plumber"), make_call("send", where="painter")]
    model = ScriptedInterpreter(script)
    desk = Agent(name="router", model=model, tools=[send], sub_agents=[agent("hello", name="painter")])
    outcome = await desk.run(turn, context)

    assert outcome.steps[0].results[0].error == "no agent named 'plumber'; there are: painter"
    assert outcome.text == "hello"


async def test_agents_share_the_rounds_of_a_turn(turn, context):
    specialist = agent(*[make_call("look")] * 2, name="painter")
    transfer = make_call("transfer_to_agent", agent_name="painter")
    outcome = await router(transfer, specialists=[specialist]).run(turn, context, rounds=3)

    assert outcome.is_exhausted
    assert outcome.rounds_used == 3


async def test_a_transfer_in_the_last_round_is_not_followed(turn, context):
    desk = router(make_call("transfer_to_agent", agent_name="painter"), specialists=[agent(name="painter")])
    outcome = await desk.run(turn, context, rounds=1)

    assert outcome.is_exhausted


async def test_agents_of_one_turn_share_the_session(turn, context):
    async def recall(ctx: CallContext) -> str:
        """Recall the word."""
        return str(ctx.state["word"])

    reader = Agent(name="reader", model=ScriptedInterpreter([make_call("recall"), "done"]), tools=[recall])
    writing = [
        *make_call("note", call_id="1", word="tea"),
        *make_call("transfer_to_agent", call_id="2", agent_name="reader"),
    ]
    outcome = await agent(writing, sub_agents=[reader]).run(turn, context)

    assert outcome.steps[-1].results[0].text == "tea"


async def test_an_escalating_tool_ends_the_run(turn, context):
    async def give_up(ctx: CallContext) -> str:
        """Give up."""
        ctx.actions.escalate = True
        return "That is enough."

    model = ScriptedInterpreter([make_call("give_up")])
    outcome = await Agent(name="helper", model=model, tools=[give_up]).run(turn, context)

    assert outcome.is_escalated
    assert outcome.text == "That is enough."


async def test_actions_of_a_failed_call_are_ignored(turn, context):
    async def fail(ctx: CallContext) -> ToolResult:
        """Fail."""
        ctx.actions.escalate = True
        return ToolResult.failed("no")

    model = ScriptedInterpreter([make_call("fail"), "going on"])
    outcome = await Agent(name="helper", model=model, tools=[fail]).run(turn, context)

    assert outcome.text == "going on"


async def test_a_question_to_the_person_ends_the_run(turn, context):
    async def ask() -> ToolResult:
        """Ask."""
        return ToolResult(ok=True, text="Which one?", ending="question")

    outcome = await Agent(name="helper", model=ScriptedInterpreter([make_call("ask")]), tools=[ask]).run(turn, context)

    assert outcome.ending == "question"
    assert outcome.text == "Which one?"


async def test_permissions_hold_for_tools_of_a_sub_agent(turn, context):
    @tool_function(permission="admins")
    async def erase() -> str:
        """Erase everything."""
        return "gone"

    model = ScriptedInterpreter([make_call("erase"), "no"] * 2)
    careful = Agent(name="careful", model=model, tools=[erase])
    outcome = await careful.run(turn, context)
    admin = replace(context.message, sender=replace(context.message.sender, is_admin=True))
    allowed = await careful.run(replace(turn, message=admin), replace(context, message=admin))

    assert not outcome.steps[0].results[0].ok
    assert allowed.steps[0].results[0].ok
    assert [len(each.tools) for each in model.turns] == [0, 0, 1, 1]
