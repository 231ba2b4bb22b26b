"""Dispatch calls: find the tool, check permission and arguments, and run it."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Final, TypeVar

from loguru import logger
from msgspec.structs import replace

from function_calls.language.messages import say
from function_calls.registry import RegisteredTool, Registry
from function_calls.tools.calls import ToolCall, ToolResult, ToolSpec
from function_calls.tools.context import CallContext, finish_if_started
from function_calls.tools.declaration.option_checks import is_seconds
from function_calls.tools.declaration.tool_options import NO_OPTIONS
from function_calls.tools.dispatch.approval import ask_approval
from function_calls.tools.dispatch.events import TOOL_CALL, TOOL_COMPLETE, TOOL_RESULT, TOOL_START, Event, EventBus
from function_calls.tools.dispatch.execution import has_content, report_crash, run_guarded
from function_calls.tools.dispatch.hooks import PLUGIN_ERRORS, ToolHooks, raise_if_cancelled
from function_calls.tools.dispatch.receipts import add_receipt, store_change
from function_calls.tools.errors import ArgumentsInvalid
from function_calls.tools.permission import AccessRule, refusal_code
from function_calls.tools.policy import CallPolicy, Dispatcher, EnclosedDispatcher
from function_calls.tools.session_state import StateConflict
from function_calls.tools.toolset import Toolset, Viewer, arguments_refused, call_checked, unknown_tool
from services.kernel.text import replace_unstorable, replace_unstorable_in

DispatchListener = Callable[[ToolCall, CallContext, ToolResult], None]
Value = TypeVar("Value")
DEFAULT_TIMEOUT: Final = 60.0
"""The timeout in seconds of a tool without its own."""


class FunctionCallRouter:
    """The single entry point for calls of tools, from a language model, the offline interpreter or anywhere else.

    Validation, confirmation, receipts, hooks, events, timeouts and session state apply to `external_tools` like to
    functions of the registry.
    `on_dispatched` receives every call and its result. It, hooks and events also apply to the calls that an agent makes
    with a router of its own while a tool of this router runs (see `CallContext.enclosing`). `policy` has the owners,
    switched-off tools, pending calls and receipts; without it that of the call's context applies.
    """

    def __init__(
        self,
        registry: Registry,
        *,
        default_timeout: float | None = DEFAULT_TIMEOUT,
        hooks: ToolHooks | None = None,
        events: EventBus | None = None,
        external_tools: Toolset | None = None,
        on_dispatched: DispatchListener | None = None,
        policy: CallPolicy | None = None,
    ) -> None:
        if not is_seconds(default_timeout):
            raise ValueError(
                f"the timeout of tools is {default_timeout!r}; give a number of seconds, or None for no limit"
            )
        self.registry = registry
        self.hooks = hooks or ToolHooks()
        self.events = events or EventBus()
        self.external_tools = external_tools
        self._default_timeout = default_timeout
        self.policy = policy
        self._on_dispatched = on_dispatched
        self._slots: dict[tuple[str, int], asyncio.Semaphore] = {}

    def dispatcher_for(self, agent_name: str) -> Dispatcher:
        """Return the dispatcher of an agent, enclosed by this router; this router if the agent is unknown."""
        found = None if self.policy is None else self.policy.agents.get(agent_name)
        if found is None and agent_name:
            tools = (tool for tool in self.registry if agent_name in tool.dispatchers)
            found = next((tool.dispatchers[agent_name] for tool in tools), None)
        return self if found is None else EnclosedDispatcher(inner=found, enclosing=(self,))

    async def list_specs(self, viewer: Viewer, policy: CallPolicy | None = None) -> tuple[ToolSpec, ...]:
        """List all tools for `viewer`; `policy` applies if the router has none."""
        rules = self.policy or policy
        if self.external_tools is None:
            return await self.own_specs(viewer, rules)
        specs = await self.external_tools.list_specs(viewer)
        off = await rules.switches.off_in(viewer.chat) if rules is not None else frozenset[str]()
        return tuple(spec for spec in specs if spec.name not in off) if off else specs

    async def own_specs(self, viewer: Viewer, policy: CallPolicy | None = None) -> tuple[ToolSpec, ...]:
        """List the functions of the registry for `viewer`."""
        rules = self.policy or policy
        if rules is None:
            return self.registry.specs_for(viewer)
        return self.registry.specs_for(viewer, owners=rules.owners, off=await rules.switches.off_in(viewer.chat))

    async def dispatch(self, call: ToolCall, context: CallContext) -> ToolResult:
        """Run `call` and return its result; a failure is a result, never an exception.

        A cancellation stops a read-only call. A change that has begun is finished and recorded, so it can be undone.
        """
        context = self._with_policy(context)
        if self.is_read_only(call.name):
            return await self._dispatch(call, context)
        return await finish_if_started(lambda flag: self._dispatch(call, replace(context, change_flag=flag)))

    async def _dispatch(self, call: ToolCall, context: CallContext) -> ToolResult:
        started = time.perf_counter()
        # The call ids of an agent's model are unique among its own calls only.
        event_id = context.call_id if context.parent_call_id else call.id
        await self.publish(TOOL_CALL, context, tool=call.name, args=call.arguments)
        await self.publish(TOOL_START, context, tool=call.name, args=call.arguments, id=event_id)
        tool = self.registry.get(call.name)
        try:
            async with context.state.exclusive() if tool is not None and tool.uses_state else nullcontext():
                result = _storable(await self._run_hooked(call, context))
                result = await _store_state(call.name, result, context) if result.ok else result
        except PLUGIN_ERRORS as error:  # of a hook
            raise_if_cancelled(error)
            result = report_crash(call.name, error, context)
        result = await store_change(call, context, result)
        took = (time.perf_counter() - started) * 1000
        if not result.ending and self._replies(call, result):
            result = replace(result, ending="reply")
        result = replace(result, duration_ms=took)
        for router in context.within(self).enclosing:
            router.record(call, context, result)
        await self.publish(TOOL_RESULT, context, tool=call.name, response=result.response)
        await self.publish(TOOL_COMPLETE, context, tool=call.name, id=event_id, result=result, duration_ms=took)
        log = logger.bind(chat=str(context.chat), call=context.call_id)
        if result.ok:
            log.info("tool {} ok in {:.1f} ms", call.name, took)
        elif result.ending == "question":
            log.info("tool {} waits for the person's answer", call.name)
        else:
            log.warning("tool {} failed in {:.1f} ms: {}", call.name, took, result.cause or result.failure)
            log.debug("tool {}: {}", call.name, result.error)  # may contain message text
        return result

    def _with_policy(self, context: CallContext) -> CallContext:
        """Return the context with the router's own policy; a router of an agent registers in the policy of the bot."""
        if self.policy is not None:
            return context if context.policy is self.policy else replace(context, policy=self.policy)
        if context.policy is not None and context.agent_name:
            known = EnclosedDispatcher(inner=self, enclosing=context.enclosing)
            context.policy.agents[context.agent_name] = known
        return context

    def record(self, call: ToolCall, context: CallContext, result: ToolResult) -> None:
        """Record a call that has ended, or that an interface refused before it was dispatched."""
        if self._on_dispatched is not None:
            try:
                self._on_dispatched(call, context, result)
            except Exception as error:  # noqa: BLE001 - a failed record must not fail the call
                logger.opt(exception=error).error("cannot record the call of {}", call.name)

    async def publish(self, name: str, context: CallContext, **data: object) -> None:
        """Publish an event of `EVENTS` to the listeners of this router and of the enclosing ones."""
        asked_in = {"asked_in": context.message.id} if context.confirmed_by is not None else {}
        for events in _distinct(router.events for router in context.within(self).enclosing):
            if events.is_heard(name):
                event = Event(
                    name=name,
                    data=data | asked_in,
                    chat=str(context.chat),
                    message_id=context.reply_target.id,
                    at=context.now,
                )
                await events.publish(event)

    async def _run_hooked(self, call: ToolCall, context: CallContext) -> ToolResult:
        around = _distinct(router.hooks for router in context.within(self).enclosing)
        for entered, hooks in enumerate(around):
            answer = await hooks.enter(call, context) if hooks.before else call
            if isinstance(answer, ToolResult):
                return await _leave(around[:entered], call, context, answer)
            call = answer
        inside = replace(context.within(self), parent_call_id=context.call_id)
        return await _leave(around, call, context, await self._check_and_run(call, inside))

    async def _check_and_run(self, call: ToolCall, context: CallContext) -> ToolResult:
        tool = self.registry.get(call.name)
        if tool is None or (tool.options.is_only_for_undo and not context.is_undoing):
            return await self._call_external(call, context)
        refusal = await self._refusal(call.name, tool.options, context)
        if refusal is not None:
            return refusal
        try:
            arguments = self._create_args_instance(tool, call.arguments)
        except ArgumentsInvalid as error:
            return arguments_refused(tool.spec, error, context.language)
        if context.instead_of_call is not None:
            return context.instead_of_call
        confirmation = await ask_approval(tool.options, call, context, arguments)
        return confirmation or await self._run(tool, call, arguments, context)

    async def _run(self, tool: RegisteredTool, call: ToolCall, arguments: object, context: CallContext) -> ToolResult:
        options = tool.options
        result = await run_guarded(
            tool.name,
            lambda: _begin(tool, arguments, context),
            context,
            limit=options.timeout if options.timeout is not None else self._default_timeout,
            retries=options.retries,
            slots=self._slots_of(tool),
        )
        if options.returns == "reply" and result.ok and not has_content(result):
            logger.warning("empty reply of tool {}; it has to return its text, not print it", tool.name)
        result = replace(result, is_untrusted=True) if options.returns_untrusted else result
        inverse = self.registry.get(options.undo) if isinstance(options.undo, str) else None
        return add_receipt(options, call, result, inverse=None if inverse is None else inverse.spec)

    async def _call_external(self, call: ToolCall, context: CallContext) -> ToolResult:
        toolset = self.external_tools
        if toolset is None:
            return unknown_tool(call.name, (spec.name for spec in self.registry.specs), context.language)
        refusal = await self._refusal(call.name, NO_OPTIONS, context)
        if refusal is not None:
            return refusal
        listed = await toolset.list_specs(context.viewer)
        spec = next((spec for spec in listed if spec.name == call.name), None)
        if spec is None:
            result = unknown_tool(call.name, (spec.name for spec in listed), context.language)
        else:
            work = partial(call_checked, toolset, spec, call, context)
            limit = spec.timeout_seconds or self._default_timeout
            result = await run_guarded(call.name, work, context, limit=limit)
        return replace(result, is_untrusted=True)

    async def _refusal(self, name: str, rule: AccessRule, context: CallContext) -> ToolResult | None:
        """Return the refusal if the viewer may not call this tool, or it is switched off in the chat."""
        viewer, policy = context.viewer, context.policy
        code = refusal_code(rule, viewer, () if policy is None else policy.owners)
        if code is None and policy is not None and name in await policy.switches.off_in(viewer.chat):
            code = "switched_off"
        if code is None:
            return None
        text = say(context.language, f"refused.{code}", tool=name)
        return ToolResult.failed(f"not allowed: {code}", text=text, kind="denied")

    def _slots_of(self, tool: RegisteredTool) -> asyncio.Semaphore | None:
        maximum = tool.options.max_concurrent
        return None if maximum is None else self._slots.setdefault((tool.name, maximum), asyncio.Semaphore(maximum))

    @staticmethod
    def _create_args_instance(tool: RegisteredTool, arguments: Mapping[str, object]) -> object:
        """Validate the arguments a second time, strictly, for calls of all clients."""
        problems = tool.validator.validate(arguments)
        if problems:
            raise ArgumentsInvalid(tool.name, problems)
        return tool.instantiate(arguments)

    def is_read_only(self, name: str) -> bool:
        """Return whether the tool is a read-only function; `call_checked` marks the changes of external tools."""
        tool = self.registry.get(name)
        return tool is not None and not (tool.options.changes_state or tool.options.undo is not None)

    def _replies(self, call: ToolCall, result: ToolResult) -> bool:
        tool = self.registry.get(call.name)
        return tool is not None and tool.options.returns == "reply" and bool(result.text) and not result.is_correctable


