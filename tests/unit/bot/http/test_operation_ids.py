"""Operation ids of the OpenAPI document, which generated clients depend on."""

from pathlib import Path

_IDS = Path(__file__).with_name("operation_ids.txt")


async def test_operation_ids_are_unchanged(document):
    ids = [operation["operationId"] for methods in document["paths"].values() for operation in methods.values()]

    assert sorted(ids) == _IDS.read_text(encoding="utf-8").split()
