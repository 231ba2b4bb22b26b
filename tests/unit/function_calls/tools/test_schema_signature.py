"""Schemas from signatures, and refusals of unsupported signatures."""

import dataclasses
import functools
import math
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, Optional, Unpack

import pytest
import typing_extensions
from pydantic import BaseModel, Field, RootModel
from typing_extensions import TypedDict

from function_calls.tools.declaration.argument_validation import instantiate
from function_calls.tools.declaration.signature import FunctionSignature, analyse
from function_calls.tools.declaration.tool_options import ToolOptions
from function_calls.tools.errors import ArgumentsInvalid, SignatureInvalid


class Context:
    """Stands for what is injected."""


class ChatContext(Context):
    """A kind of it."""


class Args(BaseModel):
    text: str = Field(description="The text.")
    count: int = 1


@dataclasses.dataclass
class Box:
    """A box.

    Attributes:
        width: Its width in cm.
    """

    width: float
    height: float = 1.0


class Options(TypedDict, total=False):
    depth: int


class LimitedOptions(TypedDict):
    depth: typing.NotRequired[Annotated[int, Field(ge=1, description="How deep.")]]
    width: Annotated[typing.NotRequired[int], Field(ge=2)]


class TextOptions(TypedDict):
    depth: "int"
    mode: "typing.NotRequired[str]"


class PlainOptions(typing.TypedDict):
    depth: int
    mode: typing.NotRequired[str]


def call_with(function: Callable[..., Any], arguments: dict[str, Any], **injected: object) -> Any:
    signature = analyse(function, injectable=[Context])
    positional, named = signature.bind(instantiate(signature, arguments), injected)
    return function(*positional, **named)


def properties(signature: FunctionSignature) -> dict[str, Any]:
    found = signature.parameters_schema["properties"]
    assert isinstance(found, dict)
    return found


def test_a_plain_function_gives_the_specifications_schema():
    async def search_web(query: str, max_results: int = 5) -> list[str]:
        """Search the web and return URLs.

        :param query: The search query string
        :param max_results: Maximum number of results to return
        """
        return [query] * max_results

    signature = analyse(search_web)

    assert (signature.name, signature.description) == ("search_web", "Search the web and return URLs.")
    assert signature.parameters_schema == {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "The search query string"},
            "max_results": {"type": "integer", "default": 5, "description": "Maximum number of results to return"},
        },
        "required": ["query"],
        "additionalProperties": False,
    }
    assert (signature.style, signature.is_async) == ("plain", True)


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (str, {"type": "string"}),
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (dict, {"type": "object", "additionalProperties": True}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
    ],
)
def test_types_map_as_the_specification_says(annotation: Any, schema: dict[str, Any]):
    def tool(v, w=None): ...

    tool.__annotations__ = {"v": annotation, "w": Optional[annotation]}  # noqa: UP045 - the form under test
    signature = analyse(tool)

    assert properties(signature) == {"v": schema, "w": schema}
    assert signature.parameters_schema["required"] == ["v"]


def test_optional_parameter_without_a_default_is_not_required():
    def tool(query: str, limit: Optional[int], unit: "str | None") -> tuple:  # noqa: UP045 - the form under test
        return query, limit, unit

    schema = analyse(tool).parameters_schema

    assert schema["required"] == ["query"]
    assert schema["properties"]["limit"] == {"type": "integer"}
    assert call_with(tool, {"query": "tea"}) == ("tea", None, None)


def test_an_argument_model_is_the_whole_schema_and_arrives_as_an_instance():
    def tool(args: Args, ctx: Context) -> tuple[Args, Context]:
        return args, ctx

    context = Context()

    assert set(properties(analyse(tool, injectable=[Context]))) == {"text", "count"}
    assert call_with(tool, {"text": "tea"}, ctx=context) == (Args(text="tea"), context)


def test_root_model_is_an_argument_with_a_name():
    def tool(items: RootModel[list[str]]) -> list[str]:
        return items.root

    assert properties(analyse(tool)) == {"items": {"type": "array", "items": {"type": "string"}}}
    assert call_with(tool, {"items": ["tea"]}) == ["tea"]


