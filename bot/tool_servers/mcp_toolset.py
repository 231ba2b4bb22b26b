"""The tools of one MCP server: connected, listed, called, and connected again when the server is gone."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from loguru import logger

from bot.tool_servers.answers import fed, shown
from bot.tool_servers.errors import ServerUnavailable
from bot.tool_servers.mcp_connection import Transport, transport
from bot.tool_servers.mcp_servers import McpServer
from bot.tool_servers.mcp_tools import READ_RESOURCE, resource_spec, result_of, tool_spec
from function_calls.calls import ToolResult, ToolSpec
from function_calls.context import CallContext
from function_calls.errors import SchemaInvalid
from function_calls.toolset import Viewer, unknown_tool
from function_calls.toolsets.openapi.document import DocumentInvalid
from function_calls.toolsets.source import Health

if TYPE_CHECKING:
    from mcp import Client
    from mcp.client.session import IncomingMessage
    from mcp.types import Tool

_FIRST_PAUSE: Final = 1.0  # seconds; doubled after each failure
_LONGEST_PAUSE: Final = 120.0
_STEADY: Final = 30.0  # a connection that lasted so long was a good one; the pauses begin anew
_LOOK_EVERY: Final = 60.0
_CONNECT_WITHIN: Final = 30.0
_MOST_PAGES: Final = 50
_MOST_TOOLS: Final = 500


class McpToolset:
    """Offers the tools of one server, and its resources as one more; none while it is not connected.

    `tried` is set once it was connected for the first time, or could not be.
    """

    def __init__(
        self,
        server: McpServer,
        *,
        connect: Callable[[McpServer, asyncio.Event], Transport] = transport,
        first_pause: float = _FIRST_PAUSE,
    ) -> None:
        self.server = server
        self.title = server.name
        self.resources: tuple[str, ...] = ()
        self.prompts: tuple[str, ...] = ()
        self._connect = connect
        self._first_pause = first_pause
        self._client: Client | None = None
        self._specs: tuple[ToolSpec, ...] = ()
        self._names: dict[str, str] = {}
        self._health = Health(is_ok=False, detail="not connected yet")
        self._changed = asyncio.Event()
        self.tried = asyncio.Event()

    @property
    def health(self) -> Health:
        """Whether it is connected."""
        return self._health

    async def list_specs(self, viewer: Viewer) -> tuple[ToolSpec, ...]:
        """Its tools; none while it cannot be reached."""
        del viewer
        return self._specs

    async def run(self) -> None:
        """Stay connected: after a failure again and again, with pauses that grow to two minutes."""
        pause, loop = self._first_pause, asyncio.get_running_loop()
        while True:
            began = loop.time()
            try:
                await self._connected()
                problem = "the server has ended"
            except* Exception as errors:  # noqa: BLE001 - the SDK raises whatever a server makes it raise, in groups
                problem = _first_text(errors)
            self._gone(problem)
            pause = self._first_pause if loop.time() - began > _STEADY else pause
            logger.warning("MCP server {}: {}; connecting again in {:.0f} s", self.server.label, problem, pause)
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def call(self, name: str, arguments: Mapping[str, object], context: CallContext) -> ToolResult:
        """Call a tool of the server; giving up the wait cancels the call there."""
        original, client = self._names.get(name), self._client
        if original is None or client is None:
            return unknown_tool(name, self._names, context.language)

        async def told(progress: float, total: float | None, message: str | None) -> None:
            share = f"{progress:g}/{total:g}" if total else f"{progress:g}"
            await context.progress(f"{message} ({share})" if message else share)

        from mcp import MCPError

        try:
            if original == READ_RESOURCE:
                return await _read(client, str(arguments["uri"]))
            result = await client.call_tool(
                original,
                dict(arguments),
                read_timeout_seconds=self.server.timeout_seconds,
                progress_callback=told,
            )
        except MCPError as error:
            self._changed.set()
            raise ServerUnavailable(f"{self.server.name}: {error}") from error
        return result_of(name, result, context.language)

    async def _connected(self) -> None:
        from mcp import Client

        ended = asyncio.Event()
        client = Client(self._connect(self.server, ended), message_handler=self._heard, cache=None)
        async with asyncio.timeout(_CONNECT_WITHIN) as deadline, client:
            await self._list(client)
            deadline.reschedule(None)
            async with _listening(client, self._changed):
                while not ended.is_set():
                    await self._wait(ended)
                    if not ended.is_set():
                        async with asyncio.timeout(_CONNECT_WITHIN):
                            await self._list(client)

    async def _wait(self, ended: asyncio.Event) -> None:
        """Wait until the connection has ended, the tools may have changed, or it is time to look."""
        waiting = [asyncio.ensure_future(each.wait()) for each in (ended, self._changed)]
        try:
            await asyncio.wait(waiting, timeout=_LOOK_EVERY, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waiting:
                each.cancel()
        self._changed.clear()

    async def _list(self, client: "Client") -> None:
        own, specs, names = self.server, list[ToolSpec](), dict[str, str]()
        async for tool in _tools(client):
            if own.allow is None or tool.name in own.allow:
                try:
                    spec = tool_spec(tool, own.label, own.confirm, names)
                except (DocumentInvalid, SchemaInvalid) as error:
                    logger.warning("tool {} of {} is left out: {}", tool.name, own.label, error)
                    continue
                specs.append(spec)
                names[spec.name] = tool.name
        await self._list_others(client)
        if self.resources and (own.allow is None or READ_RESOURCE in own.allow):
            specs.append(resource_spec(self.resources, names))
            names[specs[-1].name] = READ_RESOURCE
        self._client, self._names, self._health = client, names, Health()
        self.tried.set()
        if tuple(specs) != self._specs:
            self._specs = tuple(specs)
            logger.info("MCP server {} offers {} tools", own.label, len(specs))

    async def _list_others(self, client: "Client") -> None:
        """Resources and prompts, of servers that say they have some."""
        able = client.server_capabilities
        if able.resources is not None:
            self.resources = tuple(str(each.uri) for each in (await client.list_resources()).resources)
        if able.prompts is not None:
            self.prompts = tuple(each.name for each in (await client.list_prompts()).prompts)

    async def _heard(self, message: "IncomingMessage") -> None:
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            self._changed.set()

    def _gone(self, problem: str) -> None:
        self._client, self._specs, self._names = None, (), {}
        self.resources, self.prompts = (), ()
        self._health = Health(is_ok=False, detail=problem)
        self.tried.set()


async def _tools(client: "Client") -> "AsyncIterator[Tool]":
    """All tools, page by page; a server that never ends its list is believed so far and no further."""
    cursor, count = None, 0
    for _ in range(_MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        for tool in page.tools:
            count += 1
            if count > _MOST_TOOLS:
                return
            yield tool
        cursor = page.next_cursor
        if cursor is None:
            return


async def _read(client: "Client", uri: str) -> ToolResult:
    found = await client.read_resource(uri)
    text = "\n".join(getattr(each, "text", None) or f"[{each.mime_type or 'binary'}]" for each in found.contents)
    return ToolResult(ok=True, text=shown(text), value=fed(text))


@asynccontextmanager
async def _listening(client: "Client", changed: asyncio.Event) -> AsyncIterator[None]:
    """Hear of changed tools where that takes a subscription (protocol 2026-07-28 and later)."""
    task = asyncio.create_task(_listen(client, changed))
    try:
        yield
    finally:
        task.cancel()


async def _listen(client: "Client", changed: asyncio.Event) -> None:
    try:
        async with client.listen(tools_list_changed=True) as subscription:
            changed.set()  # what changed between the first look and now was heard by nobody
            async for _ in subscription:
                changed.set()
    except Exception as error:  # noqa: BLE001 - older servers notify without being asked; the list is looked at anyway
        logger.debug("no subscription to changes of tools: {}", error)


def _first_text(errors: BaseExceptionGroup[Exception]) -> str:
    first: BaseException = errors
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    return str(first) or type(first).__name__
