"""Open all tool sources of a bot and keep them running; import only what is configured."""

import asyncio
import json
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from loguru import logger
from msgspec import Struct, field
from pydantic import SecretStr

from bot.config.field_errors import config_message
from bot.config.settings import ToolServerSettings
from bot.tools.servers.responses import ServerUnavailable
from function_calls.language.messages import Message
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolSpec
from function_calls.tools.permission import Viewer
from function_calls.tools.toolset import Toolset
from function_calls.toolsets.combined import LOCAL, CombinedToolset, LocalToolset, combine_external
from function_calls.toolsets.direct import DirectToolset
from function_calls.toolsets.source import Access, Health, ToolSource
from services.kernel.background_tasks import running_tasks
from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import Clock
from services.storage.tools import SqlStoredToolReader, SqlStoredToolStore

if TYPE_CHECKING:
    from bot.tools.servers.connections import RefusedConnection, ServerConnections, ToolServerConnection
    from bot.tools.servers.mcp.servers import McpServer
    from bot.tools.servers.mcp.toolset import McpToolset
    from bot.tools.servers.openapi_toolset import DocumentChanges, OpenApiToolset
    from bot.tools.stored.repository import StoredToolRepository
    from bot.tools.stored.toolset import StoredToolset

DIRECT: Final = "direct"
PYTHON: Final = "python"
_WAIT_AT_TEST: Final = 15.0
_WAIT_AT_START: Final = 5.0  # seconds that a bot waits for its tool servers before it begins without them


class ListedTool(Struct, frozen=True, kw_only=True):
    """A tool that a person may see, with its source."""

    spec: ToolSpec
    source: ToolSource


class ToolSources(Struct, frozen=True, kw_only=True):
    """The sources in their order, `combined` as one, and `direct` with the tools that clients run themselves.

    `stored` offers stored Python tools and `repository` changes them; None if Python tools are off.
    """

    sources: tuple[ToolSource, ...]
    combined: CombinedToolset
    direct: DirectToolset
    refreshable: "Mapping[str, OpenApiToolset]" = field(default_factory=dict)
    stored: "StoredToolset | None" = None
    repository: "StoredToolRepository | None" = None

    async def list_tools(self, viewer: Viewer) -> tuple[ListedTool, ...]:
        """List the tools that `viewer` may see in the chat, including those that are switched off there."""
        by_label = {source.label: source for source in self.sources}
        return tuple(
            ListedTool(spec=spec, source=by_label[label])
            for label, spec in await self.combined.list_labelled(viewer)
            if label in by_label
        )

    async def refresh(self, label: str) -> "DocumentChanges":
        """Fetch the document of an OpenAPI server again.

        Raises:
            LookupError: no OpenAPI server has this label.
            ServerUnavailable: the document cannot be fetched or used.
        """
        if label not in self.refreshable:
            raise LookupError(label)
        return await self.refreshable[label].refresh()


