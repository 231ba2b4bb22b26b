"""Examples of each answer in the OpenAPI document."""

from jsonschema_rs import Draft202012Validator

from bot.http.core.examples import response_examples, successful_content


def declared_answers(document):
    """Return every answer of the document, as (route, media type, description)."""
    return [
        (f"{method} {path}", media, content)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        for media, content in successful_content(operation).items()
    ]


async def test_every_answer_has_an_example(document):
    bare = [(route, media) for route, media, content in declared_answers(document) if "example" not in content]

    assert bare == []


async def test_every_example_fits_its_declared_schema(document):
    wrong = []
    for route, media, content in declared_answers(document):
        schema = {**content.get("schema", {}), "components": document["components"]}
        errors = [str(error) for error in Draft202012Validator(schema).iter_errors(content.get("example"))]
        wrong += [(route, media, error) for error in errors]

    assert wrong == []


async def test_no_example_is_of_a_removed_answer(document):
    declared = {(route, media) for route, media, _ in declared_answers(document)}

    assert {(route, media) for route, examples in response_examples().items() for media in examples} <= declared
