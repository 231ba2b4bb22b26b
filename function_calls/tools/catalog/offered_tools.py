"""Prepare a set of tools for a model: serialised, with compiled validators, and found by inexact names."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property

from function_calls.tools.calls import ToolSpec
from function_calls.tools.declaration.argument_validation import validator_of
from function_calls.tools.validation.relaxed_json import read_object
from function_calls.tools.validation.schema_validator import SchemaValidator
from function_calls.tools.validation.schema_walk import properties_of, required_of
from services.kernel.text import closest_names

_AFTER_THE_NAME = r"<\||[(\[（]"  # special tokens of gpt-oss, or the brackets of a call
_NUMBER = r":\d+\Z"  # Kimi counts its calls there
_PREFIX = r"[.:/]|__"
_SERVER_MARK = "__"
_NO_SERVERS = frozenset({"mcp", "functions", "tools", "default_api"})  # prefixes of models
_WORD = r"[A-Z]?[^\W_A-Z]+|[A-Z]+(?![^\W_A-Z])"
_NEAREST = 3
_MIN_ARGUMENTS = 2  # that identify a tool without its name


def find_name(name: str, names: Collection[str]) -> str | None:
    """Return the only one of `names` that matches `name` inexactly; None without any or with several."""
    if name in names:
        return name
    bare, same = _bare(name), [known for known in names if not _are_of_different_servers(name, known)]
    return _only(same, bare, _letters) or _only(same, bare, _words)


def _are_of_different_servers(name: str, known: str) -> bool:
    """Return whether both names begin with a tool server, and not with the same."""
    given = {*re.split(_PREFIX, name.casefold())[:-1]} - _NO_SERVERS
    server = known.casefold().split(_SERVER_MARK)[-2:-1]
    return bool(given and server) and given.isdisjoint(server)


def _only(names: Iterable[str], bare: str, form: Callable[[str], str]) -> str | None:
    wanted = form(bare)
    found = [known for known in names if wanted and form(_bare(known)) == wanted]
    return found[0] if len(found) == 1 else None


def _bare(name: str) -> str:
    """Return `name` without special tokens and brackets around it."""
    cut = re.sub(_NUMBER, "", re.split(_AFTER_THE_NAME, name.strip(), maxsplit=1)[0].strip())
    return re.split(_PREFIX, cut)[-1]


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", name.casefold())


def _words(name: str) -> str:
    """Return the words of a name, sorted: `set_reminder` equals `reminder_set`."""
    words = re.findall(_WORD, name)
    return " ".join(sorted(word.casefold() for word in words)) if len(words) > 1 else ""


class OfferedTools:
    """The tools offered to a model, in the forms that requests need; each form is made at its first use.

    `further` is the text about further tools that the model can search for; empty without any.
    """

    def __init__(self, specs: tuple[ToolSpec, ...], further: str = "") -> None:
        self.specs = specs
        self.further = further
        self.by_name: Mapping[str, ToolSpec] = {spec.name: spec for spec in specs}

    @cached_property
    def native(self) -> bytes | None:
        """The serialised `tools` field of a request; None without tools."""
        if not self.specs:
            return None
        return f"[{','.join(map(_native, self.specs))}]".encode("utf-8", "replace")

    @cached_property
    def flat(self) -> str:
        """The tools as JSON for a prompt, in the flat format of the specification."""
        listed = [
            {"type": "function", "name": spec.name, "description": spec.description, "parameters": spec.parameters}
            for spec in self.specs
        ]
        return json.dumps(listed, ensure_ascii=False, default=dict)

    @cached_property
    def schemas(self) -> Mapping[str, Mapping[str, object]]:
        """The JSON Schema of each tool's arguments by name."""
        return {spec.name: spec.parameters for spec in self.specs}

    @staticmethod
    def size_of(spec: ToolSpec) -> int:
        """Return the bytes of a tool in `native`, with its comma."""
        return len(_native(spec).encode("utf-8", "replace")) + 1

    def validator(self, name: str) -> SchemaValidator:
        """Return the validator of the arguments of the tool called `name`, which must be one of these."""
        return validator_of(self.by_name[name].parameters)

    def resolve(self, name: str) -> ToolSpec | None:
        """Return the tool called `name`, or the only one that differs in case, dashes, order or a prefix."""
        exact = self.by_name.get(name)
        if exact is not None:
            return exact
        known = find_name(name, self.by_name)
        return None if known is None else self.by_name[known]

    def find_by_arguments(self, arguments: str) -> str | None:
        """Return the only tool that accepts the arguments, at least two with all required ones; None otherwise."""
        given = read_object(arguments)
        if given is None or len(given) < _MIN_ARGUMENTS:
            return None
        found = [
            name
            for name, schema in self.schemas.items()
            if "required" in schema and {*required_of(schema)} <= given.keys() <= properties_of(schema).keys()
        ]
        return found[0] if len(found) == 1 else None

    def nearest(self, name: str) -> list[str]:
        """Return names of tools similar to `name`, the most similar first."""
        return closest_names(name, self.by_name, count=_NEAREST)


def _native(spec: ToolSpec) -> str:
    function = {"name": spec.name, "description": spec.description, "parameters": spec.parameters}
    form = {"type": "function", "function": function}
    return json.dumps(form, ensure_ascii=False, separators=(",", ":"), default=dict)
