"""Define operations: their parameters, body, security and tool, and if they change state."""

import re
from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

from function_calls.tools.calls import ToolSpec

Place = Literal["path", "query", "header", "cookie"]
SchemeKind = Literal["api_key", "bearer", "basic", "oauth2", "other"]
_SAFE_METHODS: Final = frozenset({"get", "head", "options", "trace"})
# POST is also used for queries with long arguments, which the first word of the name reveals.
_ASKS: Final = re.compile(
    r"(get|list|read|find|search|query|fetch|look|show|view|count|check|validate|verify|convert|format|parse|compare|"
    r"calculate|compute|elapsed|translate|preview|describe|analy[sz]e|summari[sz]e|estimate|diff|status|log|current)"
    r"(?![a-z])",
    re.IGNORECASE,
)
_WORD_BORDER: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Parameter(Struct, frozen=True, kw_only=True):
    """An argument in the URL, a header or a cookie.

    `argument` is its name in the tool, `name` that in the request. `style` and `explode` determine the format of lists
    and objects (similar to RFC 6570), `content_type` another format of the value.
    """

    argument: str
    name: str
    place: Place
    style: str
    explode: bool
    is_required: bool = False
    allows_reserved: bool = False
    content_type: str = ""


class Body(Struct, frozen=True, kw_only=True):
    """The request body: either one `argument`, or `members`: name in the tool to name in the body.

    `files` are the members that are files; `written_as` maps members of a form to their content type.
    """

    content_type: str
    argument: str = ""
    members: Mapping[str, str]
    files: frozenset[str] = frozenset()
    written_as: Mapping[str, str]
    is_required: bool = False


class Scheme(Struct, frozen=True, kw_only=True):
    """An authentication scheme of an operation. `name` and `place` are those of an API key."""

    key: str
    kind: SchemeKind
    name: str = ""
    place: Place = "header"
    token_url: str = ""
    scopes: tuple[str, ...] = ()


class Operation(Struct, frozen=True, kw_only=True):
    """One operation as a tool.

    `servers` are the base URLs of its path. `security` has alternatives, each with one or several schemes.
    """

    spec: ToolSpec
    method: str
    path: str
    servers: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    body: Body | None = None
    security: tuple[tuple[Scheme, ...], ...] = ()
    tags: tuple[str, ...] = ()
    operation_id: str = ""

    @property
    def name(self) -> str:
        """The name of the tool."""
        return self.spec.name


class ImportedDocument(Struct, frozen=True, kw_only=True):
    """The tools of a document, in its order. `problems` are the operations that are not supported, with the reason."""

    title: str
    operations: tuple[Operation, ...]
    problems: tuple[str, ...] = ()


def is_change(method: str, name: str, path: str) -> bool:
    """Return whether a call may change something: all but safe methods and POST operations with the name of a query."""
    if method in _SAFE_METHODS:
        return False
    if method != "post":
        return True
    last = path.rstrip("/").rsplit("/", 1)[-1]
    return not (is_query_name(name) and is_query_name(last))


def is_query_name(name: str) -> bool:
    """Return whether the first word of `name` is the verb of a query (`convert_time`, `getUser`, `list-files`)."""
    return _ASKS.match(_WORD_BORDER.sub("_", name).lower()) is not None
