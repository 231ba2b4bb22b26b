"""Change requests for servers that refuse their usual form, as learned from each server's error.

A server that refuses a request for its form would refuse every message of the bot. So the named part is changed from
then on: one fallback at a time, and only one that changes the refused request.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256

from msgspec import Struct

_PLAIN_KEYWORDS = ("type", "description", "enum", "properties", "items", "required")
_KINDS: Mapping[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}
_NOTHING = {"type": "object", "properties": {}}
_DEEPEST = 12  # levels: a type that contains itself would go on


@lru_cache(maxsize=16)
def simplify_tools(tools: bytes) -> bytes:
    """Return the serialised list `tools` with plain schemas; the bot checks arguments against its own complete ones."""
    plain = []
    for tool in json.loads(tools):
        function = tool["function"]
        parameters = function.get("parameters") or _NOTHING
        shown = {key: value for key, value in function.items() if key not in ("parameters", "strict")}
        if parameters.get("properties"):  # Gemini refuses an object without any
            shown["parameters"] = _plain(parameters, parameters)
        plain.append({"type": "function", "function": shown})
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode()


def _plain(schema: object, root: Mapping[str, object], depth: int = 0) -> dict[str, object]:
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return {"type": "string"}
    schema = _chosen(_resolved(schema, root), root)
    made: dict[str, object] = {key: schema[key] for key in _PLAIN_KEYWORDS if key in schema}
    if "const" in schema:
        made["enum"] = [schema["const"]]
    made["type"] = _type(made)
    if made["type"] != "string":
        made.pop("enum", None)  # Gemini knows it for texts only
    properties = made.get("properties")
    if isinstance(properties, Mapping):
        made["properties"] = {name: _plain(each, root, depth + 1) for name, each in properties.items()}
    if made["type"] == "array":
        made["items"] = _plain(made.get("items"), root, depth + 1)
    return made


def _type(schema: Mapping[str, object]) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((each for each in kind if each != "null"), "string")
    if isinstance(kind, str):
        return kind
    if "properties" in schema:
        return "object"
    values = schema.get("enum")
    return _KINDS.get(type(values[0]), "string") if isinstance(values, list) and values else "string"


def _chosen(schema: Mapping[str, object], root: Mapping[str, object]) -> Mapping[str, object]:
    """Return `schema`, or the first of its alternatives that is not null, with what stands beside them."""
    for word in ("anyOf", "oneOf", "allOf"):
        choices = schema.get(word)
        if isinstance(choices, list):
            kept = [each for each in choices if isinstance(each, Mapping) and each.get("type") != "null"]
            if kept:
                return {**_chosen(_resolved(kept[0], root), root), **schema}
    return schema


def _resolved(schema: Mapping[str, object], root: Mapping[str, object]) -> Mapping[str, object]:
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return schema
    found: object = root
    for step in reference.removeprefix("#").strip("/").split("/"):
        found = found.get(step) if isinstance(found, Mapping) else None
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    return {**found, **beside} if isinstance(found, Mapping) else beside


Body = dict[str, object]
"""The fields of a body. `tools` is the serialised list still."""

_Message = Mapping[str, object]
_UNSIGNED = {"google": {"thought_signature": "skip_thought_signature_validator"}}
_NOT = r"(?:not|n't|un|no longer)\s?(?:be |currently |yet )?"


class CompatibilityFallback(Struct, frozen=True, kw_only=True):
    """A change of the body for servers whose error matches `asked`; `make` returns whether it changed anything."""

    name: str
    asked: str
    make: Callable[[Body], bool]


def compatibility_fallback_for(
    message: str, body: Body, made: Sequence[CompatibilityFallback]
) -> CompatibilityFallback | None:
    """Apply to `body` the first fallback, none of `made`, that `message` asks for and that changes it; return it."""
    for each in COMPATIBILITY_FALLBACKS:
        if each not in made and re.search(each.asked, message, re.IGNORECASE) and each.make(body):
            return each
    return None


def _without_stream_options(body: Body) -> bool:
    return body.pop("stream_options", None) is not None


def _with_max_completion_tokens(body: Body) -> bool:
    limit = body.pop("max_tokens", None)
    if limit is not None:
        body["max_completion_tokens"] = limit
    return limit is not None


def _unstreamed(body: Body) -> bool:
    body.pop("stream_options", None)
    return body.pop("stream", None) is not None


def _streamed(body: Body) -> bool:
    """Ask for a streamed answer, which is read as it comes; return whether that changes the request."""
    is_changed = "stream" not in body
    body["stream"] = True
    return is_changed


def _without_system(body: Body) -> bool:
    """Move the system text to the beginning of the person's first message; return whether there is one."""
    system, *rest = _messages(body) or [{}]
    place = next((place for place, message in enumerate(rest) if message.get("role") == "user"), None)
    if system.get("role") != "system" or place is None:
        return False
    rest[place] = {**rest[place], "content": f"{system.get('content')}\n\n{rest[place].get('content')}"}
    body["messages"] = rest
    return True


