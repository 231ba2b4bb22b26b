"""Validate bounds of decimals in texts, with private keywords for JSON Schema."""

from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Final

DECIMAL_BOUND: Final = "x-decimal-"
"""The prefix of a keyword for a bound of a text, before the name of the bound in JSON Schema."""

BOUNDS: Final[Mapping[str, Callable[[Decimal, Decimal], bool]]] = {
    "minimum": lambda value, limit: value >= limit,
    "exclusiveMinimum": lambda value, limit: value > limit,
    "maximum": lambda value, limit: value <= limit,
    "exclusiveMaximum": lambda value, limit: value < limit,
    "multipleOf": lambda value, limit: value % limit == 0,
}


class _Bound:
    """A keyword in a schema, instantiated and called by jsonschema_rs."""

    name = ""

    def __init__(self, parent_schema: object, value: object, schema_path: object) -> None:
        del parent_schema, schema_path
        self._holds = BOUNDS[self.name]
        self._limit = Decimal(str(value))

    def validate(self, instance: object) -> None:
        """Validate a text; one without a number is left to `pattern`.

        Raises:
            ValueError: the number is out of bounds.
        """
        try:
            value = Decimal(instance) if isinstance(instance, str) else None
            is_right = value is None or value.is_nan() or self._holds(value, self._limit)
        except InvalidOperation:
            is_right = True
        if not is_right:
            raise ValueError("out of bounds")


KEYWORDS: Final[Mapping[str, type[_Bound]]] = {
    f"{DECIMAL_BOUND}{name}": type(f"{name}OfText", (_Bound,), {"name": name}) for name in BOUNDS
}
"""The keywords, for a validator of jsonschema_rs."""


def bound_of(keyword: object) -> str:
    """Return the name of the bound in JSON Schema."""
    return str(keyword).removeprefix(DECIMAL_BOUND)
