"""Actions that any symbol may use."""

from typing import Any

from services.time_expressions.values import Clock, Every, Shift, Slots

Values = list[Any]
"""The values of a matched pattern's symbols, in order."""


def keep(values: Values, **_: Any) -> Any:
    """Return the last value as it is."""
    return values[-1]


def constant(_values: Values, *, value: Any) -> Any:
    """Return the value that the rule states."""
    return value


def both(values: Values) -> Any:
    """Return the flattened values of a list; None if a value occurs twice."""
    found: list[Any] = []
    for value in values:
        found += value if isinstance(value, tuple) and not isinstance(value, Clock) else [value]
    return tuple(found) if len(set(found)) == len(found) else None


def ascending(values: Values) -> Any:
    """一三五, numerals without a separator: ascending days; 周日二十点 is not a list."""
    found = both(values)
    in_order = [value if isinstance(value, tuple) else (value,) for value in found or ()]  # an hour beside a clock
    return found if in_order == sorted(in_order) else None


def slots(values: Values, *, name: str = "", many: bool = False, **fixed: Any) -> Slots:
    """Return slots with `name` set to the value (in a tuple with `many`), and the `fixed` fields of the rule."""
    made: Slots = dict(fixed)
    if name:
        value = values[-1]
        made[name] = (
            ((value,) if not isinstance(value, tuple) or isinstance(value, Clock) else value) if many else value
        )
    made.setdefault("strength", 2)
    return typed(made)


def typed(made: Slots) -> Slots:
    """Convert the periods and shifts that rules state as lists."""
    if "every" in made:
        made["every"] = Every(*made["every"])
    if "shift" in made:
        made["shift"] = Shift(*made["shift"])
    return made


def piece(values: Values, **fixed: Any) -> Slots:
    """Return a piece with the `fixed` fields of the rule added."""
    return typed({**values[-1], **fixed})
