"""Convert a tool's return value to JSON."""

import inspect
import re
from collections.abc import Mapping
from typing import Final

from pydantic_core import PydanticSerializationError, to_jsonable_python

_DEFAULT_REPR: Final = re.compile(r"\bat 0x[0-9A-Fa-f]+>")


class NotSerialisable(TypeError):
    """A tool returned a value without JSON form; the message is for its author."""


def to_json(value: object) -> object:
    """Convert models and data classes to objects, dates to ISO 8601, sets to lists, and other values to text."""
    return to_jsonable_python(value, fallback=_fallback, bytes_mode="base64", inf_nan_mode="null")


def to_data(value: object) -> object:
    """Convert a tool's return value for people and models.

    Raises:
        NotSerialisable: the value has no JSON form, like a coroutine, or contains itself.
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
    if isinstance(converted, str) and _DEFAULT_REPR.search(converted):
        raise NotSerialisable(
            f"returned a {type(value).__name__}, whose text has no information; return text, a dict or a model"
        )
    return converted


def _fallback(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(value)
