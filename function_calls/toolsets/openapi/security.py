"""Read a document's security schemes, and the ones an operation requires."""

from typing import Final, cast

from function_calls.toolsets.openapi.document import Document, Node, mapping, sequence
from function_calls.toolsets.openapi.operation import Place, Scheme, SchemeKind

_FLOWS: Final = ("clientCredentials", "application")
_HTTP: Final[dict[str, SchemeKind]] = {"bearer": "bearer", "basic": "basic"}


class SecurityReader:
    """Reads the schemes of one document."""

    def __init__(self, document: Document) -> None:
        old = mapping(document.raw.get("securityDefinitions"))
        found = old or mapping(mapping(document.raw.get("components")).get("securitySchemes"))
        self._schemes = {str(key): _scheme(str(key), document.followed(node)) for key, node in found.items()}
        self._usual = document.raw.get("security")

    def read(self, operation: Node) -> tuple[tuple[Scheme, ...], ...]:
        """Return the alternatives of an operation; none, or an empty one, when anybody may call it."""
        wanted = operation.get("security", self._usual)
        return tuple(self._combine(mapping(each)) for each in sequence(wanted))

    def _combine(self, requirement: Node) -> tuple[Scheme, ...]:
        return tuple(self._schemes[str(key)] for key in requirement if str(key) in self._schemes)


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
        scopes = tuple(str(each) for each in mapping(flow.get("scopes")))
        return Scheme(key=key, kind="oauth2", token_url=str(flow.get("tokenUrl", "")), scopes=scopes)
    return Scheme(key=key, kind="other")


def _client_flow(node: Node) -> Node:
    """Return the OAuth flow of client credentials."""
    if str(node.get("flow", "")) in _FLOWS:
        return node
    flows = mapping(node.get("flows"))
    return next((mapping(flows[name]) for name in _FLOWS if name in flows), {})
