"""Whatever a tool returns, in what JSON has."""

from collections.abc import Mapping

from pydantic_core import to_jsonable_python


def as_json(value: object) -> object:
    """`value` for a model and the record: models and data classes as objects, dates in ISO 8601, sets as lists.

    What JSON has no form for is its text.
    """
    return to_jsonable_python(value, fallback=_otherwise, bytes_mode="base64", inf_nan_mode="null")


def _otherwise(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(value)
