"""Offer and call the operations of one OpenAPI server; its document is cached until refreshed."""

import asyncio
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

from loguru import logger
from msgspec import Struct
from msgspec.structs import replace

from bot.tools.servers.connections import ToolServerConnection
from bot.tools.servers.credentials import Credentials, RequestCredentials
from bot.tools.servers.documents import fetch_document, import_inline
from bot.tools.servers.echoed_secrets import EchoedSecretMask
from bot.tools.servers.mcp.servers import needs_confirmation, passes_filter
from bot.tools.servers.origin_client import Files, OriginClient, OriginRequest
from bot.tools.servers.responses import ServerUnavailable, to_tool_result
from function_calls.language.messages import Message
from function_calls.tools.calls import ToolResult, ToolSpec
from function_calls.tools.context import CallContext
from function_calls.tools.toolset import Viewer, short_name, unknown_tool
from function_calls.toolsets.openapi.operation import ImportedDocument, Operation
from function_calls.toolsets.openapi.request import FormPart, PreparedRequest, prepare_request
from function_calls.toolsets.source import Health
from services.kernel.network import growing_pauses

_FIRST_PAUSE: Final = 2.0  # seconds; doubled after each failure
_MAX_PAUSE: Final = 300.0
_UNAUTHORIZED: Final = 401


