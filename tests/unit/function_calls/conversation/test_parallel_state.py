"""Parallel calls that read and write the session state, without lost changes."""

import asyncio

import pytest
from msgspec.structs import replace

from bot.testing.models import ScriptedInterpreter
from bot.testing.turns import make_context, make_tool
from function_calls.conversation.agent_loop import dispatch_all
from function_calls.conversation.agents.agent import Agent
from function_calls.conversation.agents.agent_tool import AgentTool, ask
from function_calls.registry import Registry, ToolOptions, tool_function
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import Conversation, ToolCall
from function_calls.tools.context import CallContext
from function_calls.tools.declaration.class_tools import Tool
from function_calls.tools.session_state import CallState, MemoryScopeStore, Session, StateConflict


@tool_function()
async def note(text: str, ctx: CallContext) -> str:
    """Note something down."""
    notes = list(ctx.state.get("notes", []))
    await asyncio.sleep(0)
    ctx.state["notes"] = [*notes, text]
    return "noted"


@tool_function()
async def note_in_place(text: str, ctx: CallContext) -> str:
    """Note something down."""
    notes = ctx.state.setdefault("notes", [])
    await asyncio.sleep(0)
    notes.append(text)
    return "noted"


@tool_function()
def note_in_thread(text: str, ctx: CallContext) -> str:
    """Note something down."""
    ctx.state["notes"] = [*ctx.state.get("notes", []), text]
    return "noted"


SCHEMA = make_tool("note", required=["text"], text={"type": "string"}).parameters


class NoteTool(Tool):
    """Notes something down."""

    name = "note_by_class"
    description = "Note something down."
    parameters = SCHEMA

    async def run(self, args, ctx):
        notes = list(ctx.state.get("notes", []))
        await asyncio.sleep(0)
        ctx.state["notes"] = [*notes, args["text"]]
        return "noted"


async def add_note(text, ctx):
    notes = list(ctx.state.get("notes", []))
    await asyncio.sleep(0)
    ctx.state["notes"] = [*notes, text]


@tool_function(changes_state=True)
async def note_by_helper(text: str, ctx: CallContext) -> str:
    """Note something down."""
    await add_note(text, ctx)
    return "noted"


@pytest.fixture
def session():
    return Session()


@pytest.fixture
def run_round(session):
    async def run(tool, *texts, options=None):
        registry = Registry()
        registry.register(tool, options)
        (name,) = (each.name for each in registry)
        calls = [ToolCall(id=text, name=name, arguments={"text": text}) for text in texts]
        contexts = [replace(make_context(), call_id=text, state=CallState(session)) for text in texts]
        return await dispatch_all(FunctionCallRouter(registry), calls, contexts)

    return run


@pytest.mark.parametrize("tool", [note, note_in_place, note_in_thread, NoteTool()], ids=lambda tool: tool.__class__)
async def test_parallel_calls_that_read_and_write_the_state_keep_every_change(run_round, session, tool):
    results = await run_round(tool, "tea", "milk", "salt")

    assert all(result.ok for result in results)
    assert CallState(session)["notes"] == ["tea", "milk", "salt"]


async def test_a_tool_that_declares_its_use_of_the_state_keeps_every_change(run_round, session):
    results = await run_round(note_by_helper, "tea", "milk", options=ToolOptions(uses_state=True))

    assert all(result.ok for result in results)
    assert CallState(session)["notes"] == ["tea", "milk"]


async def test_call_that_would_overwrite_the_change_of_another_fails(run_round, session):
    first, second = await run_round(note_by_helper, "tea", "milk")

    assert first.ok
    assert not second.ok
    assert "notes" in second.error
    assert second.receipts  # its other changes can still be undone
    assert CallState(session)["notes"] == ["tea"]


async def test_calls_that_do_not_use_the_state_run_at_the_same_time(run_round):
    both_run = asyncio.Barrier(2)

    @tool_function()
    async def wait(text: str, ctx: CallContext) -> str:
        """Wait for the other call."""
        await both_run.wait()
        return ctx.call_id

    results = await run_round(wait, "tea", "milk")

    assert [result.text for result in results] == ["tea", "milk"]


async def test_calls_of_different_sessions_do_not_wait_for_each_other(session):
    both_run = asyncio.Barrier(2)

    @tool_function()
    async def wait(ctx: CallContext) -> str:
        """Wait for the other call."""
        ctx.state["waited"] = True
        await both_run.wait()
        return "done"

    registry = Registry()
    registry.register(wait)
    calls = [ToolCall(id=each, name="wait", arguments={}) for each in "ab"]
    contexts = [replace(make_context(), state=CallState(each)) for each in (session, Session())]
    results = await dispatch_all(FunctionCallRouter(registry), calls, contexts)

    assert all(result.ok for result in results)


async def test_an_agent_inside_a_call_that_uses_the_state_uses_it_too(run_round, session):
    script = [[ToolCall(id="1", name="note", arguments={"text": "by the agent"})], "done"]
    agent = Agent(name="scribe", model=ScriptedInterpreter(script), tools=[note])

    @tool_function()
    async def delegate(text: str, ctx: CallContext) -> str:
        """Let an agent note it."""
        ctx.state["asked"] = text
        return (await ask(agent, text, ctx)).text

    (result,) = await run_round(delegate, "tea")

    assert result.text == "done"
    assert dict(CallState(session)) == {"asked": "tea", "notes": ["by the agent"]}


async def test_two_parallel_agents_with_the_same_state_both_succeed(session):
    def hire(name):
        model = ScriptedInterpreter(["done"])
        return AgentTool(Agent(name=name, model=model, state={"steps": [], name: 1}))

    registry = Registry()
    registry.register([hire("ann"), hire("bob")])
    calls = [ToolCall(id=name, name=name, arguments={"request": "work"}) for name in ("ann", "bob")]
    contexts = [replace(make_context(), state=CallState(session)) for _ in calls]
    results = await dispatch_all(FunctionCallRouter(registry), calls, contexts)

    assert [result.text for result in results] == ["done", "done"]
    assert dict(CallState(session)) == {"steps": [], "ann": 1, "bob": 1}


class SlowStore(MemoryScopeStore):
    async def commit(self, deltas):
        await asyncio.sleep(0)
        await super().commit(deltas)


async def test_commits_that_wait_for_the_store_are_checked_one_after_the_other():
    conversation = Conversation(chat=make_context().chat, person=make_context().sender)
    session = await Session.open(SlowStore(), conversation)
    first, second = CallState(session), CallState(session)
    for state in (first, second):
        state["count"] = state.get("count", 0) + 1
    outcomes = await asyncio.gather(first.commit(), second.commit(), return_exceptions=True)

    assert [type(each) for each in outcomes] == [type(None), StateConflict]


async def test_a_value_that_was_not_read_is_overwritten(session):
    first, second = CallState(session), CallState(session)
    first["color"], second["color"] = "red", "blue"
    await first.commit()
    await second.commit()

    assert CallState(session)["color"] == "blue"
