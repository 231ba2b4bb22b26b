"""Convert tool results to MCP results: content, structured content, and questions to the person."""

import base64
import json
from collections.abc import Mapping
from typing import Final
from urllib.parse import quote

from mcp.server.context import ServerRequestContext
from mcp.types import (
    AudioContent,
    BlobResourceContents,
    CallToolRequestParams,
    CallToolResult,
    ContentBlock,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    ElicitResult,
    EmbeddedResource,
    ImageContent,
    InputRequests,
    InputRequiredResult,
    TextContent,
)

from function_calls.tools.calls import Form, InputRequest, SentFile, ToolResult
from function_calls.tools.dispatch.approval import NEEDS_YES

CONFIRMED: Final = "bubbles/confirmed"  # in `_meta` of a call: the person has confirmed it
CONFIRM: Final = "bubbles/confirm"  # the key of the question whether to confirm a call
INPUT_REQUESTS_SINCE: Final = "2026-07-28"  # the protocol version whose results can be questions


def call_result(result: ToolResult) -> CallToolResult:
    """Return a result as text, with files as images, audio or resources, and an object as structured content."""
    value = result.for_model()
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    if not result.ok:
        text = result.text if result.ending == "question" else result.error or result.text
        text = f"{text}\n(_meta: {{{CONFIRMED!r}: true}})" if result.error == NEEDS_YES else text
    structured = json.loads(text) if result.ok and isinstance(value, Mapping) else None
    content: list[ContentBlock] = [TextContent(text=text), *map(_file_block, result.files)]
    return CallToolResult(content=content, structured_content=structured, is_error=not result.ok)


def question_for_client(ctx: ServerRequestContext[object], result: ToolResult) -> InputRequiredResult | None:
    """Return the questions of a result to the person; None if it has none or the client cannot ask them."""
    elicitation = None if ctx.session.client_capabilities is None else ctx.session.client_capabilities.elicitation
    if elicitation is None or ctx.session.protocol_version < INPUT_REQUESTS_SINCE:
        return None
    if result.error == NEEDS_YES:
        params = ElicitRequestFormParams(message=result.text, requested_schema={"type": "object", "properties": {}})
        return InputRequiredResult(input_requests={CONFIRM: ElicitRequest(params=params)})
    if result.form is None:
        return None
    requests: InputRequests = {}
    for each in result.form.requests:
        message = f"{result.form.source}: {each.message}"
        requests[each.key] = ElicitRequest(
            params=ElicitRequestURLParams(message=message, url=each.url)
            if each.url
            else ElicitRequestFormParams(message=message, requested_schema=each.schema)
        )
    return InputRequiredResult(input_requests=requests, request_state=result.form.state)


def form_of_answers(params: CallToolRequestParams) -> Form | None:
    """Return the answers of the person in a repeated call; None if it has none."""
    found = {key: each for key, each in (params.input_responses or {}).items() if isinstance(each, ElicitResult)}
    if not found:
        return None
    return Form(
        source="",
        requests=tuple(InputRequest(key=key, message="") for key in found),
        state=params.request_state,
        answers={key: dict(each.content or {}) for key, each in found.items()},
        is_declined=any(each.action != "accept" for each in found.values()),
    )


def _file_block(file: SentFile) -> ContentBlock:
    data, kind = base64.b64encode(file.content).decode(), file.media_type.partition("/")[0]
    if kind == "image":
        return ImageContent(data=data, mime_type=file.media_type)
    if kind == "audio":
        return AudioContent(data=data, mime_type=file.media_type)
    uri = f"bubbles://files/{quote(file.name)}"
    return EmbeddedResource(resource=BlobResourceContents(uri=uri, mime_type=file.media_type, blob=data))