class DocumentChanges(Struct, frozen=True, kw_only=True):
    """The names of operations that a refresh added, removed or changed."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


class ResponseLimits(Struct, frozen=True, kw_only=True):
    """Limits of the responses of a server, in bytes."""

    document: int = 10_000_000
    response: int = 1_000_000


class OpenApiToolset:
    """Offers the operations of one server; none until its document has been fetched.

    `first_try` is set after the first attempt to fetch it.
    """

    def __init__(
        self,
        connection: ToolServerConnection,
        client: OriginClient,
        *,
        limits: ResponseLimits | None = None,
        first_pause: float = _FIRST_PAUSE,
    ) -> None:
        self.connection = connection
        self.title = connection.label
        self._client = client
        self._limits = limits or ResponseLimits()
        self._credentials = Credentials(connection, client)
        self._operations: dict[str, Operation] = {}
        self._specs: tuple[ToolSpec, ...] = ()
        self._base_url = connection.url
        self.health = Health(is_ok=False, detail=Message("server.not_fetched"))
        self._first_pause = first_pause
        self._loading = asyncio.Lock()
        self.first_try = asyncio.Event()

    async def list_specs(self, viewer: Viewer) -> tuple[ToolSpec, ...]:
        """Return the tools of the document that was fetched last."""
        del viewer
        return self._specs

    async def refresh(self) -> DocumentChanges:
        """Fetch the document again and return the changes; after a failure the old tools stay.

        Raises:
            ServerUnavailable: it cannot be fetched or used.
        """
        async with self._loading:
            try:
                document, base = await self._document()
            except ServerUnavailable as error:
                self.health = Health(is_ok=False, detail=self._credentials.secret_mask.message(error.problem))
                raise
            changes, mask = self._update_operations(document.operations), self._credentials.secret_mask
            self.title, self._base_url = mask.text(document.title) or self.title, base
            self.health = Health(detail=mask.text("; ".join(document.problems[:3])))
        log = logger.bind(server=self.connection.label)
        log.info("{} tools of {}: {} new, {} gone, {} changed", len(self._specs), self.title,
                 len(changes.added), len(changes.removed), len(changes.changed))  # fmt: skip
        return changes

    async def _document(self) -> tuple[ImportedDocument, str]:
        own = self.connection
        if own.spec is not None:
            return await asyncio.to_thread(import_inline, own.spec, own.url), own.url
        return await fetch_document(
            self._client, own.url, own.path, self._credentials.for_document(), max_bytes=self._limits.document
        )

    async def run(self) -> None:
        """Fetch the document, and retry after failures, with pauses of up to five minutes."""
        for pause in growing_pauses(self._first_pause, _MAX_PAUSE):
            try:
                await self.refresh()
            except ServerUnavailable as error:
                logger.warning("tool server {}: {}; retrying in {:.0f} s", self.connection.label, error, pause)
            else:
                return
            finally:
                self.first_try.set()
            await asyncio.sleep(pause)

    async def call(self, name: str, arguments: Mapping[str, object], context: CallContext) -> ToolResult:
        """Send the request of an operation and return the result."""
        operation = self._operations.get(name)
        if operation is None:
            return unknown_tool(name, self._operations, context.language)
        request = prepare_request(operation, arguments)
        credentials = await self._credentials.for_operation(operation, self._base_url)
        response = await self._client.send(
            _origin_request(request, credentials, self._server(operation)), max_bytes=self._limits.response
        )
        result = to_tool_result(name, response, context.language, self._credentials.secret_mask)
        if response.status == _UNAUTHORIZED:
            self._credentials.forget_tokens()  # not before their mask was applied
        return result

    def _server(self, operation: Operation) -> str:
        """Return the operation's own server if it has the configured origin, else the configured address."""
        for url in operation.servers:
            try:
                if self._client.is_same_origin(url):
                    return url
            except ServerUnavailable:
                continue
        return self._base_url.rstrip("/")

    def _update_operations(self, found: tuple[Operation, ...]) -> DocumentChanges:
        before, mask = self._operations, self._credentials.secret_mask
        offered = (self._offer(operation, mask) for operation in found if self._is_selected(operation))
        named = {operation.name: operation for operation in offered if operation is not None}
        # An unchanged operation stays the same object.
        now = {name: before[name] if before.get(name) == each else each for name, each in named.items()}
        changes = DocumentChanges(
            added=tuple(name for name in now if name not in before),
            removed=tuple(name for name in before if name not in now),
            changed=tuple(name for name in now if name in before and now[name] is not before[name]),
        )
        self._operations = now
        if changes:
            self._specs = tuple(each.spec for each in now.values())
        return changes

    def _is_selected(self, operation: Operation) -> bool:
        own, names = self.connection, {operation.name, operation.operation_id}
        if names & set(own.exclude) or (own.include and not names & set(own.include)):
            return False
        if not passes_filter(names, own.name_filter):
            return False
        if own.tags and not set(operation.tags) & set(own.tags):
            return False
        return not own.methods or operation.method in {each.lower() for each in own.methods}

    def _offer(self, operation: Operation, mask: EchoedSecretMask) -> Operation | None:
        own, spec = self.connection, mask.spec(operation.spec)
        if spec is None:
            logger.warning("tool server {}: skipped an operation with a secret in its name", own.label)
            return None
        name = short_name(f"{own.prefix}_{operation.name}") if own.prefix else operation.name
        offered = replace(
            spec,
            name=name,
            confirm=needs_confirmation(own.confirm, changes_state=spec.changes_state),
            examples=own.examples.get(name, ()),
            timeout_seconds=own.timeout_seconds,
        )
        return replace(operation, spec=offered)


def _origin_request(request: PreparedRequest, credentials: RequestCredentials, server: str) -> OriginRequest:
    query = "&".join(filter(None, [request.query, urlencode(credentials.query)]))
    cookies = "; ".join(f"{name}={value}" for name, value in (*request.cookies, *credentials.cookies))
    url = f"{server}{request.path if request.path.startswith('/') else '/' + request.path}"
    return OriginRequest(
        method=request.method,
        url=f"{url}?{query}" if query else url,
        headers=(*request.headers, *credentials.headers, *((("Cookie", cookies),) if cookies else ())),
        content=request.content,
        files=_files(request.parts) if request.parts else None,
        auth=credentials.auth,
    )


def _files(parts: tuple[FormPart, ...]) -> Files:
    return [(part.name, (part.file_name or None, part.content, part.content_type or None)) for part in parts]
