"""Decide whether an operation changes something, so that it is confirmed first."""

import re
from typing import Final

_SAFE_METHODS: Final = frozenset({"get", "head", "options", "trace"})
# POST is also used for queries with long arguments; the first word of their names tells.
_ASKS: Final = re.compile(
    r"(get|list|read|find|search|query|fetch|look|show|view|count|check|validate|verify|convert|format|parse|compare|"
    r"calculate|compute|elapsed|translate|preview|describe|analy[sz]e|summari[sz]e|estimate|diff|status|log|current)"
    r"(?![a-z])",
    re.IGNORECASE,
)
_WORD_BORDER: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def is_change(method: str, name: str, path: str) -> bool:
    """Return whether a call may change something: every method but the safe ones, and POST unless it is a query."""
    if method in _SAFE_METHODS:
        return False
    if method != "post":
        return True
    last = path.rstrip("/").rsplit("/", 1)[-1]
    return not (asks_only(name) and asks_only(last))


def asks_only(name: str) -> bool:
    """Return whether the first word of `name` is that of a query (`convert_time`, `getUser`, `list-files`)."""
    return _ASKS.match(_WORD_BORDER.sub("_", name).lower()) is not None
