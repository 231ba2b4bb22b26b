"""Inspect the functions, plugins and tool servers of a configuration without starting a bot."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress
from typing import Final

from msgspec import Struct

from bot.app.registry import built_in_registry
from bot.config.platform_catalog import platform_names
from bot.config.settings import Settings
from bot.observability.logs import suspend_logging
from bot.plugins.manager import InstalledPlugin, PluginManager
from bot.tools.servers.sources import open_tool_sources
from bot.tools.skills import skill_sources
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolSpec
from function_calls.tools.context import Services
from function_calls.tools.permission import Viewer
from function_calls.tools.policy import ToolSwitches
from function_calls.toolsets.combined import LOCAL, NameClash
from function_calls.toolsets.source import Health, ToolSource
from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import Clock
from services.kernel.errors import ConfigError
from services.kernel.state import MemoryStateStore
from services.storage.engine.readonly import DatabaseView
from services.storage.tools import SqlStoredToolReader

_WAIT_SECONDS: Final = 30.0  # the operator wants the tools of every server, also of a slow one
_OPERATOR: Final = Viewer(
    person=Person(id="operator", name="operator", is_admin=True), chat=ChatAddress(platform="console", chat_id="home")
)


class InspectedSource(Struct, frozen=True, kw_only=True):
    """An external source of tools with its health and its tools."""

    source: ToolSource
    health: Health
    specs: tuple[ToolSpec, ...]


class Inspection(Struct, frozen=True, kw_only=True):
    """The built-in `functions`, the plugins, the tool sources, and the name clashes among them.

    `platforms` are the names of the platforms of plugins.
    """

    functions: tuple[ToolSpec, ...]
    plugins: tuple[InstalledPlugin, ...]
    sources: tuple[InspectedSource, ...]
    clashes: tuple[NameClash, ...]
    platforms: tuple[str, ...] = ()

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """Return all tools in the order of the tool list."""
        own = (*self.functions, *(spec for each in self.plugins for spec in each.tools))
        return (*own, *(spec for each in self.sources for spec in each.specs))


@asynccontextmanager
async def install_plugins(settings: Settings, clock: Clock) -> AsyncIterator[tuple[PluginManager, FunctionCallRouter]]:
    """Install the plugins of `settings` beside the built-in functions."""
    calls = FunctionCallRouter(built_in_registry())
    switches = ToolSwitches(MemoryStateStore(clock), clock)
    async with aclosing(PluginManager(settings.plugins, clock, switches)) as manager:
        manager.exclude_clashes(platform_names(settings))
        manager.install(calls, Services())
        yield manager, calls


async def inspect_bot(settings: Settings, clock: Clock) -> Inspection:
    """Load the plugins and list the tools of the tool servers, for at most half a minute.

    Raises:
        ConfigError: the settings of a connection are invalid.
    """
    with suspend_logging():
        async with (
            install_plugins(settings, clock) as (manager, calls),
            _open_stored_tools(settings) as store,
            open_tool_sources(
                settings.tool_servers,
                calls,
                owners=(_OPERATOR.key,),
                extra=[*manager.tool_sources(), *skill_sources(settings.skills)],
                clock=clock,
                store=store,
                token_folder=settings.mcp_token_folder,
                wait_seconds=_WAIT_SECONDS,
            ) as tools,
        ):
            listed = await tools.list_tools(_OPERATOR)
            of_plugins = {spec.name for each in manager.plugins for spec in each.tools}
            return Inspection(
                functions=tuple(spec for spec in calls.registry.specs if spec.name not in of_plugins),
                plugins=manager.plugins,
                sources=tuple(
                    InspectedSource(
                        source=source,
                        health=source.health(),
                        specs=tuple(each.spec for each in listed if each.source is source),
                    )
                    for source in tools.sources
                    if source.kind not in {LOCAL, "direct"}
                ),
                clashes=tools.combined.clashes,
                platforms=tuple(platform.name for platform in manager.platforms()),
            )


@asynccontextmanager
async def _open_stored_tools(settings: Settings) -> AsyncIterator[SqlStoredToolReader | None]:
    """Open the bot's database read-only and yield its stored tools; the bot may be using it meanwhile."""
    async with AsyncExitStack() as resources:
        store = None
        with suppress(ConfigError):  # no database, or one without the table of tools
            if settings.tool_servers.python_tools:
                view = await resources.enter_async_context(DatabaseView(settings.database_url))
                reader = SqlStoredToolReader(view)
                await reader.all()
                store = reader
        yield store