def test_a_dataclass_arrives_as_an_instance_and_its_docstring_describes_the_fields():
    def tool(args: Box) -> Box:
        return args

    assert properties(analyse(tool))["width"] == {"type": "number", "description": "Its width in cm."}
    assert call_with(tool, {"width": 2}) == Box(width=2.0)


@pytest.mark.parametrize("kind", [Options, PlainOptions])
def test_a_typed_dictionary_named_args_is_the_whole_schema(kind: type):
    def tool(args): ...

    tool.__annotations__ = {"args": kind}
    signature = analyse(tool)

    assert signature.style == "model"
    assert properties(signature)["depth"] == {"type": "integer"}
    assert instantiate(signature, {"depth": 2}) == {"depth": 2}


def test_a_typed_dictionary_of_another_name_is_one_argument():
    def tool(options: Options) -> Options:
        return options

    assert call_with(tool, {"options": {"depth": 2}}) == {"depth": 2}


def test_keywords_typed_by_unpack_become_optional_arguments():
    def tool(text: str, **options: Unpack[Options]) -> dict[str, Any]:
        return {"text": text, **options}

    assert set(properties(analyse(tool))) == {"text", "depth"}
    assert call_with(tool, {"text": "a"}) == {"text": "a"}
    assert call_with(tool, {"text": "a", "depth": 3}) == {"text": "a", "depth": 3}


def test_unpack_of_typing_extensions_is_read_too():
    def tool(**options: typing_extensions.Unpack[Options]) -> dict[str, Any]:
        return {**options}

    assert call_with(tool, {"depth": 3}) == {"depth": 3}


@pytest.mark.parametrize("arguments", [{"depth": 0}, {"width": 1}])
def test_keywords_typed_by_unpack_keep_their_limits(arguments):
    def tool(**options: Unpack[LimitedOptions]) -> dict[str, Any]:
        return {**options}

    assert call_with(tool, {"depth": 1, "width": 2}) == {"depth": 1, "width": 2}
    assert properties(analyse(tool))["depth"]["description"] == "How deep."
    with pytest.raises(ArgumentsInvalid):
        call_with(tool, arguments)


def test_keyword_typed_by_unpack_as_text_stays_optional():
    def tool(**options: Unpack[TextOptions]) -> dict[str, Any]:
        return {**options}

    assert call_with(tool, {"depth": 1}) == {"depth": 1}


def test_parameters_with_similar_names_are_kept_apart():
    def tool(_x: int, __x: int, x: int, argument_x: int, argument_copy: int, copy: int) -> tuple[int, ...]:
        return (_x, __x, x, argument_x, argument_copy, copy)

    values = {"_x": 1, "__x": 2, "x": 3, "argument_x": 4, "argument_copy": 5, "copy": 6}

    assert set(properties(analyse(tool))) == set(values)
    assert call_with(tool, values) == (1, 2, 3, 4, 5, 6)


def test_injected_parameters_are_found_by_class_and_never_shown():
    def tool(text: str, ctx: ChatContext, maybe: Context | None = None) -> object:
        return ctx

    signature = analyse(tool, injectable=[Context])
    context = ChatContext()

    assert set(properties(signature)) == {"text"}
    assert signature.injected == {"ctx": ChatContext, "maybe": Context}
    assert call_with(tool, {"text": "a"}, ctx=context) is context


def test_a_bound_method_is_a_tool_without_self():
    class Greeter:
        word = "hello"

        def greet(self, name: str) -> str:
            return f"{self.word} {name}"

    assert call_with(Greeter().greet, {"name": "Ann"}) == "hello Ann"


def test_an_object_that_can_be_called_and_a_partial_are_tools():
    class Adder:
        async def __call__(self, a: int, b: int) -> int:
            return a + b

    def power(base: int, exponent: int) -> int:
        return base**exponent

    assert analyse(Adder()).name == "Adder"
    assert analyse(Adder()).is_async
    assert call_with(functools.partial(power, exponent=2), {"base": 3}) == 9


def test_omitted_argument_has_the_default_of_the_function():
    class NotGiven:
        pass

    nothing = NotGiven()

    def tool(a: int = Field(5, ge=1), b: str | NotGiven = nothing, c: str = None) -> tuple[Any, ...]:  # noqa: RUF013 - the form under test
        return a, b, c

    assert call_with(tool, {}) == (5, nothing, None)
    assert properties(analyse(tool)) == {
        "a": {"type": "integer", "minimum": 1, "default": 5},
        "b": {"type": "string"},
        "c": {"type": "string"},
    }


