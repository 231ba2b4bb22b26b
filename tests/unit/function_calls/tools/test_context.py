"""The context that is injected into a tool."""

from loguru import logger
from msgspec.structs import replace

from function_calls.registry import Registry, tool_function
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolCall
from function_calls.tools.context import CallContext


@tool_function()
async def bake(cake: str, ctx: CallContext) -> str:
    """Bake a cake."""
    await ctx.progress("half done")
    ctx.logger.info("baking")
    return cake


def router():
    registry = Registry()
    registry.register(bake)
    return FunctionCallRouter(registry)


BAKE = ToolCall(id="1", name="bake", arguments={"cake": "pie"})


async def test_parameter_named_tool_context_is_injected_without_an_annotation(context_of):
    @tool_function
    async def note(query: str, tool_context):
        """Note it."""
        tool_context.state["last_query"] = query
        return tool_context.invocation_id

    registry = Registry()
    registry.register(note)
    context = replace(context_of(), invocation_id="turn-1")

    result = await FunctionCallRouter(registry).dispatch(
        ToolCall(id="1", name="note", arguments={"query": "tea"}), context
    )

    assert list(registry.get("note").spec.parameters["properties"]) == ["query"]
    assert (result.text, context.state["last_query"]) == ("turn-1", "tea")


async def test_progress_goes_to_the_waiting_receiver(context_of):
    messages = []

    async def tell(text):
        messages.append(text)

    await router().dispatch(BAKE, replace(context_of(), progress=tell))

    assert messages == ["half done"]


async def test_progress_without_a_receiver_is_ignored(context_of):
    result = await router().dispatch(BAKE, context_of())

    assert result.ok


async def test_log_lines_of_a_tool_have_chat_call_and_agent(context_of):
    lines = []
    sink = logger.add(lambda line: lines.append(line.record), filter=lambda record: record["message"] == "baking")
    await router().dispatch(BAKE, replace(context_of(), agent_name="baker"))
    logger.remove(sink)

    assert lines[0]["extra"] == {"chat": "fake:home", "call": "m1/0", "agent": "baker"}


def test_context_is_not_in_the_schema():
    assert list(router().registry.specs[0].parameters["properties"]) == ["cake"]


def test_the_session_of_a_call_is_its_person_in_its_chat(context_of):
    assert context_of().conversation.key == "fake:home#ann"
