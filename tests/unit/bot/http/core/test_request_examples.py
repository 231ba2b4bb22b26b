"""Examples of each request in the OpenAPI document."""

import pytest

from bot.http.core.examples import request_examples

BODIES, _ = request_examples()


def has_example(part, schemas, seen=()):
    """Return whether a part of the document, or a part that it refers to, has an example."""
    if isinstance(part, list):
        return any(has_example(each, schemas, seen) for each in part)
    if not isinstance(part, dict):
        return False
    if "example" in part or "examples" in part:
        return True
    name = part.get("$ref", "").rpartition("/")[2]
    if name:
        return name not in seen and has_example(schemas[name], schemas, (*seen, name))
    return any(has_example(each, schemas, seen) for each in part.values())


async def test_every_body_and_every_parameter_that_is_needed_has_an_example(document):
    schemas, bare = document["components"]["schemas"], []
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            needed = [each for each in operation.get("parameters", []) if each["required"]]
            if not all(has_example(each, schemas) for each in [*needed, *filter(None, [operation.get("requestBody")])]):
                bare.append(f"{method} {path}")

    assert bare == []


async def test_no_example_is_of_a_removed_route(document):
    routes = {f"{method} {path}" for path, methods in document["paths"].items() for method in methods}

    assert BODIES.keys() <= routes


@pytest.mark.parametrize("route", BODIES)
async def test_an_example_fits_its_route(api, route):
    method, path = route.split(" ")
    address = path.format(
        session_id="lobby",
        message_id="m1",
        reminder_id="r1",
        tool_id="greeter",
        tool_name="reminder_list",
        label="weather",
    )

    answer = await api.request(method, address, json=BODIES[route])

    assert answer.json().get("code") not in {"invalid", "arguments_invalid"}, answer.text
