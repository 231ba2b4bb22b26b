"""Write a request's body: as bytes around a tool list that was serialised before, or as plain keywords."""

import json
from collections.abc import Mapping
from typing import cast

from services.language_model.ports import CompletionRequest


def body_bytes(model: str, request: CompletionRequest, extra: Mapping[str, object]) -> bytes:
    """The body as UTF-8 JSON.

    The tool list comes last and is copied as it stands, so that a request costs the same whether it offers one
    tool or two hundred. `extra` are fields the operator adds to every request, such as `temperature`.
    """
    fields: dict[str, object] = {"model": model, "messages": request.messages, **extra}
    if request.max_tokens is not None:
        fields["max_tokens"] = request.max_tokens
    if request.response_format is not None:
        fields["response_format"] = request.response_format
    if request.on_text is not None:
        fields["stream"] = True
        fields["stream_options"] = {"include_usage": True}
    if request.tools is not None and request.tool_choice is not None:
        fields["tool_choice"] = request.tool_choice
    # "replace": a chat message may carry half of a surrogate pair, which is no UTF-8
    head = json.dumps(fields, ensure_ascii=False, separators=(",", ":"), default=dict).encode("utf-8", "replace")
    return head if request.tools is None else head[:-1] + b',"tools":' + request.tools + b"}"


def body_keywords(model: str, request: CompletionRequest, extra: Mapping[str, object]) -> dict[str, object]:
    """The same body as keywords of the SDK's own `create`."""
    return cast("dict[str, object]", json.loads(body_bytes(model, request, extra)))
