"""Fetch the OpenAPI document of a tool server, JSON or YAML."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin, urlsplit

from bot.tools.servers.origin_client import OriginClient, OriginRequest
from bot.tools.servers.responses import ServerResponse, ServerUnavailable
from function_calls.language.messages import Message
from function_calls.toolsets.openapi.importer import import_document
from function_calls.toolsets.openapi.operation import ImportedDocument

if TYPE_CHECKING:
    import yaml

_ENDINGS: Final = (".json", ".yaml", ".yml")
_BOOLEAN: Final = "tag:yaml.org,2002:bool"
_USUAL_PATHS: Final = ("openapi.json", "openapi.yaml", "swagger.json", "v3/api-docs")


def import_inline(spec: object, base: str) -> ImportedDocument:
    """Return the tools of a document in the settings; relative server addresses start from `base`.

    Raises:
        ServerUnavailable: the document cannot be used.
    """
    try:
        return import_document(spec, base)
    except Exception as error:  # as below
        raise _unusable(error) from error


async def fetch_document(
    client: OriginClient, url: str, path: str, headers: Sequence[tuple[str, str]], *, max_bytes: int
) -> tuple[ImportedDocument, str]:
    """Fetch the document at `url` or at a usual path below it; return its tools and its base address.

    Raises:
        ServerUnavailable: no document was found, or it cannot be used.
    """
    problem: ServerUnavailable | None = None
    for candidate, base in _candidates(url, path):
        request = OriginRequest(
            method="GET", url=candidate, headers=(("Accept", "application/json, */*;q=0.5"), *headers)
        )
        response = await client.send(request, max_bytes=max_bytes)
        if response.status == 200:
            # Parsing a large document would block the event loop.
            return await asyncio.to_thread(_import_document, response, base), base
        missing = {"path": urlsplit(candidate).path, "status": response.status}
        problem = problem or ServerUnavailable(Message("server.not_found", missing))
    raise problem or ServerUnavailable(Message("server.no_document"))


def _candidates(url: str, path: str) -> list[tuple[str, str]]:
    """Return possible addresses of the document, each with the base of its relative server addresses."""
    if path:
        return [(urljoin(f"{url.rstrip('/')}/", path.lstrip("/")), url)]
    last = urlsplit(url).path.rsplit("/", 1)[-1]
    if last.endswith(_ENDINGS) or last == "api-docs":
        return [(url, url.rsplit("/", 1)[0])]
    return [(f"{url.rstrip('/')}/{each}", url) for each in _USUAL_PATHS]


def _import_document(response: ServerResponse, base: str) -> ImportedDocument:
    if response.is_truncated:
        raise ServerUnavailable(Message("server.too_large", {"limit": len(response.content) // 1_000_000}))
    try:
        return import_document(_parse_document(response.text), base)
    except ServerUnavailable:
        raise
    except Exception as error:  # a document of others must not end the bot, whatever it has
        raise _unusable(error) from error


def _unusable(error: Exception) -> ServerUnavailable:
    return ServerUnavailable(Message("server.unusable", {"reason": str(error) or type(error).__name__}))


def _parse_document(text: str) -> object:
    with suppress(ValueError):
        return json.loads(text)
    try:
        import yaml
    except ImportError:
        raise ServerUnavailable(Message("server.no_yaml")) from None
    try:
        return _with_text_keys(yaml.load(text, Loader=_yaml_loader()))  # noqa: S506 - a safe loader
    # The library raises the errors of a lookup or a missing match for values that do not fit their tag.
    except (yaml.YAMLError, ValueError, RecursionError, LookupError, AttributeError) as error:
        raise ServerUnavailable(Message("server.not_parsed")) from error


@cache
def _yaml_loader() -> "type[yaml.CSafeLoader]":
    """Return a loader of YAML 1.2, where the words `on`, `off`, `yes` and `no` are texts."""
    import yaml

    resolvers = {
        first: [each for each in of_first if each[0] != _BOOLEAN or first in "tTfF"]
        for first, of_first in yaml.CSafeLoader.yaml_implicit_resolvers.items()
    }
    return type("Loader", (yaml.CSafeLoader,), {"yaml_implicit_resolvers": resolvers})


def _with_text_keys(value: object, seen: dict[int, object] | None = None) -> object:
    """Return a YAML value with all keys as text, such as status codes; shared parts stay shared."""
    seen = {} if seen is None else seen
    if isinstance(value, bool | int | float | str) or value is None:
        return value
    if id(value) in seen:
        return seen[id(value)]
    if isinstance(value, dict):
        made: dict[str, object] = {}
        seen[id(value)] = made
        made.update({str(key): _with_text_keys(each, seen) for key, each in value.items()})
        return made
    if isinstance(value, list):
        listed: list[object] = []
        seen[id(value)] = listed
        listed.extend(_with_text_keys(each, seen) for each in value)
        return listed
    return str(value)
