"""Whatever a tool returns, in what JSON has."""

import inspect
import re
from collections.abc import Mapping
from typing import Final

from pydantic_core import PydanticSerializationError, to_jsonable_python

_OF_NO_USE: Final = re.compile(r"\bat 0x[0-9A-Fa-f]+>")  # how Python shows what says nothing of itself


class NoData(TypeError):
    """A tool returned something that is neither text nor data; its text says to the author what it was."""


def as_json(value: object) -> object:
    """`value` for a model and the record: models and data classes as objects, dates in ISO 8601, sets as lists.

    What JSON has no form for is its text.
    """
    return to_jsonable_python(value, fallback=_otherwise, bytes_mode="base64", inf_nan_mode="null")


def as_data(value: object) -> object:
    """Return the same of what a tool has returned, which people and models are told.

    Raises:
        NoData: it says nothing of itself, such as a coroutine that nobody awaited, or it contains itself.
    """
    try:
        return to_jsonable_python(value, fallback=_told, bytes_mode="base64", inf_nan_mode="null")
    except (PydanticSerializationError, ValueError) as error:
        raise NoData(f"returned a {type(value).__name__} that has no form in JSON ({error})") from error


def _told(value: object) -> object:
    told = _otherwise(value)
    if inspect.iscoroutine(value):
        value.close()
        raise NoData(f"returned the coroutine {value.__name__}; an `await` before the call is missing")
    if isinstance(told, str) and _OF_NO_USE.search(told):
        raise NoData(f"returned a {type(value).__name__}, which says nothing of itself; return text, a dict or a model")
    return told


def _otherwise(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(value)
