"""Manage the plugins of a running bot: install, list, switch and reload them."""

import asyncio
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack
from typing import Final, TypeVar

from loguru import logger
from msgspec import Struct, field
from msgspec.structs import replace

from bot.config.settings import PluginSettings
from bot.inbound.middleware import Middleware
from bot.platforms.base import Platform
from bot.plugins.contributions import Host, Job, MakePage, close_all
from bot.plugins.diagnostics import describe_failure, report_failure, schema_changes
from bot.plugins.guard import PluginGuard, plugin_of, switch_of
from bot.plugins.loading import FoundPlugin, LoadedPlugin, find_enabled_plugins, load_plugin
from bot.plugins.validation import lint_contributions, named_parts
from function_calls.conversation.assistant import Command
from function_calls.conversation.switch_command import SwitchCommand
from function_calls.language.messages import say
from function_calls.model_calls.hooks import ModelHooks
from function_calls.registry import Registry, ToolNameTaken, check_inverses
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolSpec
from function_calls.tools.context import Services
from function_calls.tools.policy import CallPolicy, ToolSwitches
from function_calls.tools.toolset import Viewer
from function_calls.toolsets.source import ToolSource
from services.kernel.background_tasks import BackgroundTasks
from services.kernel.clock import Clock
from services.kernel.network import growing_pauses
from services.language_model.ports import LanguageModel
from services.search.model import SearchEngine

Hook = TypeVar("Hook")
_FIRST_PAUSE: Final = 1.0  # seconds before a failed job is restarted; doubled each time
_MAX_PAUSE: Final = 300.0
_COMMAND_NAMES: Final = frozenset({"plugins", "插件"})


class InstalledPlugin(Struct, kw_only=True):
    """An installed plugin; `removal` removes the contributions that can be exchanged in a running bot.

    `tools` are offered to people and models; `names` are those of all its functions, also of functions that only undo.
    """

    plugin: LoadedPlugin
    tools: tuple[ToolSpec, ...] = ()
    names: frozenset[str] = frozenset()
    removal: ExitStack = field(default_factory=ExitStack)


class ReloadResult(Struct, frozen=True, kw_only=True):
    """The result of loading a newer version: `error` is the reason why the old one stays, `changes` are differences."""

    name: str
    error: str = ""
    changes: tuple[str, ...] = ()


