"""What the rules of the lexicons make: each function turns the values of a matched pattern into one value.

A lexicon names a function in `make`; the values are those of the pattern's symbols in order, keywords come from
`with`. A function returns None where the values make no sense together, and the rule then does not apply.
"""

from collections.abc import Callable
from typing import Any

from services.time_expressions.actions import clocks, dates, days, general, lengths, recurrences

Action = Callable[..., Any]


def find_action(name: str) -> Action:
    """Return the function that lexicons call `name`.

    Raises:
        LookupError: There is none.
    """
    for module in (general, lengths, clocks, days, dates, recurrences):
        action: Action | None = vars(module).get(name)
        if callable(action) and action.__module__ == module.__name__:
            return action
    raise LookupError(f"no action {name!r}")