@asynccontextmanager
async def open_tool_sources(
    settings: ToolServerSettings,
    calls: FunctionCallRouter,
    *,
    owners: Collection[str] = (),
    extra: Iterable[ToolSource] = (),
    clock: Clock,
    store: SqlStoredToolReader | None = None,
    token_folder: Path | None = None,
    wait_seconds: float = _WAIT_AT_START,
) -> AsyncIterator[ToolSources]:
    """Offer the tools of all external sources through `calls` while the context is open.

    `owners` (`platform:id`) may use every source; `extra` are those of plugins and skills. `store` has the stored
    Python tools, which can be changed if it is not only a reader, `clock` tells the time of their changes, and
    `token_folder` keeps the tokens of sign-ins at MCP servers. The tools of servers that take more than `wait_seconds`
    are offered later.

    Raises:
        ConfigError: a connection cannot be read.
    """
    async with AsyncExitStack() as resources:
        connections = _connections(settings, token_folder)
        openapi = (
            await _open_openapi_toolsets(connections.openapi, settings, resources) if connections is not None else []
        )
        mcp_servers = _mcp_servers(settings, connections)
        try:
            mcp, unusable = _mcp_toolsets(mcp_servers), []
        except ServerUnavailable as error:
            logger.error("{}", error)
            mcp, unusable = [], [_unusable_source("mcp", each.label, error.problem) for each in mcp_servers]
        direct = DirectToolset()
        stored = repository = None
        if store is not None and settings.python_tools:
            from bot.tools.stored.repository import StoredToolRepository
            from bot.tools.stored.toolset import open_stored_tools

            stored = open_stored_tools(store, settings, owners)
            repository = StoredToolRepository(store, clock) if isinstance(store, SqlStoredToolStore) else None
        local = ToolSource(label=LOCAL, kind="local", toolset=LocalToolset(calls))
        external = (
            *(_server_source("openapi", each.connection, each) for each in openapi),
            *(_server_source("mcp", each.server, each) for each in mcp),
            *(_refused_source(each) for each in (() if connections is None else connections.refused)),
            *unusable,
            *extra,
            # The toolset itself checks access to each tool.
            *(() if stored is None else (ToolSource(label=PYTHON, kind="python", toolset=stored),)),
            ToolSource(label=DIRECT, kind="direct", toolset=direct),
        )
        guarded: dict[str, Toolset] = {source.label: source.restrict(owners) for source in external}
        combined = combine_external(calls, guarded)
        await _start([*openapi, *mcp], resources, wait_seconds)
        yield ToolSources(
            sources=(local, *external),
            combined=combined,
            direct=direct,
            refreshable={each.connection.label: each for each in openapi},
            stored=stored,
            repository=repository,
        )


def tool_secrets(settings: ToolServerSettings) -> tuple[str, ...]:
    """Return the secrets of all connections and MCP servers, for masking.

    Raises:
        ConfigError: the connections or the file of MCP servers cannot be read.
    """
    connections = _connections(settings)
    servers = (secret for each in _mcp_servers(settings) for secret in each.secrets)
    return (*(() if connections is None else connections.secrets), *servers)


def mcp_server(settings: ToolServerSettings, name: str, token_folder: Path) -> "McpServer | None":
    """Return the configured MCP server called `name`, or None.

    Raises:
        ConfigError: a connection or the file of servers cannot be read.
    """
    servers = _mcp_servers(settings, _connections(settings, token_folder))
    return next((each for each in servers if each.name == name), None)


class ServerProbe(Struct, frozen=True, kw_only=True):
    """The names of the tools of a server, or the problem that prevented listing them."""

    tools: tuple[str, ...] = ()
    problem: Message | str = ""


async def try_connection(entry: Mapping[str, object], settings: ToolServerSettings) -> ServerProbe:
    """Connect once to the server of an entry of `TOOL_SERVER_CONNECTIONS`, and list its tools."""
    from bot.tools.servers.connections import read_connections

    nothing, written = SecretStr(""), SecretStr(json.dumps([{**entry, "enabled": True}]))
    only = {"urls": (), "page_connections": nothing, "connections": written}
    found = read_connections(settings.model_copy(update=only))
    if found.refused:
        return ServerProbe(problem=config_message(found.refused[0].problem))
    async with AsyncExitStack() as resources:
        toolsets: list[OpenApiToolset | McpToolset] = []
        try:
            toolsets += await _open_openapi_toolsets(found.openapi, settings, resources)
            toolsets += _mcp_toolsets(found.mcp)
        except ServerUnavailable as error:
            return ServerProbe(problem=error.problem)
        await _start(toolsets, resources, _WAIT_AT_TEST)
        [toolset] = toolsets
        if not toolset.first_try.is_set():
            return ServerProbe(problem=Message("server.timeout"))
        if not toolset.health.is_ok:
            return ServerProbe(problem=toolset.health.detail)
        nobody = Viewer(person=Person(id="", name=""), chat=ChatAddress(platform="web", chat_id=""))
        return ServerProbe(tools=tuple(spec.name for spec in await toolset.list_specs(nobody)))


