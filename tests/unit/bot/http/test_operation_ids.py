"""Programs have clients that are generated from the OpenAPI document: the names of its operations stay."""

from pathlib import Path

_IDS = Path(__file__).with_name("operation_ids.txt")


async def test_operations_have_the_ids_that_are_published(document):
    ids = [operation["operationId"] for methods in document["paths"].values() for operation in methods.values()]

    assert sorted(ids) == _IDS.read_text(encoding="utf-8").split()
