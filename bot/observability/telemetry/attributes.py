"""Build the attributes of spans from requests, answers, usage and content.

Source: https://github.com/open-telemetry/semantic-conventions-genai/tree/main/docs/gen-ai
"""

import json
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

from opentelemetry import context

from services.call_log.usage import TurnUsage, current_usage
from services.language_model.ports import Completion, CompletionRequest

Attributes = dict[str, str | int | bool | Sequence[str]]

PROVIDER: Final = "openai"
"""The provider of the API of models; the conventions accept a guess for compatible servers."""
AGENT_NAME: Final = "gen_ai.agent.name"
"""The attribute, and the key of the running agent in an OpenTelemetry context."""


def current_agent() -> Attributes:
    """Return the name of the running agent; nothing outside of a run."""
    name = context.get_value(AGENT_NAME)
    return {AGENT_NAME: str(name)} if name else {}


def server_attributes(url: str) -> Attributes:
    """Return the address and the port of a model's server."""
    address = urlsplit(url)
    if not address.hostname:
        return {}
    port = address.port or (443 if address.scheme == "https" else 80)
    return {"server.address": address.hostname, "server.port": port}


def request_attributes(request: CompletionRequest) -> Attributes:
    """Return the attributes of a request to a model, without its content."""
    usage = current_usage()
    attributes: Attributes = {"gen_ai.request.stream": request.on_text is not None, **current_agent()}
    if usage is not None:
        attributes["gen_ai.conversation.id"] = str(usage.address)
    if request.max_tokens is not None:
        attributes["gen_ai.request.max_tokens"] = request.max_tokens
    if request.response_format is not None:
        attributes["gen_ai.output.type"] = "json"
    return attributes


def response_attributes(completion: Completion) -> Attributes:
    """Return the attributes of a model's answer, without its content."""
    usage = completion.usage
    return {
        "gen_ai.response.model": completion.model,
        "gen_ai.response.finish_reasons": [completion.finish_reason],
        "gen_ai.usage.input_tokens": usage.prompt_tokens,
        "gen_ai.usage.output_tokens": usage.completion_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
    }


def usage_attributes(usage: TurnUsage) -> Attributes:
    """Return the route and the usage of a turn, as `bubbles explain` shows them."""
    attributes: Attributes = {"bubbles.route": usage.route, "bubbles.rounds": usage.round}
    if usage.fallback:
        attributes["bubbles.fallback"] = usage.fallback
    if usage.completions:
        attributes["gen_ai.usage.input_tokens"] = usage.charge.prompt_tokens
        attributes["gen_ai.usage.output_tokens"] = usage.charge.completion_tokens
    return attributes


def input_messages(request: CompletionRequest) -> str:
    """Return the messages of a request in the conventions' JSON."""
    return _as_json([{"role": each.get("role"), "parts": [*_parts(each)]} for each in request.messages])


def output_messages(completion: Completion) -> str:
    """Return a model's answer in the conventions' JSON."""
    calls = [_call_part(call.id, call.name, call.arguments) for call in completion.calls]
    parts = [*([_text_part(completion.text)] if completion.text else []), *calls]
    reason = "tool_call" if completion.finish_reason == "tool_calls" else completion.finish_reason
    return _as_json([{"role": "assistant", "parts": parts, "finish_reason": reason}])


def user_message(text: str) -> str:
    """Return a message of a person in the conventions' JSON."""
    return _as_json([{"role": "user", "parts": [_text_part(text)]}])


def assistant_message(text: str) -> str:
    """Return an answer of an agent in the conventions' JSON."""
    return _as_json([{"role": "assistant", "parts": [_text_part(text)], "finish_reason": "stop"}])


def _parts(message: Mapping[str, object]) -> list[dict[str, object]]:
    content, calls = message.get("content"), message.get("tool_calls")
    if message.get("role") == "tool":
        return [{"type": "tool_call_response", "id": message.get("tool_call_id"), "response": content}]
    pieces = content if isinstance(content, list) else [{"type": "text", "text": content}] if content else []
    parts = [_content_part(each) for each in pieces if isinstance(each, Mapping)]
    for call in calls if isinstance(calls, list) else ():
        function = call["function"]
        parts.append(_call_part(call["id"], function["name"], function["arguments"]))
    return parts


def _content_part(piece: Mapping[str, object]) -> dict[str, object]:
    """Return the text of a piece of content; only the type of a picture."""
    return _text_part(piece["text"]) if "text" in piece else {"type": piece.get("type", "unknown")}


def _text_part(text: object) -> dict[str, object]:
    return {"type": "text", "content": text}


def _call_part(call_id: object, name: object, arguments: object) -> dict[str, object]:
    return {"type": "tool_call", "id": call_id, "name": name, "arguments": arguments}


def _as_json(messages: Sequence[Mapping[str, object]]) -> str:
    return json.dumps(messages, ensure_ascii=False, default=str)
