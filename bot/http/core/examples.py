"""Add examples of requests and responses to the OpenAPI document where the schemas have none."""

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

_COMPLETION: Final = {
    "model": "bubbles",
    "messages": [{"role": "user", "content": "remind me in 10 minutes to stretch"}],
}
BODIES: Final[Mapping[tuple[str, str], object]] = {
    ("patch", "/api/chat/sessions/{session_id}/messages/{message_id}"): {"text": "shall we meet on Friday?"},
    ("patch", "/api/reminders/{reminder_id}"): {"text": "water the ficus", "time": "tomorrow at 10"},
    ("post", "/api/reminders/{reminder_id}/snooze"): {"minutes": 15},
    ("post", "/api/tools/create"): {
        "id": "greeter",
        "name": "Greeter",
        "content": 'class Tools:\n    def greet(self, name: str) -> str:\n        """Greet somebody."""\n'
        '        return f"Hello, {name}!"\n',
        "meta": {"description": "Greets"},
    },
    ("post", "/api/tools/import"): {"tools": []},
    ("post", "/api/tools/id/{tool_id}/update"): {
        "content": 'class Tools:\n    def greet(self, name: str) -> str:\n        """Greet somebody."""\n'
        '        return f"Good day, {name}!"\n',
    },
    ("post", "/api/tools/id/{tool_id}/toggle"): {"is_enabled": False},
    ("post", "/api/tools/id/{tool_id}/valves/update"): {"greeting": "Hello"},
    ("post", "/api/tools/{tool_name}/invoke"): {"session_id": "lobby", "name": "Ann", "arguments": {}},
    ("post", "/tools/{tool_name}"): {},
    ("post", "/v1/chat/completions"): _COMPLETION,
    ("post", "/api/chat/completions"): _COMPLETION,
}
PARAMETERS: Final[Mapping[str, str]] = {
    "q": "stretch",
    "message_id": "m1.9f86d081",
    "key": "mF0cXh2QkZ3hS1yVb6m9Tg",
    "name": "desk.png",
    "token": "mF0cXh2QkZ3hS1yVb6m9Tg",
    "label": "weather",
    "token_id": "1f3870be",
}
"""By the name of a parameter that a request cannot do without."""


def answers() -> dict[str, dict[str, Any]]:
    """Read the examples by `METHOD PATH` and media type."""
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


def show_examples(document: dict[str, Any]) -> None:
    """Give every body, and every parameter that is needed, of an OpenAPI document an example."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            _complete(operation, BODIES.get((method, path)))


def _complete(operation: dict[str, Any], body: object) -> None:
    if body is not None:
        for content in operation["requestBody"]["content"].values():
            content.setdefault("example", body)
    for parameter in operation.get("parameters", ()):
        has_own = "example" in parameter or "examples" in parameter or "examples" in parameter["schema"]
        if parameter["required"] and not has_own and parameter["name"] in PARAMETERS:
            parameter["example"] = PARAMETERS[parameter["name"]]
