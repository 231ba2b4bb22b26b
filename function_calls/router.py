"""Finds a called tool, asks whether it is allowed, checks its arguments a second time, and runs it."""

import asyncio
import difflib
import inspect
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from loguru import logger

from function_calls import phrasing
from function_calls.calls import ToolCall, ToolResult
from function_calls.context import CallContext, Services
from function_calls.errors import ArgumentsInvalid
from function_calls.events import TOOL_CALL, TOOL_COMPLETE, TOOL_RESULT, TOOL_START, Event, EventBus
from function_calls.hooks import ToolHooks
from function_calls.registry import Registry, Tool
from function_calls.validation import instantiate
from function_calls.wording import knows, say
from services.errors import AssistantError, RequestRefused


class FunctionCallRouter:
    """The one door to the tools, for calls from a model, from sentence patterns and from anywhere else."""

    def __init__(
        self,
        registry: Registry,
        *,
        default_timeout: float | None = 60.0,
        hooks: ToolHooks | None = None,
        events: EventBus | None = None,
    ) -> None:
        self.registry = registry
        self.hooks = hooks or ToolHooks()
        self.events = events or EventBus()
        self._default_timeout = default_timeout

    async def dispatch(self, call: ToolCall, context: CallContext) -> ToolResult:
        """Run `call` and return what came of it; a failure is a result, never an exception."""
        started = time.perf_counter()
        await self._tell(TOOL_CALL, context, tool=call.name, args=call.arguments)
        await self._tell(TOOL_START, context, tool=call.name, args=call.arguments, id=call.id)
        try:
            result = await self._hooked(call, context)
        except Exception as error:  # noqa: BLE001 - a hook is anybody's code; whatever it raises is a failed call
            result = _crashed(call.name, error, context)
        took = (time.perf_counter() - started) * 1000
        result = replace(result, duration_ms=took)
        await self._tell(TOOL_RESULT, context, tool=call.name, response=result.for_model())
        await self._tell(TOOL_COMPLETE, context, tool=call.name, id=call.id, result=result, duration_ms=took)
        log = logger.bind(chat=str(context.chat), call=context.call_id)
        if result.ok:
            log.info("tool {} ok in {:.1f} ms", call.name, took)
        else:
            log.warning("tool {} failed in {:.1f} ms: {}", call.name, took, result.error)
        return result

    async def _tell(self, name: str, context: CallContext, **data: object) -> None:
        if self.events.is_heard(name):
            await self.events.publish(
                Event(name=name, data=data, chat=str(context.chat), message_id=context.message.id, at=context.now)
            )

    async def _hooked(self, call: ToolCall, context: CallContext) -> ToolResult:
        entered = await self.hooks.enter(call, context) if self.hooks.before else call
        if isinstance(entered, ToolResult):
            return entered
        result = await self._checked(entered, context)
        return await self.hooks.leave(entered, context, result) if self.hooks.after else result

    async def _checked(self, call: ToolCall, context: CallContext) -> ToolResult:
        tool = self.registry.get(call.name)
        if tool is None:
            return self._unknown(call.name, context.language)
        refusal = _refusal(tool, context)
        if refusal is not None:
            return ToolResult.failed(f"not allowed: {refusal}", text=say(context.language, f"refused.{refusal}"))
        try:
            arguments = self._create_args_instance(tool, call.arguments)
        except ArgumentsInvalid as error:
            told = say(context.language, "failed.arguments", tool=call.name, problems=error.for_model())
            return ToolResult.failed(error.for_model(), text=told)
        return await self._run(tool, arguments, context)

    @staticmethod
    def _create_args_instance(tool: Tool, arguments: Mapping[str, object]) -> object:
        """The second validation: the strict argument model, whatever door the call came through."""
        problems = tool.signature.validator.validate(arguments)
        if problems:
            raise ArgumentsInvalid(tool.name, problems)
        return instantiate(tool.signature, dict(arguments))

    async def _run(self, tool: Tool, arguments: object, context: CallContext) -> ToolResult:
        limit = tool.options.timeout if tool.options.timeout is not None else self._default_timeout
        try:
            async with asyncio.timeout(limit) as deadline:
                value = await _invoke(tool, arguments, context)
        except TimeoutError as error:
            if not deadline.expired():
                return _crashed(tool.name, error, context)
            told = say(context.language, "failed.timeout", tool=tool.name, seconds=f"{limit:g}")
            return ToolResult.failed(f"Tool '{tool.name}' timed out after {limit:.1f}s", text=told)
        except RequestRefused as error:
            return ToolResult.failed(str(error), text=word_refusal(context.language, error, context.now))
        except AssistantError as error:
            return ToolResult.failed(str(error), text=say(context.language, "failed.tool", tool=tool.name, why=error))
        except Exception as error:  # noqa: BLE001 - a tool is anybody's code; whatever it raises is a failed call
            return _crashed(tool.name, error, context)
        return _as_result(value)

    def _unknown(self, name: str, language: str) -> ToolResult:
        names = [spec.name for spec in self.registry.specs]
        near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
        hint = f"; did you mean {', '.join(near)}?" if near else f"; there are: {', '.join(names)}"
        return ToolResult.failed(f"no tool named '{name}'{hint}", text=say(language, "failed.unknown_tool", tool=name))


def _crashed(name: str, error: Exception, context: CallContext) -> ToolResult:
    logger.opt(exception=error).error("tool {} raised", name)
    told = say(context.language, "failed.crash", tool=name)
    return ToolResult.failed(f"Tool '{name}' failed: {type(error).__name__}", text=told)


def word_refusal(language: str, error: RequestRefused, now: datetime) -> str:
    """The refusal in the person's language; instants and spans among its fields are worded too."""
    key = f"refused.{error.code}"
    if not knows(key):
        return say(language, "refused.other", why=error)
    return say(language, key, **{name: _worded(language, value, now) for name, value in error.fields.items()})


def _worded(language: str, value: object, now: datetime) -> object:
    if isinstance(value, datetime):
        return phrasing.moment(language, value.astimezone(now.tzinfo), now)
    return phrasing.distance(language, value) if isinstance(value, timedelta) else value


def _refusal(tool: Tool, context: CallContext) -> str | None:
    if tool.options.permission == "admins" and not context.sender.is_admin:
        return "admins_only"
    if tool.options.scope == "group" and context.message.is_private:
        return "group_only"
    if tool.options.scope == "private" and not context.message.is_private:
        return "private_only"
    return None


async def _invoke(tool: Tool, arguments: object, context: CallContext) -> object:
    signature = tool.signature
    injected = {name: _injection(wanted, context) for name, wanted in signature.injected.items()}
    positional, named = signature.bind(arguments, injected)
    if signature.is_async:
        value = tool.function(*positional, **named)
        return await value if inspect.isawaitable(value) else value
    return await asyncio.to_thread(tool.function, *positional, **named)


def _injection(wanted: type[object], context: CallContext) -> object:
    if wanted is CallContext:
        return context
    if wanted is Services:
        return context.services
    return context.services.get(wanted)


def _as_result(value: object) -> ToolResult:
    if isinstance(value, ToolResult):
        return value
    if value is None:
        return ToolResult(ok=True)
    if isinstance(value, str):
        return ToolResult(ok=True, text=value, value=value)
    return ToolResult(ok=True, text=str(value), value=value if isinstance(value, dict) else {"result": value})
