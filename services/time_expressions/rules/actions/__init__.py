"""The actions of the rules of the lexicons, functions that turn the values of a matched pattern into one value.

A lexicon names an action in `make`; its values are those of the pattern's symbols in order, its keywords come from
`with`. An action returns None if the values make no sense together; then the rule does not apply. The docstring of an
action quotes phrases that it reads.
"""

from collections.abc import Callable
from typing import Any

from services.time_expressions.rules.actions import clocks, dates, days, general, lengths, recurrences

Action = Callable[..., Any]


def find_action(name: str) -> Action:
    """Return the action called `name`.

    Raises:
        LookupError: there is none.
    """
    for module in (general, lengths, clocks, days, dates, recurrences):
        action: Action | None = vars(module).get(name)
        if callable(action) and action.__module__ == module.__name__:
            return action
    raise LookupError(f"no action {name!r}")
