"""Session state across the turns of the assistant."""

import pytest
from msgspec.structs import replace

from bot.testing.models import ScriptedInterpreter
from function_calls.conversation.assistant import Assistant
from function_calls.registry import Registry, tool_function
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolCall
from function_calls.tools.context import CallContext
from function_calls.tools.session_state import MemoryScopeStore


@tool_function(returns="reply")
async def count(ctx: CallContext) -> str:
    """Count how often one is asked."""
    ctx.state["asked"] = int(ctx.state.get("asked", 0)) + 1
    return f"{ctx.state['asked']}"


@tool_function(returns="reply")
async def invocation(ctx: CallContext) -> str:
    """Say which turn this is."""
    return ctx.invocation_id


class CountingStore(MemoryScopeStore):
    loads = 0

    async def load(self, scopes):
        self.loads += 1
        return await super().load(scopes)


@pytest.fixture
def store():
    return CountingStore()


@pytest.fixture
def ask(store, context_of):
    async def answer(turn, *understood):
        registry = Registry()
        registry.register([count, invocation])
        interpreter = ScriptedInterpreter(understood)
        assistant = Assistant(
            FunctionCallRouter(registry),
            interpreter,
            rules=interpreter,
            context_for=lambda turn, place: context_of(),
            states=store,
        )
        return await assistant.answer(turn)

    return answer


COUNT = ToolCall(id="1", name="count", arguments={})


async def test_state_is_kept_in_the_next_turn(ask, turn):
    await ask(turn, [COUNT])
    reply = await ask(turn, [COUNT])

    assert reply.text == "2"


async def test_each_person_has_their_own_session(ask, turn, message):
    bob = replace(message, sender=replace(message.sender, id="bob", name="bob"))
    await ask(turn, [COUNT])
    reply = await ask(replace(turn, message=bob), [COUNT])

    assert reply.text == "1"


async def test_a_message_without_calls_loads_no_state(ask, turn, store):
    await ask(turn, "hello")

    assert store.loads == 0


async def test_all_calls_of_a_turn_have_its_invocation_id(ask, turn):
    called = ToolCall(id="1", name="invocation", arguments={})
    reply = await ask(turn, [called, replace(called, id="2")])

    assert reply.text == "fake:home/m1\nfake:home/m1"
