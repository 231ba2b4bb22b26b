"""Load example sentences with their calls, which are shown to small models."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from msgspec import Struct


class WorkedExample(Struct, frozen=True, kw_only=True):
    """A sentence, the tool it means (`none` for no tool) and the arguments it gives."""

    sentence: str
    tool: str
    arguments: Mapping[str, object]


@cache
def worked_examples() -> tuple[WorkedExample, ...]:
    """Return all examples of `worked_examples.toml`, in its order."""
    data = tomllib.loads(
        files("function_calls.model_calls.prompts").joinpath("worked_examples.toml").read_text(encoding="utf-8")
    )
    return tuple(
        WorkedExample(sentence=entry["sentence"], tool=entry["tool"], arguments=entry.get("arguments", {}))
        for entry in data["example"]
    )
