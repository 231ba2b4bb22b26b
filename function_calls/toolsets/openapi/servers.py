"""Resolve the addresses of a document's operations: servers with variables, relative ones, and hosts of OpenAPI 2.0."""

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import urljoin

from function_calls.toolsets.openapi.document import Document, Node, mapping, sequence

_VARIABLE: Final = re.compile(r"\{([^{}]+)\}")


def server_urls(document: Document, item: Node, operation: Node, base_url: str) -> tuple[str, ...]:
    """Return absolute addresses without trailing slash, of the operation or the nearest level; else `base_url`."""
    if document.version == "2.0":
        found = _old_servers(document.raw, base_url)
    else:
        nearest = operation.get("servers") or item.get("servers") or document.raw.get("servers")
        found = [_fill_variables(mapping(each)) for each in sequence(nearest)]
    urls = (_resolve(base_url, url) for url in found if url)
    return tuple(dict.fromkeys(url.rstrip("/") for url in urls if url)) or (base_url.rstrip("/"),)


def _resolve(base_url: str, url: str) -> str:
    """Resolve `url` against `base_url`; empty where it is invalid."""
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
    schemes = [str(each) for each in sequence(raw.get("schemes"))] or [base_url.split(":", 1)[0]]
    if not host:
        return [path or base_url]
    ordered = sorted((each for each in schemes if each in {"http", "https"}), reverse=True)
    return [f"{scheme}://{host}{path}" for scheme in ordered]
