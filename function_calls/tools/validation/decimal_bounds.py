"""Validate bounds of decimals written as texts, with private keywords that JSON Schema lacks."""

from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Final

DECIMAL_BOUND: Final = "x-decimal-"
"""How a keyword begins that holds a text to a bound; the name of the bound in JSON Schema follows."""

BOUNDS: Final[Mapping[str, Callable[[Decimal, Decimal], bool]]] = {
    "minimum": lambda value, limit: value >= limit,
    "exclusiveMinimum": lambda value, limit: value > limit,
    "maximum": lambda value, limit: value <= limit,
    "exclusiveMaximum": lambda value, limit: value < limit,
    "multipleOf": lambda value, limit: value % limit == 0,
}


class _Bound:
    """One keyword in one schema, as jsonschema_rs makes and calls it."""

    name = ""

    def __init__(self, parent_schema: object, value: object, schema_path: object) -> None:
        del parent_schema, schema_path
        self._holds = BOUNDS[self.name]
        self._limit = Decimal(str(value))

    def validate(self, instance: object) -> None:
        """Check a text.

        Raises:
            ValueError: the number that it spells is out of bounds. A text that spells none is for `pattern` to refuse.
        """
        try:
            value = Decimal(instance) if isinstance(instance, str) else None
            is_right = value is None or value.is_nan() or self._holds(value, self._limit)
        except InvalidOperation:
            is_right = True
        if not is_right:
            raise ValueError("out of bounds")


def _keyword(name: str) -> type[_Bound]:
    return type(f"{name}OfText", (_Bound,), {"name": name})


KEYWORDS: Final = {f"{DECIMAL_BOUND}{name}": _keyword(name) for name in BOUNDS}
"""The keywords, for a validator of jsonschema_rs."""


def bound_of(keyword: object) -> str:
    """Return the name of the bound in JSON Schema."""
    return str(keyword).removeprefix(DECIMAL_BOUND)
