"""Whether an operation changes something, so that it is asked about first."""

import re
from typing import Final

_SAFE_METHODS: Final = frozenset({"get", "head", "options", "trace"})
# POST is also how questions with long arguments are asked; their names say so with their first word.
_ASKS: Final = re.compile(
    r"(get|list|read|find|search|query|fetch|look|show|view|count|check|validate|verify|convert|format|parse|compare|"
    r"calculate|compute|elapsed|translate|preview|describe|analy[sz]e|summari[sz]e|estimate|diff|status|log|current)"
    r"(?![a-z])",
    re.IGNORECASE,
)
_WORD_BORDER: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def is_change(method: str, name: str, path: str) -> bool:
    """True where a call may change something: every method but the safe ones, and POST unless its name only asks."""
    if method in _SAFE_METHODS:
        return False
    if method != "post":
        return True
    last = path.rstrip("/").rsplit("/", 1)[-1]
    return not (asks_only(name) and asks_only(last))


def asks_only(name: str) -> bool:
    """Return whether the first word of `name` is one of asking (`convert_time`, `getUser`, `list-files`)."""
    return _ASKS.match(_WORD_BORDER.sub("_", name).lower()) is not None