def _distinct(values: Iterable[Value]) -> list[Value]:
    """Return `values` in order, each object once."""
    return list({id(value): value for value in values}.values())


async def _leave(around: Sequence[ToolHooks], call: ToolCall, context: CallContext, result: ToolResult) -> ToolResult:
    """Run the `after` hooks on the result, innermost first."""
    for hooks in reversed(around):
        if hooks.after:
            result = await hooks.leave(call, context, result)
    return result


def _storable(result: ToolResult) -> ToolResult:
    """Return the result with texts that can be sent and stored: tools pass on those of files and other programs."""
    error = None if result.error is None else replace_unstorable(result.error)
    return replace(result, text=replace_unstorable(result.text), value=replace_unstorable_in(result.value), error=error)


def _begin(tool: RegisteredTool, arguments: object, context: CallContext) -> Awaitable[object]:
    """Mark the call as begun, and run the tool."""
    if context.change_flag is not None:
        context.change_flag.is_set = True
    return tool.invoke(arguments, context)


async def _store_state(name: str, result: ToolResult, context: CallContext) -> ToolResult:
    """Store the call's session state; return the result, or a failure that keeps the receipts of changes."""
    try:
        await context.state.commit()
    except StateConflict as conflict:
        logger.warning("tool {}: session state {}; declare it with uses_state=True", name, conflict)
        error = f"'{name}' ran, but its session state was not stored: {conflict}"
        text = say(context.language, "failed.state_conflict", tool=name)
        return replace(ToolResult.failed(error, text=text), receipts=result.receipts, spawned=result.spawned)
    except Exception as error:  # noqa: BLE001 - the effect of the tool cannot be undone by a failed store
        failed = report_crash(name, error, context)
        return result if result.receipts else failed
    return result
