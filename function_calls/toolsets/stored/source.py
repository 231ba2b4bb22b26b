"""Parse a tool's source without running it: front matter, functions, schemas and settings.

Two forms are supported: a class `Tools` with typed, documented methods and `Valves`, as in Open WebUI, and functions
with `@tool_function`.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct, field

from function_calls.tools.errors import SchemaInvalid
from function_calls.tools.validation.docstrings import parse_docstring
from function_calls.tools.validation.schema_walk import Schema
from function_calls.toolsets.openapi.bundle import safe_schema
from function_calls.toolsets.openapi.document import DocumentInvalid
from function_calls.toolsets.openapi.texts import sanitize_description
from function_calls.toolsets.stored.annotations import AnnotationReader, last_name, literal

MAX_SOURCE_LENGTH: Final = 200_000  # characters
_FRONT_MATTER: Final = re.compile(r"^\s*([A-Za-z][\w -]*):\s*(.*)$")
_NAME: Final = re.compile(r"[A-Za-z0-9_]{1,64}")
_MARK: Final = "tool_function"
_GIVEN: Final = frozenset({"CallContext", "ToolContext"})
_GIVEN_NAME: Final = "tool_context"
_ATTRIBUTES: Final = ("name", "description")

Function = ast.FunctionDef | ast.AsyncFunctionDef


class SourceInvalid(ValueError):
    """The source is not that of a tool. `line` counts from 1; 0 is the whole source."""

    def __init__(self, problem: str, line: int = 0) -> None:
        super().__init__(f"line {line}: {problem}" if line else problem)
        self.problem = problem
        self.line = line


class StoredFunction(Struct, frozen=True, kw_only=True):
    """A function of a source. `attribute` is its name in the source, `model` the class of its only argument."""

    name: str
    attribute: str
    description: str
    parameters: Schema
    is_method: bool
    model: str = ""
    changes_state: bool = False
    confirm: bool = False


class ParsedSource(Struct, frozen=True, kw_only=True):
    """A parsed source with its metadata; `valves` is the schema of its settings, None without any."""

    functions: tuple[StoredFunction, ...]
    meta: Mapping[str, str] = field(default_factory=dict)
    valves: Schema | None = None


def read_source(text: str) -> ParsedSource:
    """Parse the source of a tool.

    Raises:
        SourceInvalid: it is not valid Python, or has no functions.
    """
    if len(text) > MAX_SOURCE_LENGTH:
        raise SourceInvalid(f"longer than {MAX_SOURCE_LENGTH} characters")
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise SourceInvalid(str(error.msg), error.lineno or 0) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise SourceInvalid("cannot be read as Python") from error
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    reader = _Reader(AnnotationReader(classes), classes)
    functions = tuple(reader.functions(tree))
    if not functions:
        raise SourceInvalid("neither a class Tools with public methods nor a function under @tool_function")
    _refuse_duplicates(functions)
    return ParsedSource(functions=functions, meta=_meta(tree), valves=reader.valves())


class _Reader:
    def __init__(self, annotations: AnnotationReader, classes: Mapping[str, ast.ClassDef]) -> None:
        self._annotations = annotations
        self._classes = classes

    def functions(self, tree: ast.Module) -> Iterator[StoredFunction]:
        tools = self._classes.get("Tools")
        for node in [] if tools is None else tools.body:
            if isinstance(node, Function) and not node.name.startswith("_"):
                yield self._function(node, is_method=True)
        for node in tree.body:
            if isinstance(node, Function) and _mark(node) is not None:
                yield self._function(node, is_method=False)

    def valves(self) -> Schema | None:
        """Return the schema of the settings: `Tools.Valves`, or a class `Valves` of the module."""
        tools = self._classes.get("Tools")
        inner = [node for node in ([] if tools is None else tools.body) if isinstance(node, ast.ClassDef)]
        found = next((node for node in inner if node.name == "Valves"), self._classes.get("Valves"))
        return None if found is None else _safe(self._annotations.model(found), found.lineno)

    def _function(self, node: Function, *, is_method: bool) -> StoredFunction:
        options = _options(node)
        name = str(options.get("name") or node.name)
        if not _NAME.fullmatch(name):
            raise SourceInvalid(f"{name!r} cannot be a tool's name", node.lineno)
        docs = parse_docstring(ast.get_docstring(node, clean=False))
        description = sanitize_description(options.get("description")) or sanitize_description(docs.description)
        if not description:
            raise SourceInvalid(f"{node.name} needs a docstring: it is what a model is told", node.lineno)
        model, schema = self._arguments(node, docs.parameters, is_method=is_method)
        return StoredFunction(
            name=name,
            attribute=node.name,
            description=description,
            parameters=_safe(schema, node.lineno),
            is_method=is_method,
            model=model,
            changes_state=options.get("changes_state") is True,
            confirm=options.get("confirm") is True,
        )

    def _arguments(self, node: Function, texts: Mapping[str, str], *, is_method: bool) -> tuple[str, Schema]:
        """Return the class of the only argument, if it is a model, and the schema of all arguments."""
        if node.args.vararg or node.args.kwarg or node.args.posonlyargs:
            raise SourceInvalid(f"{node.name} takes *args, **kwargs or arguments without names", node.lineno)
        listed = [parameter for parameter in _parameters(node, is_method=is_method) if not _is_injected(parameter[0])]
        if len(listed) == 1 and listed[0][0].annotation is not None:
            model = self._classes.get(last_name(listed[0][0].annotation))
            if model is not None:
                return model.name, self._annotations.model(model)
        properties: dict[str, object] = {}
        required = []
        for argument, default in listed:
            schema, is_required = self._annotations.field(argument.annotation, default)
            text = texts.get(argument.arg)
            properties[argument.arg] = schema | {"description": text} if text else schema
            required += [argument.arg] if is_required else []
        return "", {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        }


def _parameters(node: Function, *, is_method: bool) -> list[tuple[ast.arg, ast.expr | None]]:
    own = node.args.args[1:] if is_method else node.args.args
    missing = len(node.args.args) - len(node.args.defaults)
    defaults = [None] * missing + list(node.args.defaults)
    plain = list(zip(own, defaults[1:] if is_method else defaults, strict=True))
    return [*plain, *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)]


def _is_injected(argument: ast.arg) -> bool:
    """Return whether the bot injects the parameter: `__user__` and similar, or a context."""
    is_annotated = argument.annotation is not None and last_name(argument.annotation) in _GIVEN
    is_context = is_annotated or argument.arg == _GIVEN_NAME
    return is_context or (argument.arg.startswith("__") and argument.arg.endswith("__"))


def _mark(node: Function) -> ast.expr | None:
    """Return the decorator `@tool_function`, with or without options."""
    for decorator in node.decorator_list:
        if last_name(decorator.func if isinstance(decorator, ast.Call) else decorator) == _MARK:
            return decorator
    return None


def _options(node: Function) -> dict[str, object]:
    """Return the options of `@tool_function(…)` that are literals."""
    mark = _mark(node)
    keywords = mark.keywords if isinstance(mark, ast.Call) else []
    return {keyword.arg: literal(keyword.value) for keyword in keywords if keyword.arg}


def _safe(schema: Schema, line: int) -> Schema:
    try:
        return safe_schema(schema)
    except (SchemaInvalid, DocumentInvalid) as error:
        raise SourceInvalid(f"its arguments cannot be a schema: {error}", line) from error


def _meta(tree: ast.Module) -> dict[str, str]:
    """Return the front matter, with `name` and `description` of the module and `__tool_code__`, if they are strings.

    Assignments in the source override the front matter, and `__tool_code__` overrides both.
    """
    values = dict(_module_literals(tree))
    code = values.get("__tool_code__")
    declared = {key: values.get(key) for key in _ATTRIBUTES} | (code if isinstance(code, dict) else {})
    texts = {str(key): sanitize_description(value, 500) for key, value in declared.items() if isinstance(value, str)}
    title = {"title": texts["name"]} if texts.get("name") else {}
    return _front_matter(ast.get_docstring(tree)) | texts | title


def _module_literals(tree: ast.Module) -> Iterator[tuple[str, object]]:
    """Yield the literals that the module assigns to names."""
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        value = getattr(node, "value", None)
        for target in targets:
            if isinstance(target, ast.Name) and isinstance(value, ast.expr):
                yield target.id, literal(value)


def _front_matter(docstring: str | None) -> dict[str, str]:
    """Parse `title: …`, `author: …`, `version: …`, `requirements: …` at the top; requirements are not installed."""
    found = (_FRONT_MATTER.match(line) for line in (docstring or "").splitlines())
    return {match[1].strip().lower(): sanitize_description(match[2], 500) for match in found if match}


def _refuse_duplicates(functions: tuple[StoredFunction, ...]) -> None:
    seen: set[str] = set()
    for function in functions:
        if function.name in seen:
            raise SourceInvalid(f"two functions are called {function.name}")
        seen.add(function.name)
