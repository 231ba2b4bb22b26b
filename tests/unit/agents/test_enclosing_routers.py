"""Hooks, listeners and records of a router, for calls of agents inside its tools."""

import asyncio

import pytest
from msgspec.structs import replace

from bot.testing.models import ScriptedInterpreter
from function_calls.conversation.agents.agent import Agent, AgentHooks
from function_calls.conversation.agents.agent_tool import AgentTool
from function_calls.conversation.agents.loop import LoopAgent
from function_calls.conversation.records.explanation import explain_turn
from function_calls.conversation.records.recorder import TurnRecorder
from function_calls.registry import Registry, tool_function
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolCall, ToolResult
from function_calls.tools.dispatch.events import AGENT_COMPLETE, AGENT_START, TOOL_COMPLETE, TOOL_START, EventBus
from function_calls.tools.dispatch.hooks import ToolHooks
from services.call_log.service import CallLog
from services.kernel.errors import ModelUnavailable
from services.storage.records.store import SqlCallStore
from tests.support.records import make_turn_record
from tests.unit.agents.conftest import make_call

ASK = ToolCall(id="1", name="cleaner", arguments={"request": "clean up"})
WIPE = make_call("wipe", disk="a")


@pytest.fixture
def wiped_disks():
    return []


@pytest.fixture
def wipe(wiped_disks):
    @tool_function(name="wipe", changes_state=True)
    async def wipe(disk: str) -> str:
        """Wipe a disk."""
        wiped_disks.append(disk)
        return f"{disk} is empty"

    return wipe


def refuse_wipe(call, context):
    return ToolResult.failed("wiping is forbidden", kind="denied") if call.name == "wipe" else None


def direct(wipe, **options):
    return Agent(name="cleaner", model=ScriptedInterpreter([WIPE, "Everything is clean."]), tools=[wipe], **options)


def nest_in_agent(wipe):
    request = make_call("helper", request="wipe a")
    helper = Agent(name="helper", model=ScriptedInterpreter([WIPE, "done"]), tools=[wipe])
    return Agent(name="cleaner", model=ScriptedInterpreter([request, "done"]), tools=[AgentTool(helper)])


def transfer_to_agent(wipe):
    helper = Agent(name="helper", model=ScriptedInterpreter([WIPE, "done"]), tools=[wipe])
    script = [make_call("transfer_to_agent", agent_name="helper")]
    return Agent(name="cleaner", model=ScriptedInterpreter(script), sub_agents=[helper])


def run_in_loop(wipe):
    worker = Agent(name="worker", model=ScriptedInterpreter([WIPE, "done"]), tools=[wipe])
    return LoopAgent(name="cleaner", agents=[worker], max_iterations=1)


EVERY_WAY = pytest.mark.parametrize("hire", [direct, nest_in_agent, transfer_to_agent, run_in_loop])


def router_with(agent, **options):
    registry = Registry()
    registry.register(AgentTool(agent))
    return FunctionCallRouter(registry, **options)


@EVERY_WAY
async def test_a_before_hook_of_the_bot_refuses_the_call_of_an_agent(hire, wipe, wiped_disks, context):
    router = router_with(hire(wipe), hooks=ToolHooks(before=[refuse_wipe]))
    await router.dispatch(ASK, context)

    assert wiped_disks == []


@EVERY_WAY
async def test_listeners_of_the_bot_receive_the_calls_of_agents(hire, wipe, context):
    events, names = EventBus(), []
    events.subscribe(TOOL_COMPLETE, lambda event: names.append(event.data["tool"]))
    await router_with(hire(wipe), events=events).dispatch(ASK, context)

    assert "wipe" in names
    assert names[-1] == "cleaner"


@EVERY_WAY
async def test_listeners_of_the_bot_receive_the_runs_of_agents(hire, wipe, context):
    events, start_ids, completions = EventBus(), [], []
    events.subscribe(AGENT_START, lambda event: start_ids.append(event.data["id"]))
    events.subscribe(AGENT_COMPLETE, lambda event: completions.append(event.data))
    await router_with(hire(wipe), events=events).dispatch(ASK, context)

    assert sorted(start_ids) == sorted(each["id"] for each in completions)
    assert all(each["answer"] and not each["error"] for each in completions)


