"""Offer and call the operations of one OpenAPI server; its document is cached until refreshed."""

import asyncio
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

from loguru import logger
from msgspec import Struct
from msgspec.structs import replace

from bot.tools.servers.answers import ServerUnavailable, result_of
from bot.tools.servers.connections import ToolServerConnection
from bot.tools.servers.credentials import Credentials, Shown
from bot.tools.servers.documents import fetched, inline
from bot.tools.servers.echoes import EchoedSecretMask
from bot.tools.servers.exchange import Exchange, Files, Outgoing
from bot.tools.servers.mcp.servers import passes_filter
from function_calls.tools.calls import ToolResult, ToolSpec
from function_calls.tools.context import CallContext
from function_calls.tools.toolset import Viewer, short_name, unknown_tool
from function_calls.toolsets.openapi.operation import ImportedDocument, Operation
from function_calls.toolsets.openapi.request import FormPart, PreparedRequest, prepare_request
from function_calls.toolsets.source import Health
from services.kernel.network import growing_pauses

_FIRST_PAUSE: Final = 2.0  # seconds; doubled after each failure
_LONGEST_PAUSE: Final = 300.0


class DocumentChanges(Struct, frozen=True, kw_only=True):
    """What a refresh found: names of operations that came, went, or mean something else now."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


class AnswerLimits(Struct, frozen=True, kw_only=True):
    """How much of a server's answers is read, in bytes."""

    document: int = 10_000_000
    answer: int = 1_000_000


class OpenApiToolset:
    """Offers the operations of one server; none until its document has been fetched.

    `tried` is set once that was tried, whatever came of it.
    """

    def __init__(
        self,
        connection: ToolServerConnection,
        exchange: Exchange,
        *,
        limits: AnswerLimits | None = None,
        first_pause: float = _FIRST_PAUSE,
    ) -> None:
        self.connection = connection
        self.title = connection.label
        self._exchange = exchange
        self._limits = limits or AnswerLimits()
        self._credentials = Credentials(connection, exchange)
        self._operations: dict[str, Operation] = {}
        self._specs: tuple[ToolSpec, ...] = ()
        self._base_url = connection.url
        self._health = Health(is_ok=False, detail="not fetched yet")
        self._first_pause = first_pause
        self._loading = asyncio.Lock()
        self.tried = asyncio.Event()

    @property
    def health(self) -> Health:
        """Return whether its document is here; a server that fails later fails call by call."""
        return self._health

    async def list_specs(self, viewer: Viewer) -> tuple[ToolSpec, ...]:
        """Return the tools of the document that was fetched last."""
        del viewer
        return self._specs

    async def refresh(self) -> DocumentChanges:
        """Fetch the document again and say what changed; the old tools stay when that fails.

        Raises:
            ServerUnavailable: it cannot be fetched or used.
        """
        async with self._loading:
            try:
                found, base = await self._document()
            except ServerUnavailable as error:
                self._health = Health(is_ok=False, detail=self._credentials.echoes.text(str(error)))
                raise
            changes, echoes = self._took(found.operations), self._credentials.echoes
            self.title, self._base_url = echoes.text(found.title) or self.title, base
            self._health = Health(detail=echoes.text("; ".join(found.problems[:3])))
        log = logger.bind(server=self.connection.label)
        log.info("{} tools of {}: {} new, {} gone, {} changed", len(self._specs), self.title,
                 len(changes.added), len(changes.removed), len(changes.changed))  # fmt: skip
        return changes

    async def _document(self) -> tuple[ImportedDocument, str]:
        own = self.connection
        if own.spec is not None:
            return await asyncio.to_thread(inline, own.spec, own.url), own.url
        return await fetched(
            self._exchange, own.url, own.path, self._credentials.for_document(), max_bytes=self._limits.document
        )

    async def keep_trying(self) -> None:
        """Fetch the document, as often as it takes; the pauses grow to five minutes."""
        for pause in growing_pauses(self._first_pause, _LONGEST_PAUSE):
            try:
                await self.refresh()
            except ServerUnavailable as error:
                logger.warning("tool server {}: {}; retrying in {:.0f} s", self.connection.label, error, pause)
            else:
                return
            finally:
                self.tried.set()
            await asyncio.sleep(pause)

    async def call(self, name: str, arguments: Mapping[str, object], context: CallContext) -> ToolResult:
        """Send the request of an operation and read its answer."""
        operation = self._operations.get(name)
        if operation is None:
            return unknown_tool(name, self._operations, context.language)
        request = prepare_request(operation, arguments)
        shown = await self._credentials.shown(operation, self._base_url)
        answer = await self._exchange.send(
            _outgoing(request, shown, self._server(operation)), max_bytes=self._limits.answer
        )
        return result_of(name, answer, context.language, self._credentials.echoes)

    def _server(self, operation: Operation) -> str:
        """Return the operation's own server where that is of the configured origin, else the configured address."""
        for url in operation.servers:
            try:
                if self._exchange.is_home(url):
                    return url
            except ServerUnavailable:
                continue
        return self._base_url.rstrip("/")

    def _took(self, found: tuple[Operation, ...]) -> DocumentChanges:
        before = self._operations
        echoes = self._credentials.echoes
        wanted = (self._to_offer(each, echoes) for each in found if self._is_wanted(each))
        kept = [each for each in wanted if each is not None]
        now = {each.name: before[each.name] if before.get(each.name) == each else each for each in kept}
        changes = DocumentChanges(
            added=tuple(name for name in now if name not in before),
            removed=tuple(name for name in before if name not in now),
            changed=tuple(name for name in now if name in before and now[name] is not before[name]),
        )
        self._operations = now
        if changes:
            self._specs = tuple(each.spec for each in now.values())
        return changes

    def _is_wanted(self, operation: Operation) -> bool:
        own, names = self.connection, {operation.name, operation.operation_id}
        if names & set(own.exclude) or (own.include and not names & set(own.include)):
            return False
        if not passes_filter(names, own.name_filter):
            return False
        if own.tags and not set(operation.tags) & set(own.tags):
            return False
        return not own.methods or operation.method in {each.lower() for each in own.methods}

    def _to_offer(self, operation: Operation, echoes: EchoedSecretMask) -> Operation | None:
        own, spec = self.connection, echoes.spec(operation.spec)
        if spec is None:
            logger.warning("tool server {}: skipped an operation with a secret in its name", own.label)
            return None
        asks = {"always": True, "never": False, "changes": operation.changes_state}[own.confirm]
        name = short_name(f"{own.prefix}_{operation.name}") if own.prefix else operation.name
        offered = replace(
            spec,
            name=name,
            confirm=asks,
            examples=own.examples.get(name, ()),
            timeout_seconds=own.timeout_seconds,
        )
        return replace(operation, spec=offered)


def _outgoing(request: PreparedRequest, shown: Shown, server: str) -> Outgoing:
    query = "&".join(filter(None, [request.query, urlencode(shown.query)]))
    cookies = "; ".join(f"{name}={value}" for name, value in (*request.cookies, *shown.cookies))
    url = f"{server}{request.path if request.path.startswith('/') else '/' + request.path}"
    return Outgoing(
        method=request.method,
        url=f"{url}?{query}" if query else url,
        headers=(*request.headers, *shown.headers, *((("Cookie", cookies),) if cookies else ())),
        content=request.content,
        files=_files(request.parts) if request.parts else None,
        auth=shown.auth,
    )


def _files(parts: tuple[FormPart, ...]) -> Files:
    return [(part.name, (part.file_name or None, part.content, part.content_type or None)) for part in parts]
