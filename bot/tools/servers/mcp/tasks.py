"""Poll calls that an MCP server runs as tasks, send them input, and cancel those that nobody waits for."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from typing import Final

from loguru import logger
from mcp import MCPError
from mcp.client import ClientSession
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp.types import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    CallToolResult,
    EmptyResult,
    InputResponses,
)

from bot.tools.servers.mcp.task_messages import (
    EXTENSION,
    CreateTaskResult,
    GetTaskResult,
    Task,
    TaskParams,
    TaskRequest,
    UpdateTaskParams,
)
from services.kernel.network import growing_pauses

ReportProgress = Callable[[str], Awaitable[None]]
FindSession = Callable[[], ClientSession | None]
"""Returns the current session of a server; None while not connected."""

_REQUEST_WITHIN: Final = 30.0  # seconds
_CANCEL_WITHIN: Final = 5.0
_MIN_PAUSE: Final = 0.05
_MAX_PAUSE: Final = 30.0
_USUAL_PAUSE: Final = 1.0
_FIRST_RETRY: Final = 0.5
_MAX_RETRY_PAUSE: Final = 10.0
_MAX_RETRIES: Final = 6
_FINAL_ERRORS: Final = frozenset({INVALID_PARAMS, METHOD_NOT_FOUND, MISSING_REQUIRED_CLIENT_CAPABILITY})


class TaskFailed(RuntimeError):
    """A task ended without a result."""


class TasksExtension(ClientExtension):
    """Declares support for tasks; each call follows its own task, so that its progress reaches its chat."""

    identifier = EXTENSION

    def claims(self) -> "Sequence[ResultClaim[CreateTaskResult]]":
        """Return the result of a call that goes on as a task."""
        return (ResultClaim(result_type="task", model=CreateTaskResult, resolve=_refuse),)


async def _refuse(task: CreateTaskResult, context: ClaimContext) -> CallToolResult:
    """Refuse a task that no call of a toolset polls."""
    raise TaskFailed(f"'{context.tool_name}' continues as the task {task.task_id}, which nothing polls")


async def follow_task(
    find_session: FindSession,
    tool: str,
    task_id: str,
    *,
    report: ReportProgress,
    task: Task | None = None,
    answered_keys: Collection[str] = (),
) -> CallToolResult | GetTaskResult:
    """Poll a task until it has a result or asks for input, and report its progress.

    A cancellation cancels the task on the server. After a lost connection, polling goes on when it is back.

    Args:
        find_session: returns the session to poll with.
        tool: the tool that was called; its output schema applies to the result.
        task_id: the id that the server gave it.
        report: is called with each new status message.
        task: its state, if known.
        answered_keys: keys of input that was already sent, which the server may still list.

    Returns:
        The result, or the task with the input that it waits for.

    Raises:
        MCPError: the server does not know the task, or cannot be reached.
        TaskFailed: the task failed, or was cancelled on the server.
        RuntimeError: the structured content of the result does not fit the output schema.
    """
    reported, current = None, task
    try:
        while True:
            if current is not None and current.status_message and current.status_message != reported:
                reported = current.status_message
                await report(reported)
            if current is not None and current.status in {"working", "input_required"}:
                await asyncio.sleep(_pause_seconds(current.poll_interval_ms))
            current = await _poll(find_session, task_id)
            if current.status == "input_required":
                if set(current.input_requests or ()) <= set(answered_keys):
                    continue
                return current
            if current.status != "working":
                return await _result(find_session(), tool, current)
    except asyncio.CancelledError:
        await _cancel(find_session(), task_id)
        raise


async def answer_task(session: ClientSession, task_id: str, responses: InputResponses) -> None:
    """Send the input that a task waits for."""
    params = UpdateTaskParams(task_id=task_id, input_responses=responses)
    await session.send_request(TaskRequest(method="tasks/update", params=params), EmptyResult, _REQUEST_WITHIN)


async def _result(session: ClientSession | None, tool: str, task: GetTaskResult) -> CallToolResult:
    if task.status != "completed" or task.result is None:
        reason = str((task.error or {}).get("message") or task.status_message or "no reason given")
        outcome = "was cancelled by its server" if task.status == "cancelled" else "failed"
        raise TaskFailed(f"'{tool}' {outcome}: {reason}")
    result = CallToolResult.model_validate(task.result, by_name=False)
    if session is not None and not result.is_error:
        await session.validate_tool_result(tool, result)
    return result


def _pause_seconds(interval_ms: int | None) -> float:
    seconds = _USUAL_PAUSE if interval_ms is None else interval_ms / 1000
    return min(max(seconds, _MIN_PAUSE), _MAX_PAUSE)


async def _poll(find_session: FindSession, task_id: str) -> GetTaskResult:
    """Request the state of a task, with retries after a lost connection."""
    request = TaskRequest(method="tasks/get", params=TaskParams(task_id=task_id))
    pauses = growing_pauses(_FIRST_RETRY, _MAX_RETRY_PAUSE)
    for left in range(_MAX_RETRIES, -1, -1):
        session = find_session()
        try:
            if session is not None:
                return await session.send_request(request, GetTaskResult, _REQUEST_WITHIN)
        except MCPError as error:
            if error.code in _FINAL_ERRORS or not left:
                raise
            logger.debug("could not poll task {}: {}", task_id, error)
        await asyncio.sleep(next(pauses))
    raise TaskFailed(f"the connection was lost while the task {task_id} ran")


async def _cancel(session: ClientSession | None, task_id: str) -> None:
    if session is None:
        return
    with suppress(MCPError, TimeoutError):
        async with asyncio.timeout(_CANCEL_WITHIN):
            await session.send_request(
                TaskRequest(method="tasks/cancel", params=TaskParams(task_id=task_id)), EmptyResult, _CANCEL_WITHIN
            )
