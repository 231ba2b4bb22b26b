"""Add the examples of requests and responses to the OpenAPI document where the schemas have none."""

import json
from importlib.resources import files
from typing import Any


def request_examples() -> tuple[dict[str, Any], dict[str, str]]:
    """Read the example bodies by `METHOD PATH`, and the example values by the name of a required parameter."""
    examples = _read("request_examples.json")
    return examples["bodies"], examples["parameters"]


def response_examples() -> dict[str, dict[str, Any]]:
    """Read the examples of responses by `METHOD PATH` and media type."""
    return _read("answer_examples.json")


def _read(name: str) -> dict[str, dict[str, Any]]:
    examples: dict[str, dict[str, Any]] = json.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))
    return examples


def add_response_examples(document: dict[str, Any]) -> None:
    """Add the examples of successful responses to an OpenAPI document."""
    examples = response_examples()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            for media, content in successful_content(operation).items():
                example = examples.get(f"{method} {path}", {}).get(media)
                if example is not None:
                    content.setdefault("example", example)


def successful_content(operation: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the content of the successful responses of an operation, by media type."""
    found: dict[str, dict[str, Any]] = {}
    for status, answer in operation["responses"].items():
        if status.startswith("2"):
            found |= answer.get("content", {})
    return found


def add_request_examples(document: dict[str, Any]) -> None:
    """Add examples of bodies and required parameters to an OpenAPI document."""
    bodies, parameters = request_examples()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if f"{method} {path}" in bodies:
                for content in operation["requestBody"]["content"].values():
                    content.setdefault("example", bodies[f"{method} {path}"])
            for parameter in operation.get("parameters", ()):
                has_own = "example" in parameter or "examples" in parameter or "examples" in parameter["schema"]
                if parameter["required"] and not has_own and parameter["name"] in parameters:
                    parameter["example"] = parameters[parameter["name"]]
