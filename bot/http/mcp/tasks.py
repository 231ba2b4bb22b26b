"""Continue long calls of MCP clients as tasks, which the client polls for their result.

Source: the MCP extension io.modelcontextprotocol/tasks, revision 2026-07-28.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from datetime import timedelta
from itertools import count
from typing import Final

from loguru import logger
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    CallToolRequestParams,
    CallToolResult,
    EmptyResult,
    InputRequiredResult,
    InputResponses,
)

from bot.http.mcp.answers import INPUT_REQUESTS_SINCE
from bot.tools.servers.mcp.task_messages import (
    ACKNOWLEDGED,
    EXTENSION,
    CreateTaskResult,
    GetTaskResult,
    TaskParams,
    TaskStatus,
    UpdateTaskParams,
)
from services.kernel.background_tasks import BackgroundTasks
from services.kernel.clock import Clock

ReportProgress = Callable[[str], Awaitable[None]]
Call = Callable[[CallToolRequestParams, ReportProgress], Awaitable[CallToolResult | InputRequiredResult]]
"""Makes a call, which reports its progress."""

_POLL_EVERY: Final = timedelta(seconds=2)
_TTL: Final = timedelta(hours=1)
_MAX_TASKS: Final = 200
_MAX_PER_OWNER: Final = 20
_MILLISECOND: Final = timedelta(milliseconds=1)


class _Task:
    """A call that runs as a task, and its result. Only `owner` has access."""

    def __init__(self, owner: object, params: CallToolRequestParams, call: Call, clock: Clock) -> None:
        now = clock.now()
        self.owner = owner
        self.expires_at = now + _TTL
        self.state = GetTaskResult(
            task_id=secrets.token_urlsafe(24),
            status="working",
            created_at=now.isoformat(),
            last_updated_at=now.isoformat(),
            ttl_ms=_TTL // _MILLISECOND,
            poll_interval_ms=_POLL_EVERY // _MILLISECOND,
        )
        self.work: asyncio.Task[object] | None = None
        self._params = params
        self._call = call
        self._clock = clock
        self._responses: InputResponses = {}
        self._answered = asyncio.Event()
        self._rounds = count(1)

    async def report(self, message: str) -> None:
        """Set the progress of the call as the status message of the task."""
        self._set(self.state.status, status_message=message, input_requests=self.state.input_requests)

    async def run(self, first: asyncio.Task[CallToolResult | InputRequiredResult]) -> None:
        """Wait for the call, and repeat it with the client's input while its result is a question."""
        try:
            result = await first
            while isinstance(result, InputRequiredResult):
                given = {"input_responses": await self._ask(result), "request_state": result.request_state}
                result = await self._call(self._params.model_copy(update=given), self.report)
            self._set("completed", result=result.model_dump(by_alias=True, mode="json", exclude_none=True))
        except MCPError as error:
            self._fail(error.code, error.message)
        except asyncio.CancelledError:
            self._set("cancelled")
            raise
        except Exception as error:  # noqa: BLE001 - the client gets the type of the error, the log all of it
            logger.opt(exception=error).error("task {} of an MCP client raised", self.state.task_id)
            self._fail(INTERNAL_ERROR, type(error).__name__)

    def answer(self, responses: InputResponses) -> None:
        """Take the requested input; other responses are ignored."""
        requests = self.state.input_requests or {}
        self._responses |= {key: response for key, response in responses.items() if key in requests}
        if requests:
            missing = {key: each for key, each in requests.items() if key not in self._responses}
            self._set("input_required" if missing else "working", input_requests=missing or None)
            if not missing:
                self._answered.set()

    def cancel(self) -> None:
        """Cancel the call if it still runs."""
        if self.work is not None:
            self.work.cancel()

    async def _ask(self, result: InputRequiredResult) -> InputResponses:
        """Wait for the client's input. The keys get a number, since those of a task have to be unique."""
        prefix = f"{next(self._rounds)}."
        self._responses = {}
        self._answered.clear()
        requests = {f"{prefix}{key}": each for key, each in (result.input_requests or {}).items()}
        self._set("input_required", input_requests=requests)
        await self._answered.wait()
        return {key.removeprefix(prefix): each for key, each in self._responses.items()}

    def _fail(self, code: int, message: str) -> None:
        self._set("failed", status_message=message, error={"code": code, "message": message})

    def _set(self, status: TaskStatus, **fields: object) -> None:
        now = self._clock.now().isoformat()
        cleared = {"input_requests": None, "status_message": None}
        self.state = self.state.model_copy(update=cleared | fields | {"status": status, "last_updated_at": now})


