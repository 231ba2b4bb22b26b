"""Messages of the MCP extension `io.modelcontextprotocol/tasks`, revision 2026-07-28, which the SDK does not have.

Source: specification/2026-07-28/tasks.md of modelcontextprotocol/ext-tasks (SEP-2663).
"""

from collections.abc import Mapping
from typing import Final, Literal

from mcp.types import EmptyResult, InputRequests, InputResponses, Request, RequestParams, Result
from pydantic import Field, SerializeAsAny

EXTENSION: Final = "io.modelcontextprotocol/tasks"
_MAX_ID_LENGTH: Final = 512

TaskStatus = Literal["working", "input_required", "completed", "failed", "cancelled"]


class Task(Result):
    """The state of a task. Times are in ISO 8601; `ttl_ms` counts from `created_at`; None is unlimited."""

    task_id: str = Field(alias="taskId", min_length=1, max_length=_MAX_ID_LENGTH)
    status: TaskStatus
    status_message: str | None = Field(None, alias="statusMessage")
    created_at: str = Field(alias="createdAt")
    last_updated_at: str = Field(alias="lastUpdatedAt")
    ttl_ms: int | None = Field(None, alias="ttlMs")
    poll_interval_ms: int | None = Field(None, alias="pollIntervalMs")


class CreateTaskResult(Task):
    """The result of a call that continues as a task."""

    result_type: Literal["task"] = Field("task", alias="resultType")


class GetTaskResult(Task):
    """A task with its result, its error or the input that it waits for."""

    result_type: Literal["complete"] = Field("complete", alias="resultType")
    input_requests: InputRequests | None = Field(None, alias="inputRequests")
    result: Mapping[str, object] | None = None
    error: Mapping[str, object] | None = None


class TaskParams(RequestParams):
    """Parameters that name a task."""

    task_id: str = Field(alias="taskId", max_length=_MAX_ID_LENGTH)


class UpdateTaskParams(TaskParams):
    """Parameters of `tasks/update`."""

    input_responses: InputResponses = Field(alias="inputResponses")


class TaskRequest(Request[SerializeAsAny[TaskParams], Literal["tasks/get", "tasks/update", "tasks/cancel"]]):
    """A request for the state of a task, with the input that it waits for, or to cancel it."""

    name_param = "taskId"


ACKNOWLEDGED: Final = EmptyResult(result_type="complete")
