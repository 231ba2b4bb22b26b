"""Import an OpenAPI document: one tool for every operation, with its URLs and security."""

import re
from collections.abc import Iterable, Iterator
from typing import Final, cast
from urllib.parse import urljoin

from function_calls.tools.calls import ToolSpec
from function_calls.toolsets.openapi.arguments import ArgumentReader
from function_calls.toolsets.openapi.bundle import Bundler
from function_calls.toolsets.openapi.document import Document, DocumentInvalid, Node, mapping, sequence
from function_calls.toolsets.openapi.operation import ImportedDocument, Operation, Place, Scheme, SchemeKind, is_change
from function_calls.toolsets.openapi.schemas import SchemaConverter
from function_calls.toolsets.openapi.texts import sanitize_description, tool_name

_VARIABLE: Final = re.compile(r"\{([^{}]+)\}")
_FLOWS: Final = ("clientCredentials", "application")
_HTTP: Final[dict[str, SchemeKind]] = {"bearer": "bearer", "basic": "basic"}
METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_MAX_OPERATIONS: Final = 5000


def server_urls(document: Document, item: Node, operation: Node, base_url: str) -> tuple[str, ...]:
    """Return the absolute server URLs of the nearest level, without trailing slash; else `base_url`."""
    if document.version == "2.0":
        found = _old_servers(document.raw, base_url)
    else:
        nearest = operation.get("servers") or item.get("servers") or document.raw.get("servers")
        found = [_fill_variables(mapping(server)) for server in sequence(nearest)]
    urls = (_resolve(base_url, url) for url in found if url)
    return tuple(dict.fromkeys(url.rstrip("/") for url in urls if url)) or (base_url.rstrip("/"),)


def _resolve(base_url: str, url: str) -> str:
    """Resolve `url` against `base_url`; empty if it is invalid."""
    try:
        return urljoin(f"{base_url.rstrip('/')}/", url)
    except ValueError:
        return ""


def _fill_variables(server: Node) -> str:
    variables = mapping(server.get("variables"))

    def value(match: re.Match[str]) -> str:
        variable = mapping(variables.get(match[1]))
        first = next(iter(sequence(variable.get("enum"))), "")
        return str(variable.get("default", first))

    url = server.get("url")
    return _VARIABLE.sub(value, url).strip() if isinstance(url, str) else ""


def _old_servers(raw: Node, base_url: str) -> Iterable[str]:
    host, path = str(raw.get("host") or ""), str(raw.get("basePath") or "")
    schemes = [str(scheme) for scheme in sequence(raw.get("schemes"))] or [base_url.split(":", 1)[0]]
    if not host:
        return [path or base_url]
    ordered = sorted((scheme for scheme in schemes if scheme in {"http", "https"}), reverse=True)
    return [f"{scheme}://{host}{path}" for scheme in ordered]


class SecurityReader:
    """Reads the security schemes of one document."""

    def __init__(self, document: Document) -> None:
        old = mapping(document.raw.get("securityDefinitions"))
        found = old or mapping(mapping(document.raw.get("components")).get("securitySchemes"))
        self._schemes = {str(key): _scheme(str(key), document.resolve(node)) for key, node in found.items()}
        self._usual = document.raw.get("security")

    def read(self, operation: Node) -> tuple[tuple[Scheme, ...], ...]:
        """Return the alternatives of an operation; none, or an empty one, if it needs no authentication."""
        wanted = operation.get("security", self._usual)
        return tuple(
            tuple(self._schemes[str(key)] for key in mapping(requirement) if str(key) in self._schemes)
            for requirement in sequence(wanted)
        )


def _scheme(key: str, node: Node) -> Scheme:
    kind, place = str(node.get("type", "")), node.get("in")
    if kind == "apiKey" and str(place) in {"header", "query", "cookie"}:
        return Scheme(key=key, kind="api_key", name=str(node.get("name", "")), place=cast("Place", place))
    if kind == "basic":
        return Scheme(key=key, kind="basic")
    if kind == "http":
        return Scheme(key=key, kind=_HTTP.get(str(node.get("scheme", "")).lower(), "other"))
    if kind in {"oauth2", "openIdConnect"}:
        flow = _client_flow(node)
        scopes = tuple(str(scope) for scope in mapping(flow.get("scopes")))
        return Scheme(key=key, kind="oauth2", token_url=str(flow.get("tokenUrl", "")), scopes=scopes)
    return Scheme(key=key, kind="other")


def _client_flow(node: Node) -> Node:
    """Return the OAuth flow of client credentials."""
    if str(node.get("flow", "")) in _FLOWS:
        return node
    flows = mapping(node.get("flows"))
    return next((mapping(flows[name]) for name in _FLOWS if name in flows), {})


def import_document(raw: object, base_url: str) -> ImportedDocument:
    """Return the operations of a parsed document as tools.

    Args:
        raw: the document parsed from JSON or YAML; OpenAPI 2.0, 3.0 or 3.1.
        base_url: its URL, against which relative servers are resolved.

    Raises:
        DocumentInvalid: it is not such a document, or too large.
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
        if len(operations) > _MAX_OPERATIONS:
            raise DocumentInvalid(f"more than {_MAX_OPERATIONS} operations")
    return ImportedDocument(
        title=sanitize_description(document.info.get("title"), 200),
        operations=tuple(operations),
        problems=tuple(problems),
    )


def _list_operations(document: Document) -> Iterator[tuple[str, str, Node, Node]]:
    for path, item in document.paths.items():
        found = document.resolve(item)
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
        spec = ToolSpec(
            name=name,
            description=_description(node, method, path),
            parameters=self._bundler.bundle(arguments.schema),
            changes_state=is_change(method, name, path),
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
        )


def _description(node: Node, method: str, path: str) -> str:
    """Join summary and description, without repeating the summary at the beginning of the description."""
    summary, description = sanitize_description(node.get("summary")), sanitize_description(node.get("description"))
    if summary and description and not description.startswith(summary.rstrip(".")):
        return sanitize_description(f"{summary.rstrip('.')}. {description}")
    return description or summary or f"{method.upper()} {sanitize_description(path, 200)}"
