"""Contract checks of tools."""

from datetime import date
from enum import Enum
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field, field_validator

from bot.app.registry import built_in_registry
from bot.testing.tool_contracts import assert_tool_contract
from function_calls import handlers
from function_calls.registry import tool_function
from function_calls.tools.context import CallContext
from function_calls.tools.declaration.class_tools import Tool

BUILT_IN = [
    handlers.reminder_set,
    handlers.reminder_list,
    handlers.reminder_delete,
    handlers.perplexity_search,
    handlers.summary,
]


QUERY_SCHEMA = {
    "type": "object",
    "properties": {"sql": {"type": "string", "minLength": 3}},
    "required": ["sql"],
    "additionalProperties": False,
}


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Place(BaseModel):
    city: str
    zone: str | None = None


@pytest.mark.parametrize("tool", BUILT_IN, ids=lambda tool: tool.__name__)
def test_the_built_in_functions_keep_their_contracts(tool):
    assert_tool_contract(tool, injectable=built_in_registry().injectable)


def test_a_function_with_every_kind_of_parameter_keeps_its_contract():
    @tool_function(name="travel")
    def travel(
        place: Place,
        day: date,
        nights: Annotated[int, Field(ge=1, le=30)],
        *,
        colour: Colour = Colour.RED,
        kind: Literal["train", "boat"] = "train",
        stops: list[str] | None = None,
        budget: float | None = None,
    ) -> str:
        """Plan a journey."""
        raise AssertionError("a contract runs no tool")

    assert_tool_contract(travel)


async def test_contract_may_be_asserted_in_an_async_test():
    def greet(name: str, ctx: CallContext) -> str:
        """Greet somebody."""
        raise AssertionError("a contract runs no tool")

    assert_tool_contract(greet)


def test_contract_of_an_admin_function_is_checked_too():
    @tool_function(permission="admins", scope="group")
    def clean(days: int) -> str:
        """Clean up."""
        raise AssertionError("a contract runs no tool")

    assert_tool_contract(clean)


def test_a_class_tool_keeps_its_contract():
    class Query(Tool):
        name = "query"
        description = "Query."
        parameters = QUERY_SCHEMA

        async def run(self, args, ctx):
            raise AssertionError("a contract runs no tool")

    assert_tool_contract(Query())


def test_class_that_refuses_valid_arguments_breaks_the_contract():
    class EvenArgs(BaseModel):
        number: int

        @field_validator("number")
        @classmethod
        def is_even(cls, value: int) -> int:
            if value % 2:
                raise ValueError("must be even")
            return value

    def halve(args: EvenArgs) -> int:
        """Halve a number."""
        return args.number // 2

    with pytest.raises(AssertionError, match=r"halve: the schema accepts (.|\n)*must be even"):
        assert_tool_contract(halve)


def test_class_that_accepts_invalid_arguments_breaks_the_contract():
    class LooseArgs(BaseModel):
        name: str = Field(json_schema_extra={"maxLength": 2})

    def call(args: LooseArgs) -> str:
        """Call somebody."""
        return args.name

    with pytest.raises(AssertionError, match=r"call: the schema refuses .* and the argument class takes it"):
        assert_tool_contract(call)


def test_arguments_that_cannot_be_guessed_are_given_as_examples():
    def call(code: Annotated[str, Field(pattern="^Z[0-9]{9}$")]) -> str:
        """Call a number."""
        return code

    with pytest.raises(AssertionError, match="give some as examples"):
        assert_tool_contract(call)

    assert_tool_contract(call, examples=[{"code": "Z123456789"}])
