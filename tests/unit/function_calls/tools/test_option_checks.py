"""Invalid options of a tool, which are reported at its registration."""

import pytest

from function_calls.registry import Registry, ToolOptions, tool_function
from function_calls.tools.declaration.class_tools import Tool
from function_calls.tools.declaration.tool_options import options_of
from function_calls.tools.errors import SignatureInvalid
from tests.unit.function_calls.tools.test_class_tools import Slow


def declare_tool(**options):
    @tool_function(**options)
    async def roll(sides: int = 6) -> str:
        """Roll a dice."""
        return str(sides)

    return roll


def test_decorator_works_with_and_without_parentheses():
    @tool_function
    async def bare(sides: int) -> int:
        """Roll a dice."""
        return sides

    registry = Registry()
    registry.register([bare, declare_tool(returns="reply")])

    assert [(tool.name, tool.options.returns) for tool in registry] == [("bare", "observation"), ("roll", "reply")]


@pytest.mark.parametrize(
    ("option", "value", "fix"),
    [
        ("returns", "answer", '"reply"'),
        ("permission", "admin", '"admins"'),
        ("permission", "telegram:12345", "tuple of people"),
        ("permission", ("12345",), "platform:id"),
        ("scope", "groups", '"group"'),
        ("timeout", "5s", "seconds"),
        ("timeout", 0, "seconds"),
        ("confirm", "Really?", "a function of the arguments"),
        ("undo", True, "name of a function"),
        ("uses_state", "no", "True, False or None"),
        ("retries", -1, "0, 1, 2"),
        ("max_concurrent", 0, "1, 2, 3"),
    ],
)
def test_meaningless_option_is_refused_with_a_correction(option, value, fix):
    with pytest.raises(SignatureInvalid) as error:
        Registry().register(declare_tool(**{option: value}))

    assert f"{option}={value!r}" in error.value.problem
    assert fix in error.value.fix
    assert error.value.file == __file__


def test_a_tool_that_is_not_idempotent_cannot_ask_for_retries():
    with pytest.raises(SignatureInvalid, match="idempotent=True"):
        Registry().register(declare_tool(retries=3))


@pytest.mark.parametrize(("slot", "fix"), [("side", "{sides}"), ("colour", "arguments are: sides")])
def test_a_slot_that_is_no_argument_is_refused(slot, fix):
    with pytest.raises(SignatureInvalid) as error:
        Registry().register(declare_tool(examples=[f"roll a dice with {{{slot}}} sides"]))

    assert f"{{{slot}}}" in error.value.problem
    assert fix in error.value.fix


@pytest.mark.parametrize("option", ["examples", "platforms"])
def test_single_text_instead_of_a_list_is_refused_at_its_place(option):
    with pytest.raises(TypeError, match=r"write \w+=\['roll a dice'\]"):
        declare_tool(**{option: "roll a dice"})


def test_people_may_be_given_in_any_collection():
    assert options_of(declare_tool(permission=["telegram:12"])).permission == ("telegram:12",)


def test_options_of_a_class_tool_are_checked():
    with pytest.raises(ValueError, match=r"Slow: scope='groups'"):
        Registry().register(Slow(), ToolOptions(scope="groups"))


def test_a_class_tool_without_a_description_is_refused_by_its_name():
    class Unfinished(Tool):
        name = "unfinished"

        async def run(self, args, ctx):
            return "done"

    with pytest.raises(TypeError, match="Unfinished is no tool yet; a class tool sets description, parameters"):
        Registry().register(Unfinished())