def _connections(settings: ToolServerSettings, token_folder: Path | None = None) -> "ServerConnections | None":
    """Return the connections of the settings; None if there are none, to import nothing for them."""
    written = (settings.connections, settings.page_connections)
    if not (settings.urls or any(each.get_secret_value() for each in written)):
        return None
    from bot.tools.servers.connections import read_connections

    return read_connections(settings, token_folder)


def _mcp_servers(
    settings: ToolServerSettings, connections: "ServerConnections | None" = None
) -> "tuple[McpServer, ...]":
    """List the MCP servers of the connections and the file; a label of the file that is taken is changed."""
    listed = () if connections is None else connections.mcp
    if not settings.mcp_file:
        return listed
    from bot.tools.servers.mcp.servers import read_mcp_servers

    taken = set() if connections is None else connections.labels
    found = read_mcp_servers(settings.mcp_file)
    return (
        *listed,
        *(each if each.label not in taken else each.model_copy(update={"name": f"{each.label}_mcp"}) for each in found),
    )


def _mcp_toolsets(wanted: "Sequence[McpServer]") -> "list[McpToolset]":
    """Return the toolsets of MCP servers.

    Raises:
        ServerUnavailable: the extra `mcp` is not installed.
    """
    if not wanted:
        return []
    try:
        from bot.tools.servers.mcp.toolset import McpToolset
    except ImportError as error:
        raise ServerUnavailable(Message("server.no_mcp")) from error
    return [McpToolset(each) for each in wanted]


async def _open_openapi_toolsets(
    wanted: "Sequence[ToolServerConnection]", settings: ToolServerSettings, resources: AsyncExitStack
) -> "list[OpenApiToolset]":
    if not wanted:
        return []
    # The HTTP client is slow to import, and most bots have no tool server.
    from bot.tools.servers.openapi_toolset import OpenApiToolset, ResponseLimits
    from bot.tools.servers.origin_client import OriginClient

    limits = ResponseLimits(
        document=settings.max_document_megabytes * 1_000_000, response=settings.max_answer_kilobytes * 1_000
    )
    toolsets = []
    for connection in wanted:
        seconds = connection.timeout_seconds or settings.timeout_seconds
        client = await resources.enter_async_context(OriginClient(connection.url, timeout_seconds=seconds))
        toolsets.append(OpenApiToolset(connection, client, limits=limits))
    return toolsets


def _refused_source(refused: "RefusedConnection") -> ToolSource:
    logger.error("tool server connection {} is invalid: {}", refused.label, refused.problem)
    error = refused.problem
    place = {"place": f"{error.path}: {error.key}", "reason": config_message(error)}
    return _unusable_source("openapi", refused.label, Message("server.not_used", place), is_final=True)


def _unusable_source(
    kind: Literal["openapi", "mcp"], label: str, problem: Message | str, *, is_final: bool = False
) -> ToolSource:
    """Return a source without tools, whose health shows the problem of its connection."""
    health = Health(is_ok=False, detail=problem, is_final=is_final)
    return ToolSource(
        label=label, kind=kind, toolset=CombinedToolset({}), access=Access(is_public=False), health=lambda: health
    )


def _server_source(
    kind: Literal["openapi", "mcp"], own: "ToolServerConnection | McpServer", toolset: "OpenApiToolset | McpToolset"
) -> ToolSource:
    return ToolSource(
        label=own.label, kind=kind, toolset=toolset, title=own.name, access=own.access, health=lambda: toolset.health
    )


async def _start(
    toolsets: "Sequence[OpenApiToolset | McpToolset]", resources: AsyncExitStack, wait_seconds: float
) -> None:
    """Run toolsets until `resources` are closed; wait at most `wait_seconds` for their first attempts to connect."""
    tasks = await resources.enter_async_context(running_tasks())
    for each in toolsets:
        tasks.start(each.run(), f"tool server {each.title}")
    try:
        async with asyncio.timeout(wait_seconds):
            for each in toolsets:
                await each.first_try.wait()
    except TimeoutError:
        logger.warning("some tool servers did not answer within {:.0f} s; continuing without their tools", wait_seconds)
