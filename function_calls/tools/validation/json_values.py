"""Convert a tool's return value to JSON."""

import inspect
import re
from collections.abc import Mapping
from typing import Final

from pydantic_core import PydanticSerializationError, to_jsonable_python

_OF_NO_USE: Final = re.compile(r"\bat 0x[0-9A-Fa-f]+>")  # the default `repr` of Python objects


class NotSerialisable(TypeError):
    """A tool returned something that is neither text nor data; the message tells its author what."""


def to_json(value: object) -> object:
    """Convert models and data classes to objects, dates to ISO 8601, sets to lists, and anything else to text."""
    return to_jsonable_python(value, fallback=_fallback, bytes_mode="base64", inf_nan_mode="null")


def to_data(value: object) -> object:
    """Convert a tool's return value, which is shown to people and models.

    Raises:
        NotSerialisable: it has no JSON form, such as a coroutine that nobody awaited, or it contains itself.
    """
    try:
        return to_jsonable_python(value, fallback=_describe, bytes_mode="base64", inf_nan_mode="null")
    except (PydanticSerializationError, ValueError) as error:
        raise NotSerialisable(f"returned a {type(value).__name__} that has no form in JSON ({error})") from error


def _describe(value: object) -> object:
    converted = _fallback(value)
    if inspect.iscoroutine(value):
        value.close()
        raise NotSerialisable(f"returned the coroutine {value.__name__}; an `await` before the call is missing")
    if isinstance(converted, str) and _OF_NO_USE.search(converted):
        raise NotSerialisable(
            f"returned a {type(value).__name__}, which says nothing of itself; return text, a dict or a model"
        )
    return converted


def _fallback(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(value)