async def test_run_that_fails_ends_with_the_reason(wipe, context):
    events, received = EventBus(), []
    events.subscribe("*", lambda event: received.append((event.name, event.data)))
    agent = Agent(name="cleaner", model=ScriptedInterpreter([ModelUnavailable("timeout")]), tools=[wipe])
    await router_with(agent, events=events).dispatch(ASK, context)
    runs = [(name, data) for name, data in received if name.startswith("agent.")]

    assert [name for name, _ in runs] == [AGENT_START, AGENT_COMPLETE]
    assert runs[0][1]["request"] == "clean up"
    assert (runs[1][1]["answer"], runs[1][1]["error"]) == ("", "timeout")


@EVERY_WAY
async def test_every_call_of_an_agent_has_its_own_row_in_the_record(hire, wipe, context, sqlite_database):
    store = SqlCallStore(sqlite_database)
    log = CallLog(store)
    await router_with(hire(wipe), on_dispatched=TurnRecorder(log).record_call).dispatch(ASK, context)
    await log.drain()
    rows = {each.tool_name: each for each in await store.calls(context.chat.key, ["m1"])}
    (record,) = await log.of_message(context.chat, "m1")

    assert rows["wipe"].is_nested
    assert not rows["cleaner"].is_nested
    assert record["name"] == "cleaner"


async def test_calls_of_a_nested_agent_are_recorded_in_its_task(wipe, context, sqlite_database):
    log = CallLog(SqlCallStore(sqlite_database))
    router = router_with(nest_in_agent(wipe), on_dispatched=TurnRecorder(log).record_call)
    await router.dispatch(ASK, context)
    (record,) = await log.of_message(context.chat, "m1")
    (helper,) = record["spawn_task"]["tool_calls"]

    assert [each["name"] for each in helper["spawn_task"]["tool_calls"]] == ["wipe"]


async def test_after_hooks_run_from_the_agent_outwards(wipe, context):
    def sign(name):
        return lambda call, ctx, result: replace(result, value=f"{result.value} {name}")

    agent = direct(wipe, hooks=AgentHooks(tools=ToolHooks(after=[sign("agent")])))
    result = await router_with(agent, hooks=ToolHooks(after=[sign("bot")])).dispatch(ASK, context)

    assert result.spawned.steps[0].results[0].value == "a is empty agent bot"


async def test_hooks_and_a_bus_that_agent_and_bot_share_are_used_once(wipe, context):
    seen = []
    hooks, events = ToolHooks(before=[lambda call, ctx: seen.append(call.name)]), EventBus()
    events.subscribe(TOOL_START, lambda event: seen.append(event.data["tool"]))
    agent = direct(wipe, hooks=AgentHooks(tools=hooks, events=events))
    await router_with(agent, hooks=hooks, events=events).dispatch(ASK, context)

    assert sorted(seen) == ["cleaner", "cleaner", "wipe", "wipe"]


async def test_events_of_calls_with_the_same_id_of_a_model_have_different_ids(wipe, context):
    events, names = EventBus(), []
    events.subscribe(TOOL_START, lambda event: names.append(event.data["id"]))
    await router_with(direct(wipe), events=events).dispatch(ASK, context)

    assert names[0] == "1"
    assert len(set(names)) == 2


async def test_parallel_agents_have_the_hooks_of_their_bot(wipe, wiped_disks, context):
    router = router_with(direct(wipe), hooks=ToolHooks(before=[refuse_wipe]))
    router.registry.register(AgentTool(Agent(name="other", model=ScriptedInterpreter([WIPE, "ok"]), tools=[wipe])))
    other = ToolCall(id="2", name="other", arguments={"request": "clean up"})
    await asyncio.gather(router.dispatch(ASK, context), router.dispatch(other, context))

    assert wiped_disks == []


async def test_the_explanation_of_a_turn_says_which_agent_made_a_call(wipe, context, sqlite_database):
    store = SqlCallStore(sqlite_database)
    log = CallLog(store)
    await router_with(direct(wipe), on_dispatched=TurnRecorder(log).record_call).dispatch(ASK, context)
    await log.drain()
    calls = await store.calls(context.chat.key, ["m1"])
    lines = explain_turn(make_turn_record(), calls, "en", has_details=True)

    assert lines[lines.index(next(line for line in lines if "wipe" in line)) + 1].endswith("done by the agent cleaner")
