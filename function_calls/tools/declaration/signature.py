"""Analyse a function when it is registered: its schema, argument class and injected parameters."""

import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from types import CodeType
from typing import Literal

from msgspec import Struct
from pydantic import BaseModel, TypeAdapter

from function_calls.tools.calls import MAX_NAME_LENGTH, TOOL_NAME
from function_calls.tools.declaration.option_checks import check_options
from function_calls.tools.declaration.parameters import (
    OMITTED,
    Fault,
    Parameter,
    argument_class,
    is_argument_model,
    plain_model,
    read_parameters,
)
from function_calls.tools.declaration.tool_options import NO_OPTIONS, ToolOptions
from function_calls.tools.errors import SignatureInvalid
from function_calls.tools.validation.docstrings import Docstring, parse_docstring
from function_calls.tools.validation.schema import add_descriptions, drop_null, drop_private_keys
from function_calls.tools.validation.schema_validator import SchemaValidator
from function_calls.tools.validation.schema_walk import Schema

Style = Literal["model", "plain"]

_FIX = "Correct its types, or write a function with typed parameters around it."


class FunctionSignature(Struct, frozen=True, kw_only=True):
    """The analysed signature of a function.

    Attributes:
        parameters_schema: the schema for models.
        validator: the first validation.
        check_json: the second validation, from JSON to an instance of the argument class, which is that of the
            function, or made for its parameters.
        style: `model` for one argument model in the parameter `model_parameter`, `plain` for typed parameters.
        injected: the classes of injected parameters by name.
    """

    name: str
    description: str
    parameters_schema: Schema
    validator: SchemaValidator
    check_json: Callable[..., object]
    style: Style
    model_parameter: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    """Parameter name and the field of the argument class that holds it, for the plain style."""
    injected: Mapping[str, type]
    is_async: bool

    def bind(self, arguments: object, injected: Mapping[str, object]) -> tuple[tuple[object, ...], dict[str, object]]:
        """Return the positional and keyword arguments of the function.

        `arguments` is an instance of the argument class, `injected` the values of the injected parameters by name.
        """
        if self.style == "model":
            return (), {self.model_parameter: arguments, **injected}
        values = {name: getattr(arguments, field) for name, field in self.fields}
        return (), {**{name: value for name, value in values.items() if value is not OMITTED}, **injected}


def analyse(
    function: Callable[..., object],
    *,
    injectable: Collection[type] = (),
    options: ToolOptions = NO_OPTIONS,
) -> FunctionSignature:
    """Analyse a plain, async or bound function with an argument model or typed parameters.

    Parameters annotated with one of the `injectable` classes (or a subclass) are not in the schema.

    Raises:
        SignatureInvalid: the function cannot be a tool, with the place, the reason and the fix.
    """
    docs = parse_docstring(inspect.getdoc(_core(function)))
    try:
        called = _check_name(options.name or _name_of(function))
        _refuse_generators(function)
        parameters, injected = read_parameters(function, injectable)
        style: Style = "model" if len(parameters) == 1 and is_argument_model(parameters[0]) else "plain"
        model, bare = argument_class(parameters[0]) if style == "model" else plain_model(called, parameters)
        schema = _add_descriptions(bare, model, style, parameters, docs)
        validator = SchemaValidator(schema, check_formats=True, is_sound=True)
        check_options(options, schema)
    except Fault as fault:
        raise signature_error(function, fault) from fault
    except Exception as error:  # annotations and defaults are expressions of the author, and raise any error
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise signature_error(function, Fault("", reason, _FIX)) from error
    return FunctionSignature(
        name=called,
        description=options.description or docs.description,
        parameters_schema=drop_private_keys(schema),
        validator=validator,
        check_json=_check_of(model),
        style=style,
        model_parameter=parameters[0].name if style == "model" else "",
        fields=tuple((parameter.name, parameter.field) for parameter in parameters) if style == "plain" else (),
        injected=injected,
        is_async=inspect.iscoroutinefunction(_core(function)),
    )


def _add_descriptions(
    schema: Schema, model: type, style: Style, parameters: list[Parameter], docs: Docstring
) -> Schema:
    if style == "model" or not issubclass(model, BaseModel):
        return add_descriptions(schema, {**parse_docstring(model.__doc__).parameters, **docs.parameters}, keep=True)
    fields = model.model_fields
    shown = {parameter.name: fields[parameter.field].alias or parameter.name for parameter in parameters}
    # Field(description=…) at the parameter takes precedence over the docstring; the text of a nested model does not.
    silent = [parameter.name for parameter in parameters if fields[parameter.field].description is None]
    texts = {shown[name]: docs.parameters.get(name, "") for name in silent}
    absent = [shown[parameter.name] for parameter in parameters if parameter.is_absent_by_default]
    return drop_null(add_descriptions(schema, texts, keep=False), absent)


def _check_of(model: type) -> Callable[..., object]:
    if issubclass(model, BaseModel):
        return model.__pydantic_validator__.validate_json
    return TypeAdapter(model).validator.validate_json


def _check_name(name: str) -> str:
    if not TOOL_NAME.fullmatch(name):
        raise Fault(
            "",
            f"'{name}' cannot be the name of a tool",
            f"Give name= with at most {MAX_NAME_LENGTH} of a-z, A-Z, 0-9, '_' and '-'.",
        )
    return name


def _refuse_generators(function: Callable[..., object]) -> None:
    core = _core(function)
    if inspect.isgeneratorfunction(core) or inspect.isasyncgenfunction(core):
        raise Fault("", "it is a generator", "Return the whole result instead of yielding it.")


def _core(function: Callable[..., object]) -> Callable[..., object]:
    """Return the function behind a `partial` or an object with `__call__`."""
    while isinstance(function, functools.partial):
        function = function.func
    if inspect.isroutine(function) or isinstance(function, type):
        return function
    return type(function).__call__ if not hasattr(function, "__code__") else function


def names_attribute(function: Callable[..., object], name: str) -> bool:
    """Return whether the code of `function`, or of a function inside it, uses an attribute called `name`."""
    code = getattr(inspect.unwrap(_core(function)), "__code__", None)
    waiting = [code] if isinstance(code, CodeType) else []
    while waiting:
        code = waiting.pop()
        if name in code.co_names:
            return True
        waiting += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return False


def _name_of(function: Callable[..., object]) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    return str(getattr(function, "__name__", type(function).__name__))


def signature_error(function: Callable[..., object], fault: Fault) -> SignatureInvalid:
    """Create the error for `fault` with the file and line of `function`."""
    core = inspect.unwrap(_core(function))
    code = getattr(core, "__code__", None)
    return SignatureInvalid(
        function=_name_of(function),
        file=getattr(code, "co_filename", "<unknown>"),
        line=getattr(code, "co_firstlineno", 0),
        parameter=fault.parameter,
        problem=fault.problem,
        fix=fault.fix,
    )