def test_names_reserved_by_pydantic_are_ordinary_arguments():
    def tool(copy: bool, schema: str, _hidden: int, model_config: str = "x") -> tuple[Any, ...]:
        return copy, schema, _hidden, model_config

    assert list(properties(analyse(tool))) == ["copy", "schema", "_hidden", "model_config"]
    assert call_with(tool, {"copy": True, "schema": "s", "_hidden": 1}) == (True, "s", 1, "x")


def test_description_of_a_parameter_precedes_docstring_and_class():
    def tool(a: Annotated[str, Field(description="said here")], b: Box, c: int) -> None:
        """Do it.

        Args:
            a: In the docstring.
            b: The big box.
            c: A number.
        """

    schemas = properties(analyse(tool))

    assert [schemas[name]["description"] for name in "abc"] == ["said here", "The big box.", "A number."]


def test_a_bare_text_in_the_annotation_is_a_description_too():
    def tool(a: Annotated[int, "How many."]) -> None: ...

    assert properties(analyse(tool))["a"] == {"type": "integer", "description": "How many."}


def test_option_with_a_meaning_of_null_keeps_null():
    def tool(limit: int | None = 5, place: str | None = None) -> None: ...

    assert properties(analyse(tool)) == {
        "limit": {"type": ["integer", "null"], "default": 5},
        "place": {"type": "string"},
    }


def test_name_and_description_can_be_given():
    def tool(a: int) -> None:
        """Inner words."""

    signature = analyse(tool, options=ToolOptions(name="better-name", description="Better words."))

    assert (signature.name, signature.description) == ("better-name", "Better words.")


def star(*values: int) -> None: ...
def keywords(**values: int) -> None: ...
def positional(a: int, /) -> None: ...
def unsayable(a: int, b: Callable[[], int]) -> None: ...
def keyed_by_truth(a: dict[bool, int]) -> None: ...
def unknown_class(a: "Nowhere") -> None: ...  # noqa: F821 - the fault under test
def untyped_context(a: int, ctx) -> None: ...
def unknown_service(a: int, context: Context) -> None: ...
def unknown_attribute(a: "math.nothing") -> None: ...
def broken_text(a: "list[int") -> None: ...  # noqa: F722 - the fault under test
def unpacked_class(**options: Unpack[int]) -> None: ...  # type: ignore[misc]  # the fault under test
def empty_choice(a: Literal[()]) -> None: ...  # type: ignore[valid-type]  # the fault under test
def generator(a: int) -> Any:
    yield a


@pytest.mark.parametrize(
    ("function", "parameter", "fix"),
    [
        (star, "values", "list"),
        (keywords, "values", "Unpack"),
        (positional, "a", "'/'"),
        (unsayable, "b", "Literal"),
        (keyed_by_truth, "a", "Literal"),
        (unknown_class, "a", "Import"),
        (untyped_context, "ctx", "ctx: CallContext"),
        (unknown_service, "context", "add.services.append"),
        (unknown_attribute, "", "types"),
        (broken_text, "", "types"),
        (unpacked_class, "", "types"),
        (empty_choice, "", "types"),
        (generator, "", "Return"),
        (lambda a: a, "", "name="),
    ],
)
def test_invalid_signature_is_refused_with_file_line_parameter_and_correction(
    function: Callable[..., Any], parameter: str, fix: str
):
    with pytest.raises(SignatureInvalid) as error:
        analyse(function)

    assert error.value.parameter == parameter
    assert fix in error.value.fix
    assert Path(error.value.file).name == Path(__file__).name
    assert error.value.line == function.__code__.co_firstlineno
    assert f":{error.value.line}:" in str(error.value)


@pytest.mark.parametrize("value", [int, math.hypot, 3, None])
def test_value_without_a_readable_signature_is_refused(value: Any):
    with pytest.raises(SignatureInvalid, match="write a function with typed parameters"):
        analyse(value)


def test_the_second_check_names_every_wrong_field():
    def tool(args: Args) -> None: ...

    with pytest.raises(ArgumentsInvalid) as raised:
        instantiate(analyse(tool), {"count": "many"})

    assert [error.pointer for error in raised.value.errors] == ["/text", "/count"]