class McpTasks:
    """Runs the calls of all clients. Tasks are stored in this process for an hour."""

    def __init__(
        self,
        background: BackgroundTasks,
        clock: Clock,
        owner: Callable[[ServerRequestContext[object]], object],
        task_after: float,
    ) -> None:
        self._background = background
        self._clock = clock
        self._owner = owner
        self._task_after = task_after
        self._tasks: dict[str, _Task] = {}

    def add_to(self, server: Server[object]) -> None:
        """Add the extension and its request handlers to `server`."""
        server.extensions[EXTENSION] = {}
        server.add_request_handler("tasks/get", TaskParams, self._get)
        server.add_request_handler("tasks/update", UpdateTaskParams, self._update)
        server.add_request_handler("tasks/cancel", TaskParams, self._cancel)

    async def run(
        self, ctx: ServerRequestContext[object], params: CallToolRequestParams, call: Call
    ) -> CallToolResult | InputRequiredResult | CreateTaskResult:
        """Make a call; a long one continues as a task if the client supports tasks."""
        steps = count(1)
        task = _Task(self._owner(ctx), params, call, self._clock)

        async def report(message: str) -> None:
            await task.report(message)
            if task.work is None:
                await ctx.session.report_progress(next(steps), None, message)

        if not _supports_tasks(ctx) or not self._has_capacity(task.owner):
            return await call(params, report)
        work = asyncio.ensure_future(call(params, report))
        try:
            done, _ = await asyncio.wait([work], timeout=self._task_after)
        except asyncio.CancelledError:
            work.cancel()
            await asyncio.wait([work])
            raise
        if done:
            return work.result()
        self._tasks[task.state.task_id] = task
        task.work = self._background.start(task.run(work), f"task of an MCP client: {params.name}")
        state = task.state.model_dump(exclude={"result_type", "input_requests", "result", "error"})
        return CreateTaskResult.model_validate(state, by_name=True)

    async def _get(self, ctx: ServerRequestContext[object], params: TaskParams) -> GetTaskResult:
        return self._task(ctx, params).state

    async def _update(self, ctx: ServerRequestContext[object], params: UpdateTaskParams) -> EmptyResult:
        self._task(ctx, params).answer(params.input_responses)
        return ACKNOWLEDGED

    async def _cancel(self, ctx: ServerRequestContext[object], params: TaskParams) -> EmptyResult:
        self._task(ctx, params).cancel()
        return ACKNOWLEDGED

    def _task(self, ctx: ServerRequestContext[object], params: TaskParams) -> _Task:
        if not _supports_tasks(ctx):
            data: dict[str, object] = {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
            raise MCPError(MISSING_REQUIRED_CLIENT_CAPABILITY, f"the client does not declare {EXTENSION}", data)
        self._remove_expired()
        task = self._tasks.get(params.task_id)
        if task is None or task.owner != self._owner(ctx):
            raise MCPError(INVALID_PARAMS, "there is no such task, or it has expired")
        return task

    def _has_capacity(self, owner: object) -> bool:
        self._remove_expired()
        own = sum(task.owner == owner for task in self._tasks.values())
        return len(self._tasks) < _MAX_TASKS and own < _MAX_PER_OWNER

    def _remove_expired(self) -> None:
        now = self._clock.now()
        for task_id, task in tuple(self._tasks.items()):
            if now > task.expires_at:
                task.cancel()
                del self._tasks[task_id]


def _supports_tasks(ctx: ServerRequestContext[object]) -> bool:
    capabilities = ctx.session.client_capabilities
    extensions = {} if capabilities is None else capabilities.extensions or {}
    return ctx.session.protocol_version >= INPUT_REQUESTS_SINCE and EXTENSION in extensions
