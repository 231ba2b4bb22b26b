"""Finds a called tool, asks whether it is allowed, checks its arguments a second time, and runs it."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from loguru import logger

from function_calls import phrasing
from function_calls.calls import ToolCall, ToolResult, ToolSpec
from function_calls.context import CallContext
from function_calls.errors import ArgumentsInvalid
from function_calls.events import TOOL_CALL, TOOL_COMPLETE, TOOL_RESULT, TOOL_START, Event, EventBus
from function_calls.hooks import ToolHooks
from function_calls.permission import refusal_code
from function_calls.registry import RegisteredTool, Registry
from function_calls.toolset import Toolset, Viewer, arguments_refused, unknown_tool
from function_calls.wording import knows, say
from services.errors import AssistantError, RequestRefused

DispatchListener = Callable[[ToolCall, CallContext, ToolResult], None]


class FunctionCallRouter:
    """The one door to the tools, for calls from a model, from sentence patterns and from anywhere else.

    `others` are the tools from elsewhere; hooks, events, timeouts and session state hold for them as for our own.
    `on_dispatched` hears of every call and its result, for the record.
    """

    def __init__(
        self,
        registry: Registry,
        *,
        default_timeout: float | None = 60.0,
        hooks: ToolHooks | None = None,
        events: EventBus | None = None,
        others: Toolset | None = None,
        on_dispatched: DispatchListener | None = None,
    ) -> None:
        self.registry = registry
        self.hooks = hooks or ToolHooks()
        self.events = events or EventBus()
        self.others = others
        self._default_timeout = default_timeout
        self._on_dispatched = on_dispatched

    async def list_specs(self, viewer: Viewer) -> tuple[ToolSpec, ...]:
        """All tools that `viewer` may be offered."""
        if self.others is None:
            return self.registry.specs_for(viewer.person, is_private=viewer.is_private)
        return await self.others.list_specs(viewer)

    async def dispatch(self, call: ToolCall, context: CallContext) -> ToolResult:
        """Run `call` and return what came of it; a failure is a result, never an exception."""
        started = time.perf_counter()
        await self._tell(TOOL_CALL, context, tool=call.name, args=call.arguments)
        await self._tell(TOOL_START, context, tool=call.name, args=call.arguments, id=call.id)
        try:
            result = await self._hooked(call, context)
            result = await _kept(call.name, result, context) if result.ok else result
        except Exception as error:  # noqa: BLE001 - a hook is anybody's code; whatever it raises is a failed call
            result = _crashed(call.name, error, context)
        took = (time.perf_counter() - started) * 1000
        result = replace(result, duration_ms=took, is_reply=result.is_reply or self._replies(call, result))
        self._note(call, context, result)
        await self._tell(TOOL_RESULT, context, tool=call.name, response=result.for_model())
        await self._tell(TOOL_COMPLETE, context, tool=call.name, id=call.id, result=result, duration_ms=took)
        log = logger.bind(chat=str(context.chat), call=context.call_id)
        if result.ok:
            log.info("tool {} ok in {:.1f} ms", call.name, took)
        else:
            log.warning("tool {} failed in {:.1f} ms: {}", call.name, took, result.error)
        return result

    def _note(self, call: ToolCall, context: CallContext, result: ToolResult) -> None:
        if self._on_dispatched is not None:
            try:
                self._on_dispatched(call, context, result)
            except Exception as error:  # noqa: BLE001 - the record must not break the call
                logger.opt(exception=error).error("the call of {} could not be recorded", call.name)

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
            return await self._elsewhere(call, context)
        options, message = tool.options, context.message
        refusal = refusal_code(options.permission, options.scope, person=message.sender, is_private=message.is_private)
        if refusal is not None:
            told = say(context.language, f"refused.{refusal}")
            return ToolResult.failed(f"not allowed: {refusal}", text=told, kind="denied")
        try:
            arguments = self._create_args_instance(tool, call.arguments)
        except ArgumentsInvalid as error:
            return arguments_refused(call.name, error, context.language)
        limit = options.timeout if options.timeout is not None else self._default_timeout
        return _as_result(await _guarded(tool.name, limit, tool.invoke(arguments, context), context))

    async def _elsewhere(self, call: ToolCall, context: CallContext) -> ToolResult:
        if self.others is None:
            return unknown_tool(call.name, (spec.name for spec in self.registry.specs), context.language)
        work = self.others.call(call.name, call.arguments, context)
        return _as_result(await _guarded(call.name, self._default_timeout, work, context))

    @staticmethod
    def _create_args_instance(tool: RegisteredTool, arguments: Mapping[str, object]) -> object:
        """The second validation: the strict argument model, whatever door the call came through."""
        problems = tool.validator.validate(arguments)
        if problems:
            raise ArgumentsInvalid(tool.name, problems)
        return tool.instantiate(arguments)

    def _replies(self, call: ToolCall, result: ToolResult) -> bool:
        tool = self.registry.get(call.name)
        return tool is not None and tool.options.returns == "reply" and bool(result.text)


async def _guarded(name: str, limit: float | None, work: Awaitable[object], context: CallContext) -> object:
    """What `work` comes to within `limit` seconds; whatever it raises becomes a failed result."""
    try:
        async with asyncio.timeout(limit) as deadline:
            return await work
    except TimeoutError as error:
        if limit is None or not deadline.expired():
            return _crashed(name, error, context)
        told = say(context.language, "failed.timeout", tool=name, seconds=f"{limit:g}")
        return ToolResult.failed(f"Tool '{name}' timed out after {limit:.1f}s", text=told, kind="timeout")
    except RequestRefused as error:
        return ToolResult.failed(str(error), text=word_refusal(context.language, error, context.now))
    except AssistantError as error:
        return ToolResult.failed(str(error), text=say(context.language, "failed.tool", tool=name, why=error))
    except Exception as error:  # noqa: BLE001 - a tool is anybody's code; whatever it raises is a failed call
        return _crashed(name, error, context)


async def _kept(name: str, result: ToolResult, context: CallContext) -> ToolResult:
    """The result once the session state that the call wrote is stored; a change with a receipt stays told."""
    try:
        await context.state.commit()
    except Exception as error:  # noqa: BLE001 - a store is anybody's code, and what the tool did is done
        failed = _crashed(name, error, context)
        return result if result.receipts else failed
    return result


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


def _as_result(value: object) -> ToolResult:
    if isinstance(value, ToolResult):
        return value
    if value is None:
        return ToolResult(ok=True)
    if isinstance(value, str):
        return ToolResult(ok=True, text=value, value=value)
    return ToolResult(ok=True, text=str(value), value=value if isinstance(value, dict) else {"result": value})
