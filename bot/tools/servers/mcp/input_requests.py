"""Convert the questions of an MCP server to a form, and the form with its answers to the server's responses."""

from typing import Final

from mcp.types import (
    ElicitRequest,
    ElicitRequestURLParams,
    ElicitResult,
    InputRequiredResult,
    InputResponses,
    Result,
)

from bot.tools.servers.echoed_secrets import EchoedSecretMask
from bot.tools.servers.mcp.task_messages import GetTaskResult
from function_calls.tools.calls import Form, InputRequest
from function_calls.toolsets.openapi.texts import sanitize_description
from services.kernel.errors import ToolFailed

_MAX_MESSAGE_LENGTH: Final = 1000
_MAX_QUESTIONS: Final = 20
_MAX_TEXT_LENGTH: Final = 200
_TEXTS: Final = frozenset({"title", "description"})


def form_of(result: Result, source: str, mask: EchoedSecretMask) -> Form:
    """Return the questions of `source` that a call or a task waits for; none if it only asks to repeat the call.

    Raises:
        ToolFailed: it asks for something other than input of the person, or for too much.
    """
    listed = result.input_requests if isinstance(result, InputRequiredResult | GetTaskResult) else None
    requests: list[InputRequest] = []
    for key, listed_request in (listed or {}).items():
        if not isinstance(listed_request, ElicitRequest):
            raise ToolFailed(f"{source} asks for {listed_request.method}, which is not offered")
        message = mask.text(sanitize_description(listed_request.params.message, _MAX_MESSAGE_LENGTH))
        if isinstance(listed_request.params, ElicitRequestURLParams):
            requests.append(InputRequest(key=key, message=message, url=listed_request.params.url))
        else:
            schema = _safe(listed_request.params.requested_schema)
            requests.append(InputRequest(key=key, message=message, schema=schema if isinstance(schema, dict) else {}))
    if sum(len(each.properties) or 1 for each in requests) > _MAX_QUESTIONS:
        raise ToolFailed(f"{source} asks more than {_MAX_QUESTIONS} questions at once")
    return Form(
        source=source,
        requests=tuple(requests),
        state=result.request_state if isinstance(result, InputRequiredResult) else None,
        task_id=result.task_id if isinstance(result, GetTaskResult) else "",
    )


def input_responses(form: Form) -> InputResponses:
    """Return the answers of a form, without fields that were left out."""
    if form.is_declined:
        return {each.key: ElicitResult(action="decline") for each in form.requests}
    responses: InputResponses = {}
    for each in form.requests:
        given = {name: value for name, value in form.answers.get(each.key, {}).items() if value is not None}
        responses[each.key] = ElicitResult.model_validate(
            {"action": "accept"} if each.url else {"action": "accept", "content": given}
        )
    return responses


def _safe(part: object, key: str = "") -> object:
    """Return a part of a schema whose titles and descriptions are safe to show."""
    if isinstance(part, dict):
        return {name: _safe(value, name) for name, value in part.items() if name.isprintable()}
    if isinstance(part, list):
        return [_safe(each) for each in part]
    return sanitize_description(part, _MAX_TEXT_LENGTH) if key in _TEXTS and isinstance(part, str) else part