class PluginManager:
    """Loads plugins, installs their contributions, and isolates their failures."""

    def __init__(
        self, settings: PluginSettings, clock: Clock, switches: ToolSwitches, model: LanguageModel | None = None
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._model = model
        self._switches = switches
        found = find_enabled_plugins(settings)
        for each in found:
            if each.hides:
                logger.warning("plugin {}: {} is overridden by {}", each.name, " and ".join(each.hides), each.origin)
        self._installed: dict[str, InstalledPlugin] = {
            each.name: InstalledPlugin(plugin=load_plugin(each, settings, clock, model)) for each in found
        }
        self._replaced: list[LoadedPlugin] = []
        self.model_hooks = ModelHooks()
        switches.expand = self._tools_behind

    @property
    def plugins(self) -> tuple[InstalledPlugin, ...]:
        """Return all plugins, including those that failed."""
        return tuple(self._installed.values())

    def exclude_clashes(self, platforms: Iterable[str]) -> None:
        """Exclude plugins with a platform of these names, or with the platform or toolset name of another plugin."""
        owners: dict[str, str] = {f"platform {name}": "the bot" for name in platforms}
        for each in list(self._working()):
            own = named_parts(each.plugin.adds)
            taken = [name for name in own if name in owners or own.count(name) > 1]
            if taken:
                reason = (
                    f"its {taken[0]} has a name that {owners.get(taken[0], 'another of its own')} has; give it another"
                )
                report_failure(each.plugin.name, reason)
                self._installed[each.plugin.name] = InstalledPlugin(plugin=replace(each.plugin, error=reason))
            else:
                owners |= dict.fromkeys(own, f"plugin {each.plugin.name}")

    def platforms(self) -> list[Platform]:
        """Return the chat platforms of all plugins."""
        return [platform for each in self._working() for platform in each.plugin.adds.platforms]

    def engines(self) -> list[SearchEngine]:
        """Return the search engines of all plugins."""
        return [engine for each in self._working() for engine in each.plugin.adds.engines]

    def tool_sources(self) -> list[ToolSource]:
        """Return the toolsets of all plugins."""
        return [
            ToolSource(label=label, kind="plugin", toolset=toolset, title=each.plugin.name)
            for each in self._working()
            for label, toolset in each.plugin.adds.toolsets.items()
        ]

    def middlewares(self) -> list[Middleware]:
        """Return the guarded middlewares of all plugins."""
        return [
            self._guard(each).middleware(inner) for each in self._working() for inner in each.plugin.adds.middlewares
        ]

    def chat_commands(self) -> list[Command]:
        """Return the guarded chat commands of all plugins."""
        return [
            self._guard(each).chat_command(inner)
            for each in self._working()
            for inner in each.plugin.adds.chat_commands
        ]

    def pages(self) -> list[tuple[str, MakePage]]:
        """Return the pages of all plugins, each with the name of its plugin."""
        return [(each.plugin.name, page) for each in self._working() for page in each.plugin.adds.pages]

    def install(self, calls: FunctionCallRouter, services: Services) -> None:
        """Install functions, hooks and listeners; a plugin with an invalid function is excluded as a whole."""
        for each in list(self._working()):
            self._installed[each.plugin.name] = self._install_plugin(each.plugin, calls, services)

    def start_jobs(self, tasks: BackgroundTasks, host: Host) -> None:
        """Start the jobs of the plugins."""
        for each in self._working():
            for name, job in each.plugin.adds.jobs:
                tasks.start(_run_job(f"{each.plugin.name}/{name}", job, host), f"plugin {each.plugin.name}")

    async def reload(self, found: FoundPlugin, calls: FunctionCallRouter, services: Services) -> ReloadResult:
        """Exchange a plugin's functions, hooks and listeners; if the new version fails, the old one stays.

        Toolsets, platforms, engines, middlewares, commands, pages and jobs stay as they are until a restart, and so do
        the open resources of a version that has any of them.
        """
        new = load_plugin(found, self._settings, self._clock, self._model)
        old = self._installed.get(found.name)
        trial = new if new.error else self._check_clashes(new, old, calls)
        if trial.error:
            if old is None:
                self._installed[found.name] = InstalledPlugin(plugin=trial)
            await close_all(new.name, new.adds.on_close)
            return ReloadResult(name=found.name, error=trial.error)
        if old is not None:
            old.removal.close()
        current = self._installed[found.name] = self._install_plugin(new, calls, services)
        if old is not None:
            await self._uninstall_plugin(old.plugin)
        changes = schema_changes(() if old is None else old.tools, current.tools)
        return ReloadResult(name=found.name, error=current.plugin.error, changes=tuple(changes))

    async def remove(self, name: str) -> None:
        """Remove a plugin whose file was deleted."""
        gone = self._installed.pop(name, None)
        if gone is not None:
            gone.removal.close()
            await self._uninstall_plugin(gone.plugin)

    async def aclose(self) -> None:
        """Close the resources of the plugins, the last plugin first."""
        for each in reversed([*self._replaced, *(each.plugin for each in self.plugins)]):
            await close_all(each.name, each.adds.on_close)

    async def _uninstall_plugin(self, old: LoadedPlugin) -> None:
        """Close the resources of an older version, unless some of its contributions stay in use."""
        if old.adds.outlives_reload:
            self._replaced.append(old)
        else:
            await close_all(old.name, old.adds.on_close)

    def _check_clashes(self, new: LoadedPlugin, old: InstalledPlugin | None, calls: FunctionCallRouter) -> LoadedPlugin:
        """Return `new`, with an error if its functions clash with those of all others."""
        try:
            trial = Registry(injectable=(*calls.registry.injectable, *map(type, new.adds.services)))
            _register(trial, new, ExitStack())
            others = [tool for tool in calls.registry if old is None or tool.name not in old.names]
            check_inverses(trial, [*others, *trial])
        except Exception as error:  # noqa: BLE001 - a plugin is anybody's code; the old version must stay
            return replace(new, error=self._describe_failure(error, new, ()))
        taken = next((tool.name for tool in others if trial.get(tool.name)), None)
        return new if taken is None else replace(new, error=self._taken_by(taken, new))

    def _install_plugin(self, plugin: LoadedPlugin, calls: FunctionCallRouter, services: Services) -> InstalledPlugin:
        adds, guard = plugin.adds, PluginGuard(plugin.name, self._switches)
        before = frozenset(tool.name for tool in calls.registry)
        with ExitStack() as removal:
            try:
                for service in adds.services:
                    services.add(service)
                    calls.registry.allow(type(service))
                _register(calls.registry, plugin, removal)
                check_inverses(calls.registry, calls.registry)
            except Exception as error:  # noqa: BLE001 - a plugin is anybody's code; the bot must start without it
                reason = self._describe_failure(error, plugin, before)
                report_failure(plugin.name, reason, error)
                return InstalledPlugin(plugin=replace(plugin, error=reason))
            _add_all(removal, calls.hooks.before, map(guard.before_tool, adds.tool_hooks.before))
            _add_all(removal, calls.hooks.after, map(guard.after_tool, adds.tool_hooks.after))
            _add_all(removal, self.model_hooks.before, map(guard.before_model, adds.model_hooks.before))
            _add_all(removal, self.model_hooks.after, map(guard.after_model, adds.model_hooks.after))
            _add_all(removal, self.model_hooks.on_error, map(guard.on_model_error, adds.model_hooks.on_error))
            for name, listener in adds.listeners:
                removal.callback(calls.events.subscribe(name, guard.listener(listener)))
            stays = removal.pop_all()
        names = frozenset(tool.name for tool in calls.registry) - before
        tools = tuple(spec for spec in calls.registry.specs if spec.name in names)
        logger.info("plugin {} loaded: {} functions", plugin.name, len(tools))
        for hint in lint_contributions(adds, tools):
            logger.warning("plugin {}: {}", plugin.name, hint)
        return InstalledPlugin(plugin=plugin, tools=tools, names=names, removal=stays)

    def _describe_failure(self, error: Exception, plugin: LoadedPlugin, others: Collection[str]) -> str:
        """Return why the functions of `plugin` were not registered; `others` are the names registered before it."""
        if not isinstance(error, ToolNameTaken):
            return describe_failure(error, plugin.found.path)
        if error.tool in others:
            return self._taken_by(error.tool, plugin)
        return f"two of its functions are called {error.tool}; rename one of them"

    def _taken_by(self, tool: str, plugin: LoadedPlugin) -> str:
        owner = next((each.plugin.name for each in self.plugins if tool in each.names), None)
        if owner in {None, plugin.name}:
            return (
                f"a function {tool} is registered already, by the bot or by functions=[…] of the program;"
                ' rename it with @tool_function(name="…"), or remove one of the two'
            )
        return (
            f"its function {tool} has the name of one of plugin {owner}; rename one of them,"
            " or name one of the two plugins in plugins.disabled"
        )

    def _tools_behind(self, switch: str) -> tuple[str, ...]:
        installed = self._installed.get(plugin_of(switch) or "")
        return () if installed is None else tuple(spec.name for spec in installed.tools)

    def _guard(self, each: InstalledPlugin) -> PluginGuard:
        return PluginGuard(each.plugin.name, self._switches)

    def _working(self) -> Iterator[InstalledPlugin]:
        return (each for each in self._installed.values() if not each.plugin.error)


def _register(registry: Registry, plugin: LoadedPlugin, removal: ExitStack) -> None:
    for source in plugin.adds.functions:
        removal.callback(registry.collect(source))


def _add_all(removal: ExitStack, to: list[Hook], hooks: Iterable[Hook]) -> None:
    """Add `hooks` to a list until `removal` is closed."""
    for hook in hooks:
        to.append(hook)
        removal.callback(to.remove, hook)


async def _run_job(name: str, job: Job, host: Host) -> None:
    """Run a job; restart it after failures, with growing pauses."""
    for pause in growing_pauses(_FIRST_PAUSE, _MAX_PAUSE):
        try:
            await job(host)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin is anybody's code; it must not end the bot
            logger.opt(exception=error).error("job {} of a plugin failed; restarting in {:.0f} s", name, pause)
            await asyncio.sleep(pause)
        else:
            return


class PluginCommands(SwitchCommand):
    """Answers /plugins, /plugins off NAME and /plugins on NAME for those who may rule the chat."""

    def __init__(self, manager: PluginManager, policy: CallPolicy) -> None:
        super().__init__(_COMMAND_NAMES, policy, refused="plugins.refused")
        self._manager = manager
        self._switches = policy.switches

    async def list_items(self, viewer: Viewer, language: str) -> str:
        """List every plugin with its functions, one a line."""
        plugins = self._manager.plugins
        if not plugins:
            return say(language, "plugins.none")
        off = await self._switches.off_in(viewer.chat)
        lines = [_line(each, language, is_off=switch_of(each.plugin.name) in off) for each in plugins]
        return "\n".join([say(language, "plugins.head"), *lines, say(language, "plugins.how")])

    async def switch_item(self, viewer: Viewer, name: str, language: str, *, is_on: bool) -> str:
        """Switch a plugin, or list the plugins if none has the name."""
        names = [each.plugin.name for each in self._manager.plugins]
        if name not in names:
            return say(language, "plugins.unknown", name=name, known=", ".join(names))
        await self._switches.switch(viewer.chat, switch_of(name), is_on=is_on)
        return say(language, "plugins.switched_on" if is_on else "plugins.switched_off", name=name)


def _line(each: InstalledPlugin, language: str, *, is_off: bool) -> str:
    if each.plugin.error:
        return say(language, "plugins.broken", name=each.plugin.name)
    functions = ", ".join(spec.name for spec in each.tools)
    return say(language, "plugins.off" if is_off else "plugins.on", name=each.plugin.name, functions=functions)
