"""Serve the bot's functions, reminders and history to MCP clients with the client's permissions."""

import json
import uuid
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Final

from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    InputRequiredResult,
    ListResourcesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    TextContent,
    TextResourceContents,
    Tool,
    ToolAnnotations,
)
from msgspec.structs import replace

from bot.app.application import App
from bot.http.mcp.answers import CONFIRM, CONFIRMED, call_result, form_of_answers, question_for_client
from bot.http.mcp.tasks import McpTasks, ReportProgress
from bot.tools.servers.mcp.task_messages import CreateTaskResult
from function_calls.language.messages import say
from function_calls.tools.calls import Conversation, Form, ToolCall, ToolResult, ToolSpec, Turn
from function_calls.tools.declaration.argument_validation import repair_arguments
from function_calls.tools.permission import Viewer
from function_calls.tools.session_state import CallState, Session
from services.history.service import HistoryService
from services.kernel.chat import ChatMessage
from services.kernel.clock import Clock
from services.kernel.errors import ToolFailed
from services.reminders.service import ReminderService

ENTRY_POINT: Final = "mcp"
REMINDERS: Final = "bubbles://reminders"
HISTORY: Final = "bubbles://history"
_MAX_MESSAGES: Final = 50
_TASK_AFTER: Final = 5.0  # seconds


FindCaller = Callable[[ServerRequestContext[object]], Viewer]