def _with_reasoning(body: Body) -> bool:
    """Add the `reasoning_content` that DeepSeek wants with every answer of its own; empty is accepted."""
    return _each_message(body, lambda message: {"reasoning_content": "", **message}, role="assistant")


def _with_signatures(body: Body) -> bool:
    """Add the signature that Gemini wants with every call; its documentation gives a placeholder."""

    def signed(message: _Message) -> _Message:
        calls = message.get("tool_calls")
        if not isinstance(calls, list):
            return message
        return {**message, "tool_calls": [{"extra_content": _UNSIGNED, **call} for call in calls]}

    return _each_message(body, signed, role="assistant")


def _with_short_ids(body: Body) -> bool:
    """Shorten the ids of calls to the nine letters and digits that Mistral accepts."""
    before = _messages(body)
    after = rename_calls(before, lambda identity: sha256(identity.encode()).hexdigest()[:9])
    body["messages"] = after
    return after != before


def rename_calls(messages: Sequence[_Message], rename: Callable[[str], str]) -> list[_Message]:
    """Return the messages with other ids of calls, the same in a call and in its result."""

    def renamed(message: _Message) -> _Message:
        calls = message.get("tool_calls")
        if isinstance(calls, list):
            return {**message, "tool_calls": [{**call, "id": rename(str(call.get("id")))} for call in calls]}
        answered = message.get("tool_call_id")
        return message if answered is None else {**message, "tool_call_id": rename(str(answered))}

    return [renamed(message) for message in messages]


def _with_content(body: Body) -> bool:
    return _each_message(body, lambda each: each if each.get("content") is not None else {**each, "content": ""})


def _without_names(body: Body) -> bool:
    return _each_message(body, lambda message: {key: message[key] for key in message if key != "name"})


def _with_plain_tools(body: Body) -> bool:
    tools = body.get("tools")
    if not isinstance(tools, bytes):
        return False
    body["tools"] = simplify_tools(tools)
    return body["tools"] != tools


def _messages(body: Body) -> list[_Message]:
    messages = body["messages"]
    return list(messages) if isinstance(messages, Sequence) else []


def _each_message(body: Body, change: Callable[[_Message], _Message], *, role: str = "") -> bool:
    """Change every message, or those of `role`, and say whether any was."""
    before = _messages(body)
    after = [change(message) if role in ("", message.get("role")) else message for message in before]
    body["messages"] = after
    return after != before


COMPATIBILITY_FALLBACKS = (
    CompatibilityFallback(
        name="reasoning_content beside its answers", asked=r"reasoning_content", make=_with_reasoning
    ),
    CompatibilityFallback(name="a signature for its calls", asked=r"thought_?signature", make=_with_signatures),
    CompatibilityFallback(
        name="short call ids", asked=r"tool[ _]call[ _]?id\b.{0,120}(?:a-z|length|pattern|format)", make=_with_short_ids
    ),
    CompatibilityFallback(
        name="no stream_options", asked=r"stream_options|include_usage", make=_without_stream_options
    ),
    CompatibilityFallback(
        name="max_completion_tokens", asked=r"max_completion_tokens", make=_with_max_completion_tokens
    ),
    CompatibilityFallback(
        name="answers as a stream",
        asked=r"non-?stream|only supports? (?:the )?stream|stream\s?=\s?`?false|enable (?:the )?stream"
        r"|非流式|仅支持流式|stream.{0,20}must be (?:set to )?true|requires? (?:the )?stream",
        make=_streamed,
    ),
    CompatibilityFallback(
        name="answers as a whole",
        asked=rf"\bstream(?:ing)?\b.{{0,60}}{_NOT}(?:support|allow|enable|implement|available)"
        rf"|(?:cannot|can't|{_NOT}support).{{0,40}}\bstream(?:ing|ed)?\b|不支持流式",
        make=_unstreamed,
    ),
    CompatibilityFallback(
        name="no system message",
        asked=rf"system.{{0,40}}{_NOT}(?:support|allow|enable)|{_NOT}support.{{0,20}}\bsystem\b"
        rf"|developer instruction|roles? must alternate|only user and assistant roles",
        make=_without_system,
    ),
    CompatibilityFallback(
        name="no message without content",
        asked=r"content\b.{0,120}(?:null|none|nil\b|must be|should be|valid string|required|missing|empty)"
        r"|(?:null|none|nil|invalid|missing|empty).{0,60}content\b",
        make=_with_content,
    ),
    CompatibilityFallback(
        name="no names in messages",
        asked=rf"['\"`.]name\b.{{0,60}}(?:{_NOT}(?:support|allow|permit|expect|recogni)|extra)"
        r"|(?:extra|additional|unknown|unsupported|unexpected|unrecognized).{0,60}['\"`.]name\b",
        make=_without_names,
    ),
    CompatibilityFallback(
        name="plain schemas of tools",
        asked=r"schema|function_?declaration|additionalproperties|\$ref|\$defs|any_?of|one_?of|exclusive_?m|\bpattern\b"
        r"|parameters\b.{0,80}(?:invalid|unsupported|not support|unknown|must|should)|unknown name|unrecognized",
        make=_with_plain_tools,
    ),
)
