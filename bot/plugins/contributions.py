"""Add the contributions of a plugin to the bot, read its options, and close its resources."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Final, TypeVar

from loguru import logger
from msgspec import Struct, field
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from bot.inbound.middleware import Middleware
from bot.outbound.outbox import Outbox
from bot.platforms.base import Platform
from function_calls.conversation.assistant import Command
from function_calls.model_calls.hooks import ModelHooks
from function_calls.tools.context import Services
from function_calls.tools.dispatch.events import Listener
from function_calls.tools.dispatch.hooks import ToolHooks, maybe_await
from function_calls.tools.toolset import Toolset
from services.kernel.clock import Clock
from services.kernel.errors import ConfigError
from services.kernel.state import StateStore
from services.kernel.text import closest_names
from services.language_model.ports import LanguageModel, NullModel
from services.search.model import SearchEngine

if TYPE_CHECKING:
    import click
    from fastapi import APIRouter

    from bot.http.core.context import HttpContext


M = TypeVar("M", bound=BaseModel)
Close = Callable[[], Awaitable[object] | object]
_SECONDS: Final = 5.0  # for each callback


def _list_problems(error: ValidationError, model: type[BaseModel], given: Mapping[str, object]) -> list[str]:
    """Return a phrase for each key that is missing, unknown or wrong."""
    found = error.errors(include_url=False, include_input=False)
    return [_describe_problem(each, model, given) for each in found]


def _find_ignored_options(model: type[BaseModel], given: Mapping[str, object]) -> Iterator[str]:
    """Yield a phrase for each key that `model` ignores and that resembles one that it reads."""
    if model.model_config.get("extra") is not None:
        return
    for key in _find_unread_keys(model, given):
        near = closest_names(key, _keys(model).keys() - given.keys())
        if near:
            yield f"{key} is not read; did you mean {near[0]}?"


def _describe_problem(problem: ErrorDetails, model: type[BaseModel], given: Mapping[str, object]) -> str:
    key = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "missing":
        near = closest_names(key, _find_unread_keys(model, given))
        slip = f"; {near[0]} is given, did you mean {key}?" if near else ""
        return f"{key} is missing ({_describe_option(key, model)}){slip}"
    if problem["type"] == "extra_forbidden":
        near = closest_names(key, _keys(model))
        return f"{key} is unknown; " + (f"did you mean {near[0]}?" if near else f"there are: {', '.join(_keys(model))}")
    return f"{key}: {problem['msg'].removeprefix('Value error, ')}" if key else problem["msg"]


def _describe_option(key: str, model: type[BaseModel]) -> str:
    field = _keys(model).get(key)
    if field is None:
        return "required"
    shown = model.model_fields[field]
    kind = shown.annotation.__name__ if isinstance(shown.annotation, type) else str(shown.annotation)
    return f"{kind}: {shown.description}" if shown.description else kind


def _find_unread_keys(model: type[BaseModel], given: Mapping[str, object]) -> list[str]:
    return [key for key in given if key not in _keys(model)]


def _keys(model: type[BaseModel]) -> dict[str, str]:
    """Return the fields of `model` by their names and aliases in a table."""
    keys = {name: name for name in model.model_fields}
    return keys | {field.alias: name for name, field in model.model_fields.items() if field.alias}


async def close_all(plugin: str, opened: list[Close]) -> None:
    """Pop and call the callbacks of `opened` from its end; errors and timeouts are logged."""
    while opened:
        close = opened.pop()
        try:
            async with asyncio.timeout(_SECONDS):
                await maybe_await(close())
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin is anybody's code; the others must be closed too
            logger.opt(exception=error).error("plugin {} could not close a resource", plugin)


class Host(Struct, frozen=True, kw_only=True):
    """Parts of the running bot for the jobs of a plugin. `state` keeps JSON over restarts."""

    services: Services
    outbox: Outbox
    state: StateStore
    clock: Clock


Job = Callable[[Host], Awaitable[None]]


MakePage = Callable[["HttpContext"], "APIRouter"]


class Contributions(Struct, kw_only=True):
    """The contributions of a plugin, to which `setup(add)` appends; they are installed after all plugins are set up.

    Attributes:
        name: the plugin's name: its file, or its entry point.
        options: its table `[plugins.options.NAME]` of the settings; see `settings`.
        clock: the clock of the bot.
        model: the bot's language model, for agents; without a configured one, every request fails.
        functions: functions and class tools marked with `@tool_function`, and modules or objects that have such.
        services: objects that are injected into functions, by the class that annotates a parameter.
        toolsets: external tools, by label.
        platforms: chat platforms to serve.
        engines: search engines, asked after the configured ones.
        middlewares: handle every message after the built-in ones.
        tool_hooks: run before and after every call.
        model_hooks: run before and after every answer of a model, and when it fails; not for answers of the rules.
        listeners: (event, listener) for the event bus; `*` stands for all events.
        chat_commands: get a message before it is interpreted, and answer their own commands.
        cli_commands: further commands of `bubbles`.
        pages: routers of the HTTP API, made from its context; they are served under `/plugins/NAME`.
        jobs: (name, work) that runs beside the bot; failed work is restarted after a pause.
        on_close: callbacks without arguments that close the plugin's resources, asynchronous or not; called last first,
            when the bot has stopped or a newer version is loaded; each may take five seconds.
    """

    name: str
    clock: Clock
    model: LanguageModel = field(default_factory=NullModel)
    options: Mapping[str, object] = field(default_factory=dict)
    functions: list[object] = field(default_factory=list)
    services: list[object] = field(default_factory=list)
    toolsets: dict[str, Toolset] = field(default_factory=dict)
    platforms: list[Platform] = field(default_factory=list)
    engines: list[SearchEngine] = field(default_factory=list)
    middlewares: list[Middleware] = field(default_factory=list)
    tool_hooks: ToolHooks = field(default_factory=ToolHooks)
    model_hooks: ModelHooks = field(default_factory=ModelHooks)
    listeners: list[tuple[str, Listener]] = field(default_factory=list)
    chat_commands: list[Command] = field(default_factory=list)
    cli_commands: "list[click.Command]" = field(default_factory=list)
    pages: list[MakePage] = field(default_factory=list)
    jobs: list[tuple[str, Job]] = field(default_factory=list)
    on_close: list[Close] = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        """Return the number of contributions of each kind besides functions and callbacks, by its name in English."""
        kinds: dict[str, Collection[object]] = {
            "services": self.services,
            "toolsets": self.toolsets,
            "platforms": self.platforms,
            "search engines": self.engines,
            "middlewares": self.middlewares,
            "tool hooks": [*self.tool_hooks.before, *self.tool_hooks.after],
            "model hooks": [*self.model_hooks.before, *self.model_hooks.after, *self.model_hooks.on_error],
            "listeners": self.listeners,
            "chat commands": self.chat_commands,
            "commands": self.cli_commands,
            "pages": self.pages,
            "jobs": self.jobs,
        }
        return {kind: len(held) for kind, held in kinds.items()}

    @property
    def outlives_reload(self) -> bool:
        """Return whether some contributions stay in use after a reload, until the bot stops."""
        lasting = (self.toolsets, self.platforms, self.engines, self.middlewares, self.chat_commands)
        return any((*lasting, self.pages, self.jobs))

    def settings(self, model: type[M]) -> M:
        """Return the plugin's settings, checked against `model`.

        Raises:
            ConfigError: a key is unknown, missing or wrong; the error names each of them.
        """
        table = f"plugins.options.{self.name}"
        try:
            checked = model.model_validate(dict(self.options))
        except ValidationError as error:
            raise ConfigError("settings", table, "; ".join(_list_problems(error, model, self.options))) from None
        slips = list(_find_ignored_options(model, self.options))
        if slips:
            raise ConfigError("settings", table, "; ".join(slips))
        return checked
