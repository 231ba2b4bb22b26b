"""Wrap the contributions of a plugin: skip them in chats where it is off, and handle their exceptions."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Concatenate, Final, ParamSpec, TypeVar

from loguru import logger

from bot.inbound.middleware import Middleware, Next
from function_calls.conversation.assistant import Command
from function_calls.model_calls.hooks import AFTER_MODEL, BEFORE_MODEL, AfterModel, BeforeModel, OnModelError
from function_calls.tools.calls import Reply, ToolCall, ToolResult
from function_calls.tools.context import CallContext
from function_calls.tools.dispatch.events import Event, Listener
from function_calls.tools.dispatch.execution import crash_result
from function_calls.tools.dispatch.hooks import (
    AFTER_TOOL,
    BEFORE_TOOL,
    AfterTool,
    BeforeTool,
    maybe_await,
    run_hook,
)
from function_calls.tools.policy import ToolSwitches
from services.kernel.chat import ChatAddress, ChatMessage

Answer = TypeVar("Answer")
P = ParamSpec("P")

_PREFIX: Final = "plugin:"


def switch_of(plugin: str) -> str:
    """Return the name of a plugin in the switches of a chat."""
    return f"{_PREFIX}{plugin}"


def plugin_of(switch: str) -> str | None:
    """Return the plugin of a switch; None for the switch of a function."""
    return switch.removeprefix(_PREFIX) if switch.startswith(_PREFIX) else None


class PluginGuard:
    """Wraps the contributions of a plugin: they are skipped in chats where it is off, and exceptions are logged.

    A failing hook before a tool makes the call fail, as the hook may exist to forbid the call.
    """

    def __init__(self, plugin: str, switches: ToolSwitches) -> None:
        self._plugin = plugin
        self._switches = switches

    async def is_off(self, chat: ChatAddress) -> bool:
        """Return whether the plugin is switched off in that chat."""
        return switch_of(self._plugin) in await self._switches.off_in(chat)

    def middleware(self, inner: Middleware) -> Middleware:
        """Wrap `inner` so that every message passes even if it raises."""

        async def handle(message: ChatMessage, call_next: Next) -> None:
            if await self.is_off(message.address):
                await call_next(message)
                return
            has_passed = False

            async def once(passed: ChatMessage) -> None:
                nonlocal has_passed
                has_passed = True
                await call_next(passed)

            try:
                await inner(message, once)
            except Exception as error:
                if has_passed:
                    raise
                self._report("middleware", inner, error)
                await call_next(message)

        return handle

    def before_tool(self, hook: BeforeTool) -> BeforeTool:
        """Wrap `hook`; the call fails if it raises."""

        def fail(error: Exception, call: ToolCall, context: CallContext) -> ToolResult:
            return crash_result(call.name, error, context)

        return self._contain("hook before a tool", lambda _call, context: context.chat, hook, BEFORE_TOOL, fail)

    def after_tool(self, hook: AfterTool) -> AfterTool:
        """Wrap `hook`; the result stays if it raises."""
        return self._contain("hook after a tool", lambda _call, context, _result: context.chat, hook, AFTER_TOOL)

    def before_model(self, hook: BeforeModel) -> BeforeModel:
        """Wrap `hook`; the turn stays if it raises."""
        return self._contain("hook before the model", lambda turn: turn.message.address, hook, BEFORE_MODEL)

    def after_model(self, hook: AfterModel) -> AfterModel:
        """Wrap `hook`; the interpretation stays if it raises."""
        return self._contain("hook after the model", lambda turn, _made: turn.message.address, hook, AFTER_MODEL)

    def on_model_error(self, hook: OnModelError) -> OnModelError:
        """Wrap `hook`; the error stays if it raises."""
        return self._contain("hook on a model's error", lambda turn, _failure: turn.message.address, hook, AFTER_MODEL)

    def chat_command(self, command: Command) -> Command:
        """Wrap `command`; it has no answer if it raises."""
        return self._contain("chat command", lambda turn: turn.message.address, command, (Reply,))

    def listener(self, listener: Listener) -> Listener:
        """Wrap `listener`; its exceptions are logged."""

        async def receive(event: Event) -> None:
            for key in (event.chat, event.chat.rpartition("/")[0]):  # with a thread, or a chat with a slash in its id
                if await self.is_off(ChatAddress.of_key(key)):
                    return
            try:
                await maybe_await(listener(event))
            except Exception as error:  # noqa: BLE001 - plugins may raise anything
                self._report(f"listener of {event.name}", listener, error)

        return receive

    def _contain(
        self,
        place: str,
        chat_of: Callable[P, ChatAddress],
        hook: Callable[P, Awaitable[Answer | None] | Answer | None],
        kinds: Sequence[type[object]],
        fail: Callable[Concatenate[Exception, P], Answer] | None = None,
    ) -> Callable[P, Awaitable[Answer | None]]:
        """Wrap `hook`: its answer is None where the plugin is off.

        If it raises or returns none of `kinds`, the answer is that of `fail`, or None.
        """

        async def ask(*arguments: P.args, **named: P.kwargs) -> Answer | None:
            if await self.is_off(chat_of(*arguments, **named)):
                return None
            try:
                return await run_hook(hook, place, kinds, *arguments, **named)
            except Exception as error:  # noqa: BLE001 - plugins may raise anything
                self._report(place, hook, error)
                return None if fail is None else fail(error, *arguments, **named)

        return ask

    def _report(self, place: str, function: Callable[..., object], error: Exception) -> None:
        name = getattr(function, "__qualname__", type(function).__name__)
        logger.opt(exception=error).error("plugin {} failed in its {} ({})", self._plugin, place, name)
