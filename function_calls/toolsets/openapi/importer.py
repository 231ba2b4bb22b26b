"""Import an OpenAPI document: one tool for every operation."""

from collections.abc import Iterator
from typing import Final

from function_calls.tools.calls import ToolSpec
from function_calls.toolsets.openapi.arguments import ArgumentReader
from function_calls.toolsets.openapi.bundling import Bundler
from function_calls.toolsets.openapi.document import Document, DocumentInvalid, Node, mapping, sequence
from function_calls.toolsets.openapi.operation import ImportedDocument, Operation, is_change
from function_calls.toolsets.openapi.schemas import SchemaConverter
from function_calls.toolsets.openapi.security import SecurityReader
from function_calls.toolsets.openapi.servers import server_urls
from function_calls.toolsets.openapi.texts import tamed, tool_name

METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_MOST_OPERATIONS: Final = 5000


def import_document(raw: object, base_url: str) -> ImportedDocument:
    """Return the operations of a parsed document as tools.

    Args:
        raw: the document as JSON or YAML gave it; OpenAPI 2.0, 3.0 or 3.1.
        base_url: its address; relative servers start from there.

    Raises:
        DocumentInvalid: it is no such document, or too large to be one.
    """
    document = Document(raw)
    reader = _OperationReader(document, base_url)
    operations: list[Operation] = []
    problems: list[str] = []
    for path, method, item, node in _list_operations(document):
        try:
            operations.append(reader.read(path, method, item, node))
        except RecursionError:
            problems.append(f"{method.upper()} {path}: nested too deeply")
        if len(operations) > _MOST_OPERATIONS:
            raise DocumentInvalid(f"more than {_MOST_OPERATIONS} operations")
    info = document.info
    return ImportedDocument(
        title=tamed(info.get("title"), 200),
        version=str(info.get("version", "")),
        operations=tuple(operations),
        problems=tuple(problems),
    )


def _list_operations(document: Document) -> Iterator[tuple[str, str, Node, Node]]:
    for path, item in document.paths.items():
        found = document.followed(item)
        for method in METHODS:
            node = found.get(method)
            if node is not None and mapping(node) is node:
                yield str(path), method, found, node


class _OperationReader:
    """Reads the operations of one document, one after the other."""

    def __init__(self, document: Document, base_url: str) -> None:
        converter = self._converter = SchemaConverter(document)
        self._document = document
        self._base_url = base_url
        self._arguments = ArgumentReader(document, converter)
        self._bundler = Bundler(converter)
        self._security = SecurityReader(document)
        self._taken: set[str] = set()

    def read(self, path: str, method: str, item: Node, node: Node) -> Operation:
        self._converter.begin()
        arguments = self._arguments.read(item, node)
        operation_id = node.get("operationId")
        own_id = operation_id if isinstance(operation_id, str) else ""
        name = tool_name(own_id, method, path, self._taken)
        self._taken.add(name)
        changes = is_change(method, name, path)
        spec = ToolSpec(
            name=name,
            description=_description(node, method, path),
            parameters=self._bundler.bundled(arguments.schema),
            changes_state=changes,
        )
        return Operation(
            spec=spec,
            method=method,
            path=path,
            servers=server_urls(self._document, item, node, self._base_url),
            parameters=tuple(arguments.parameters),
            body=arguments.body,
            security=self._security.read(node),
            tags=tuple(str(tag) for tag in sequence(node.get("tags"))),
            operation_id=own_id,
            changes_state=changes,
        )


def _description(node: Node, method: str, path: str) -> str:
    """Join summary and description; the summary once where the description begins with it."""
    summary, description = tamed(node.get("summary")), tamed(node.get("description"))
    if summary and description and not description.startswith(summary.rstrip(".")):
        return tamed(f"{summary.rstrip('.')}. {description}")
    return description or summary or f"{method.upper()} {tamed(path, 200)}"
