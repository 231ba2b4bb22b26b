"""Read a function's parameters, and make the class that validates their arguments."""

import dataclasses
import functools
import inspect
import types
from collections.abc import Callable, Collection
from typing import (
    Annotated,
    Any,
    Final,
    NotRequired,
    Optional,
    Required,
    Union,
    Unpack,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field, RootModel, create_model
from pydantic.errors import PydanticUndefinedAnnotation, PydanticUserError
from pydantic.fields import FieldInfo
from typing_extensions import TypedDict, is_typeddict
from typing_extensions import Unpack as UnpackOfExtensions

from function_calls.tools.context import CallContext
from function_calls.tools.validation.schema import model_schema
from function_calls.tools.validation.schema_walk import Schema

OMITTED: Final = object()
"""The value of a parameter for which the function's default is used."""

_MODEL_NAMES: Final = frozenset({"args", "arguments", "params", "parameters"})
_KINDS: Final = {
    inspect.Parameter.POSITIONAL_ONLY: (
        "is positional-only, and calls are made by name",
        "Move it behind the '/' in the signature.",
    ),
    inspect.Parameter.VAR_POSITIONAL: (
        "takes any number of positional arguments, which a schema cannot name",
        "Use one parameter of type list[...] instead.",
    ),
    inspect.Parameter.VAR_KEYWORD: (
        "takes arguments of any name, which a schema cannot list",
        "Name the parameters, or annotate it with Unpack[SomeTypedDict].",
    ),
}
_CONTEXT_NAMES: Final = frozenset({"ctx", "context"})
_INJECTED_NAME: Final = "tool_context"
_FIX_OF_TYPE: Final = (
    "Use str, int, float, bool, list, dict, Literal, Enum, a date or time, or a model of these (TypedDict from"
    " typing_extensions). An object is given to tools by Agent(deps=…), add.services.append(…) in a plugin, or"
    " build_app(services=…)."
)


class Fault(Exception):
    """The reason why a function cannot be a tool, without file and line."""

    def __init__(self, parameter: str, problem: str, fix: str) -> None:
        super().__init__(problem)
        self.parameter = parameter
        self.problem = problem
        self.fix = fix


class Parameter(Struct, frozen=True, kw_only=True):
    """A parameter for a model. `field` is its field in the argument class of the plain style."""

    name: str
    field: str
    annotation: Any
    default: object = inspect.Parameter.empty

    @property
    def is_required(self) -> bool:
        """Return whether a call must have it."""
        return self.default is inspect.Parameter.empty

    @property
    def is_absent_by_default(self) -> bool:
        """Return whether the default is None; then the schema has the type without null."""
        default = self.default.default if isinstance(self.default, FieldInfo) else self.default
        return default is None


def read_parameters(
    function: Callable[..., object], injectable: Collection[type]
) -> tuple[list[Parameter], dict[str, type]]:
    """Return the parameters for a model, and the classes of the injected ones by name.

    A parameter called `tool_context` is injected without an annotation.

    Raises:
        Fault: a parameter is invalid.
    """
    bound = function.keywords if isinstance(function, functools.partial) else {}
    hints = _hints(function)
    parameters: list[Parameter] = []
    injected: dict[str, type] = {}
    for name, found in inspect.signature(function).parameters.items():
        if name in bound:
            continue
        if name not in hints and name in _CONTEXT_NAMES:
            raise Fault(name, "has no type, so a model would be asked for it", f"Write {name}: CallContext.")
        annotation = hints.get(name, Any)
        kind = CallContext if name == _INJECTED_NAME else _injected_class(annotation, injectable)
        if kind is not None:
            injected[name] = kind
        elif found.kind is inspect.Parameter.VAR_KEYWORD and get_origin(annotation) in (Unpack, UnpackOfExtensions):
            parameters += _unpack_options(get_args(annotation)[0])
        elif found.kind in _KINDS:
            raise Fault(name, *_KINDS[found.kind])
        else:
            parameters.append(_parameter(name, annotation, found.default))
    return parameters, injected


def is_argument_model(parameter: Parameter) -> bool:
    """Return whether a parameter has all arguments: a required Pydantic model or dataclass, or a TypedDict `args`.

    A TypedDict may also be the type of one argument, so the name of the parameter decides. A `RootModel` is one value
    without a name.
    """
    kind = _drop_annotated(parameter.annotation)
    if not parameter.is_required or not isinstance(kind, type):
        return False
    if is_typeddict(kind):
        return parameter.name in _MODEL_NAMES
    return (issubclass(kind, BaseModel) and not issubclass(kind, RootModel)) or dataclasses.is_dataclass(kind)


def argument_class(parameter: Parameter) -> tuple[type, Schema]:
    """Return the class of an argument model, readable for Pydantic, and its schema.

    Raises:
        Fault: a field has an unsupported type.
    """
    kind = _readable(_drop_annotated(parameter.annotation))
    return kind, _schema_of(parameter.name, kind)


def plain_model(name: str, parameters: list[Parameter]) -> tuple[type[BaseModel], Schema]:
    """Return a model with one field for each parameter, and its schema.

    Raises:
        Fault: a parameter has an unsupported type.
    """
    fields: dict[str, Any] = {parameter.field: _field(parameter) for parameter in parameters}
    try:
        model = create_model(name, __config__=ConfigDict(protected_namespaces=(), extra="forbid"), **fields)
        return model, model_schema(model)
    except (PydanticUserError, ImportError):
        for parameter in parameters:
            _schema_of(parameter.name, parameter.annotation)
        raise


def _hints(function: Callable[..., object]) -> dict[str, Any]:
    while isinstance(function, functools.partial):
        function = function.func
    called = function if inspect.isroutine(function) else type(function).__call__
    try:
        return get_type_hints(called, include_extras=True)
    except NameError as error:
        parameter = next((key for key, text in called.__annotations__.items() if str(error.name) in str(text)), "")
        raise Fault(
            parameter, f"its annotation names '{error.name}', which is not there", "Import or define it in the module."
        ) from error


def _parameter(name: str, annotation: Any, default: object) -> Parameter:
    if default is inspect.Parameter.empty and type(None) in _arms(_drop_annotated(annotation)):
        default = None
    if default is None and not _admits_none(annotation):
        annotation = Optional[annotation]  # noqa: UP045 - the annotation is a value here
    if default is not inspect.Parameter.empty:
        annotation = _drop_sentinel(annotation, default)
    return Parameter(name=name, field=_field_name(name), annotation=annotation, default=default)


def _field(parameter: Parameter) -> tuple[Any, Any]:
    default = parameter.default
    annotation = _apply_text_note(parameter.annotation)
    alias = parameter.name if parameter.field != parameter.name else None
    if isinstance(default, FieldInfo):
        return Annotated[annotation, Field(alias=alias)] if alias else annotation, default
    if parameter.is_required:
        return annotation, Field(alias=alias)
    if default is OMITTED or _is_sentinel(default):
        return annotation, Field(default_factory=lambda: OMITTED, alias=alias)
    return annotation, Field(default=default, alias=alias)


def _apply_text_note(annotation: Any) -> Any:
    """Use the text of `Annotated[int, "How many."]` as the description, like other frameworks."""
    notes = getattr(annotation, "__metadata__", ())
    text = next((note for note in notes if isinstance(note, str)), None)
    if text is None or any(isinstance(note, FieldInfo) and note.description for note in notes):
        return annotation
    return Annotated[annotation, Field(description=text)]


def _field_name(name: str) -> str:
    """Return the name of the field, which differs if Pydantic reserves the name of the parameter.

    Different parameters have different fields.
    """
    return f"argument_{name}" if name.startswith(("_", "argument_")) or hasattr(BaseModel, name) else name


def _unpack_options(options: Any) -> list[Parameter]:
    required = options.__required_keys__  # which do not know the qualifiers of annotations that are text
    parameters = []
    for name, hint in get_type_hints(options, include_extras=True).items():
        annotation, is_required = _drop_qualifier(hint, is_required=name in required)
        default = inspect.Parameter.empty if is_required else OMITTED
        parameters.append(Parameter(name=name, field=_field_name(name), annotation=annotation, default=default))
    return parameters


def _drop_qualifier(hint: Any, *, is_required: bool) -> tuple[Any, bool]:
    """Return the type of a key of a TypedDict without `Required` or `NotRequired`, and whether it is required."""
    origin = get_origin(hint)
    if origin in (Required, NotRequired):
        return _drop_qualifier(get_args(hint)[0], is_required=origin is Required)
    if origin is Annotated:
        inner, *notes = get_args(hint)
        annotation, is_required = _drop_qualifier(inner, is_required=is_required)
        return Annotated[(annotation, *notes)], is_required
    return hint, is_required


def _injected_class(annotation: Any, injectable: Collection[type]) -> type | None:
    for arm in _arms(_drop_annotated(annotation)):
        kind = get_origin(arm) or arm
        if isinstance(kind, type) and any(wanted in kind.__mro__ for wanted in injectable):
            return kind
    return None


def _drop_sentinel(annotation: Any, default: object) -> Any:
    """Return the type without its sentinel: `str` for `Union[str, NotGiven] = NOT_GIVEN`."""
    arms = _arms(annotation)
    if len(arms) < 2 or not _is_sentinel(default):
        return annotation
    remaining = [arm for arm in arms if not (isinstance(arm, type) and isinstance(default, arm))]
    return Union[tuple(remaining)] if remaining else annotation  # noqa: UP007 - the annotation is a value here


def _is_sentinel(default: object) -> bool:
    """Return whether a default is a sentinel for "not given", which is no possible argument."""
    if default is None or isinstance(default, FieldInfo) or type(default).__module__ == "builtins":
        return False
    try:
        model_schema(type(default))
    except PydanticUserError:
        return True
    return False


def _schema_of(name: str, annotation: Any) -> Schema:
    try:
        return model_schema(annotation)
    except ImportError as error:
        raise Fault(name, f"its type needs a package that is missing ({error})", "Install it.") from error
    except PydanticUndefinedAnnotation as error:
        raise Fault(name, f"its type names '{error.name}', which is not there", "Import or define it.") from error
    except PydanticUserError as error:
        kind = getattr(annotation, "__name__", None) or str(annotation)
        raise Fault(name, f"{kind} has no JSON Schema and is no known service", _FIX_OF_TYPE) from error


def _readable(kind: type) -> type:
    """Convert `typing.TypedDict` to the form that Pydantic needs before Python 3.12."""
    if not is_typeddict(kind) or type(kind).__module__ != "typing":
        return kind
    required: frozenset[str] = getattr(kind, "__required_keys__", frozenset())
    wrapped: dict[str, object] = {
        name: Required[hint] if name in required else NotRequired[hint]
        for name, hint in get_type_hints(kind, include_extras=True).items()
    }
    make = cast("Callable[[str, dict[str, object]], type]", TypedDict)
    made = make(kind.__name__, wrapped)
    made.__doc__ = kind.__doc__
    return made


def _drop_annotated(annotation: Any) -> Any:
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _arms(annotation: Any) -> tuple[Any, ...]:
    is_union = get_origin(annotation) in (Union, types.UnionType)
    return tuple(arm for part in get_args(annotation) for arm in _arms(part)) if is_union else (annotation,)


def _admits_none(annotation: Any) -> bool:
    arms = _arms(_drop_annotated(annotation))
    return annotation is Any or type(None) in arms or Any in arms
