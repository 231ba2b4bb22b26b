"""Tools from elsewhere that change something are asked about like our own."""

import asyncio

import pytest
from msgspec.structs import replace

from bot.testing.clocks import FixedClock
from function_calls.registry import Registry
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolCall, ToolResult, ToolSpec
from function_calls.tools.policy import CallPolicy
from function_calls.toolsets.combined import combine_external
from services.kernel.state import MemoryStateStore

ANYTHING = {"type": "object", "properties": {"text": {"type": "string"}}}


class Notes:
    """A toolset of one tool, of which it is told what it does."""

    def __init__(self, **spec):
        self.specs = (ToolSpec(name="note", description="Note.", parameters=ANYTHING, **spec),)
        self.calls = []

    async def list_specs(self, viewer):
        return self.specs

    async def call(self, name, arguments, context):
        self.calls.append(dict(arguments))
        return ToolResult(ok=True, text="noted")


@pytest.fixture
def circumstances(context):
    clock = FixedClock(context.now)
    return replace(context, policy=CallPolicy.create(MemoryStateStore(clock), clock))


async def call(notes, context, **arguments):
    router = FunctionCallRouter(Registry())
    combine_external(router, {"notes": notes})
    return await router.dispatch(ToolCall(id="1", name="note", arguments=arguments), context)


async def test_a_tool_that_asks_first_is_not_called_before_the_yes(circumstances):
    notes = Notes(confirm=True)

    result = await call(notes, circumstances, text="tea")

    assert result.ending == "question"
    assert notes.calls == []


async def test_invalid_arguments_are_refused_before_the_question(circumstances):
    result = await call(Notes(confirm=True), circumstances, text=7)

    assert result.ending != "question"
    assert "text" in result.error


async def test_change_is_made_at_once_without_untrusted_text(circumstances):
    notes = Notes(changes_state=True)

    result = await call(notes, circumstances, text="tea")

    assert notes.calls == [{"text": "tea"}]
    assert [receipt.action for receipt in result.receipts] == ["note"]


async def test_change_needs_a_confirmation_after_untrusted_text(circumstances):
    notes = Notes(changes_state=True)

    result = await call(notes, replace(circumstances, requested_tools=frozenset()), text="tea")

    assert result.ending == "question"
    assert notes.calls == []


async def test_result_of_an_external_tool_is_untrusted(circumstances):
    assert (await call(Notes(), circumstances)).is_untrusted


async def test_a_tool_without_changes_leaves_no_receipt(circumstances):
    assert (await call(Notes(), circumstances)).receipts == ()


async def test_a_tool_that_is_switched_off_in_the_chat_is_not_called(circumstances):
    notes = Notes()
    await circumstances.policy.switches.switch(circumstances.chat, "note", is_on=False)

    result = await call(notes, circumstances)

    assert result.failure == "denied"
    assert notes.calls == []


class SlowNotes(Notes):
    """Takes half a minute for each note; `done` are those that came to their end."""

    def __init__(self, **spec):
        super().__init__(**spec)
        self.done = []

    async def call(self, name, arguments, context):
        await asyncio.sleep(30)
        self.done.append(dict(arguments))
        return ToolResult(ok=True, text="noted")


@pytest.mark.looptime
@pytest.mark.parametrize(("changes", "done"), [(True, [{"text": "tea"}]), (False, [])])
async def test_only_a_changing_call_is_finished_when_its_message_is_withdrawn(circumstances, changes, done):
    notes = SlowNotes(changes_state=changes)
    calling = asyncio.create_task(call(notes, circumstances, text="tea"))
    await asyncio.sleep(1)
    calling.cancel()
    await asyncio.wait([calling])

    assert calling.cancelled()
    assert notes.done == done
