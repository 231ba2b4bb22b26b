from bot.testing.models import ScriptedInterpreter
from function_calls.calls import ToolCall
from function_calls.context import CallContext
from function_calls.registry import tool_function


class Bakery:
    """A service of somebody's plugin."""

    def bake(self, what: str) -> str:
        return f"fresh {what}"


@tool_function(name="bake", returns="reply")
def bake(what: str, bakery: Bakery, ctx: CallContext) -> str:
    """Bake something."""
    return f"{ctx.sender.name}: {bakery.bake(what)}"


@tool_function(name="greet", returns="reply")
def greet(name: str) -> str:
    """Greet somebody."""
    return f"Hello {name}!"


class Greetings:
    greet = staticmethod(greet)


async def test_a_function_is_called_with_its_services(call_tool):
    result = await call_tool(bake, Bakery(), what="bread")

    assert (result.ok, result.text) == (True, "Ann: fresh bread")


async def test_broken_arguments_are_a_failed_result(call_tool):
    result = await call_tool(greet, nam="Ann")

    assert not result.ok
    assert "name" in result.error


async def test_a_whole_bot_answers_with_the_function(talk):
    script = ScriptedInterpreter([[ToolCall(id="c1", name="greet", arguments={"name": "Bo"})]])

    texts = await talk("say hello to Bo", functions=[Greetings()], interpreter=script)

    assert texts == ["Hello Bo!"]


async def test_without_an_interpreter_the_bot_is_offline(talk):
    assert "10:10" in (await talk("remind me in 10 minutes to stretch"))[0]


def test_the_clock_stands_until_it_is_set(fake_clock):
    assert fake_clock.now() == fake_clock.now()