class McpTools:
    """Answers MCP clients; `find_caller` returns the caller of a request, or raises if it has none.

    `admit` is called before each call and raises `ToolFailed` if it is not permitted now; without it all are. A call
    that takes more than `task_after` seconds continues as a task, if the client supports tasks.
    """

    def __init__(
        self,
        app: App,
        clock: Clock,
        find_caller: FindCaller,
        *,
        admit: Callable[[Viewer], None] | None = None,
        task_after: float = _TASK_AFTER,
    ) -> None:
        self._app = app
        self._clock = clock
        self._find_caller = find_caller
        self._admit = admit
        self._tasks = McpTasks(app.background, clock, find_caller, task_after)

    def server(self) -> Server[object]:
        """Create the server, for any transport."""
        server = Server(
            "bubbles",
            version=version("bubbles"),
            instructions="Reminders, history and the other functions of a group-chat assistant.",
            on_list_tools=self._list_tools,
            on_list_resources=self._list_resources,
            on_read_resource=self._read_resource,
        )
        server.add_request_handler("tools/call", CallToolRequestParams, self._call_tool)
        self._tasks.add_to(server)
        return server

    async def _list_tools(
        self, ctx: ServerRequestContext[object], params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        del params
        specs = await self._app.calls.list_specs(self._find_caller(ctx))
        tools = []
        for spec in specs:
            changes_state, needs_yes = self._effects(spec)
            hints = ToolAnnotations(read_only_hint=not changes_state, destructive_hint=needs_yes)
            tools.append(
                Tool(
                    name=spec.name,
                    description=spec.description,
                    input_schema=dict(spec.parameters),
                    annotations=hints,
                )
            )
        return ListToolsResult(tools=tools)

    def _effects(self, spec: ToolSpec) -> tuple[bool, bool]:
        """Return whether a tool changes state, and whether it needs a confirmation."""
        own = self._app.calls.registry.get(spec.name)
        if own is None:
            return spec.changes_state or spec.confirm, spec.confirm
        return own.options.changes_state or bool(own.options.confirm), bool(own.options.confirm)

    async def _call_tool(
        self, ctx: ServerRequestContext[object], params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult | CreateTaskResult:
        return await self._tasks.run(ctx, params, lambda given, report: self._make_call(ctx, given, report))

    async def _make_call(
        self, ctx: ServerRequestContext[object], params: CallToolRequestParams, report: ReportProgress
    ) -> CallToolResult | InputRequiredResult:
        caller = self._find_caller(ctx)
        arguments = await self._repair_arguments(caller, params.name, params.arguments or {})
        call = ToolCall(id=f"{ENTRY_POINT}-{uuid.uuid4().hex}", name=params.name, arguments=arguments)
        form = form_of_answers(params)
        is_confirmed = bool((ctx.meta or {}).get(CONFIRMED)) or form is not None
        try:
            if self._admit is not None:
                self._admit(caller)
        except ToolFailed as refused:
            return CallToolResult(content=[TextContent(text=str(refused))], is_error=True)
        if form is not None and form.is_declined and CONFIRM in form.answers:
            return await self._decline(caller, call)
        return await self._dispatch(ctx, caller, call, report, is_confirmed=is_confirmed, form=form)

    async def _decline(self, caller: Viewer, call: ToolCall) -> CallToolResult:
        turn = await self._turn(caller, call)
        text = say(turn.language, "confirm.declined")
        result = ToolResult.failed("the person said no; nothing was done", text=text, kind="denied")
        context = replace(self._app.turns.context(turn, 0), entry_point=ENTRY_POINT)
        self._app.calls.record(call, context, result)
        return call_result(result)

    async def _repair_arguments(self, caller: Viewer, name: str, given: Mapping[str, object]) -> Mapping[str, object]:
        """Repair the arguments of the client's model where only one reading is possible."""
        specs = await self._app.calls.list_specs(caller)
        spec = next((each for each in specs if each.name == name), None)
        return given if spec is None else repair_arguments(spec.parameters, given)

    async def _dispatch(
        self,
        ctx: ServerRequestContext[object],
        caller: Viewer,
        call: ToolCall,
        report: ReportProgress,
        *,
        is_confirmed: bool,
        form: Form | None,
    ) -> CallToolResult | InputRequiredResult:
        turn = await self._turn(caller, call)
        conversation = Conversation(chat=caller.chat, person=caller.person)
        session = await Session.open(self._app.infrastructure.scope_store, conversation)
        call_context = replace(
            self._app.turns.context(turn, 0),
            state=CallState(session),
            entry_point=ENTRY_POINT,
            progress=report,
            approved=call if is_confirmed else None,
            form=None if form is None or CONFIRM in form.answers else form,
        )
        result = await self._app.calls.dispatch(call, call_context)
        question = question_for_client(ctx, result)
        if question is None:
            return call_result(result)
        if call_context.policy is not None:  # the client asks the question, not the chat
            await call_context.policy.confirmations.close(turn.message, call_context.call_id)
        return question

    async def _turn(self, caller: Viewer, call: ToolCall) -> Turn:
        message = ChatMessage(
            id=call.id, address=caller.chat, sender=caller.person, text="", sent_at=self._clock.now(), is_addressed=True
        )
        return await self._app.turns.turn(message)

    async def _list_resources(
        self, ctx: ServerRequestContext[object], params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        del params
        self._find_caller(ctx)
        listed = ((REMINDERS, "reminders", "Active reminders."), (HISTORY, "history", "The last messages."))
        return ListResourcesResult(
            resources=[
                Resource(uri=uri, name=name, description=text, mime_type="application/json")
                for uri, name, text in listed
            ]
        )

    async def _read_resource(
        self, ctx: ServerRequestContext[object], params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        caller, uri = self._find_caller(ctx), str(params.uri)
        if uri not in {REMINDERS, HISTORY}:
            raise MCPError(INVALID_PARAMS, f"there is no resource {uri}")
        listed = await (self._reminders(caller) if uri == REMINDERS else self._history(caller))
        text = json.dumps(listed, ensure_ascii=False)
        return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type="application/json", text=text)])

    async def _reminders(self, caller: Viewer) -> list[dict[str, object]]:
        found = await self._app.services.get(ReminderService).list(caller.chat, caller.person)
        return [
            {"id": each.id, "content": each.content, "next": [fire.isoformat() for fire in each.next_fires]}
            for each in found
        ]

    async def _history(self, caller: Viewer) -> list[dict[str, object]]:
        found = await self._app.services.get(HistoryService).recent(caller.chat, _MAX_MESSAGES)
        return [
            {"id": each.id, "from": each.sender.name, "text": each.text, "at": each.sent_at.isoformat()}
            for each in found
        ]
