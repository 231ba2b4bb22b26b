"""Add examples of responses to the OpenAPI document."""

import json
from importlib.resources import files
from typing import Any


def answers() -> dict[str, dict[str, Any]]:
    """By `METHOD PATH` and then by media type; read anew each time, for the document is made once."""
    text = files(__package__).joinpath("answer_examples.json").read_text(encoding="utf-8")
    read: dict[str, dict[str, Any]] = json.loads(text)
    return read


def show_answers(document: dict[str, Any]) -> None:
    """Give what each operation of an OpenAPI document answers when all is well an example."""
    kept = answers()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            for media, content in told_when_well(operation).items():
                example = kept.get(f"{method} {path}", {}).get(media)
                if example is not None:
                    content.setdefault("example", example)


def told_when_well(operation: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what an operation answers when all is well, by media type."""
    told: dict[str, dict[str, Any]] = {}
    for status, answer in operation["responses"].items():
        if status.startswith("2"):
            told |= answer.get("content", {})
    return told
