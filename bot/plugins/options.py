"""Validate a plugin's table of the settings; messages never quote values."""

from collections.abc import Iterator, Mapping

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from services.kernel.text import closest_name


def option_problems(error: ValidationError, model: type[BaseModel], given: Mapping[str, object]) -> list[str]:
    """One phrase for each key that is missing, unknown or wrong."""
    found = error.errors(include_url=False, include_input=False)
    return [_in_words(each, model, given) for each in found]


def passed_over(model: type[BaseModel], given: Mapping[str, object]) -> Iterator[str]:
    """One phrase for each key that `model` takes without reading it, and that looks like one that it would read."""
    if model.model_config.get("extra") is not None:
        return
    for key in _unread(model, given):
        near = closest_name(key, _keys(model).keys() - given.keys())
        if near:
            yield f"{key} is not read; did you mean {near[0]}?"


def _in_words(problem: ErrorDetails, model: type[BaseModel], given: Mapping[str, object]) -> str:
    key = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "missing":
        near = closest_name(key, _unread(model, given))
        slip = f"; {near[0]} is given, did you mean {key}?" if near else ""
        return f"{key} is missing ({_describe_option(key, model)}){slip}"
    if problem["type"] == "extra_forbidden":
        near = closest_name(key, _keys(model))
        return f"{key} is unknown; " + (f"did you mean {near[0]}?" if near else f"there are: {', '.join(_keys(model))}")
    return f"{key}: {problem['msg'].removeprefix('Value error, ')}" if key else problem["msg"]


def _describe_option(key: str, model: type[BaseModel]) -> str:
    """Return what a setting has to be, and what its author says about it."""
    field = _keys(model).get(key)
    if field is None:
        return "it has to be there"
    shown = model.model_fields[field]
    kind = shown.annotation.__name__ if isinstance(shown.annotation, type) else str(shown.annotation)
    return f"{kind}: {shown.description}" if shown.description else kind


def _unread(model: type[BaseModel], given: Mapping[str, object]) -> list[str]:
    return [key for key in given if key not in _keys(model)]


def _keys(model: type[BaseModel]) -> dict[str, str]:
    """Return the fields of `model` by what they may be called in a table."""
    keys = {name: name for name in model.model_fields}
    return keys | {field.alias: name for name, field in model.model_fields.items() if field.alias}
