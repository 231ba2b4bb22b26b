"""Change requests for servers that refuse their usual form, as learned from each server's error.

A server that refuses the form of one request would refuse all of them. So the part that its error names is changed in
all later requests: one fallback at a time, and only one that changes the refused request.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import count

from msgspec import Struct

_PLAIN_KEYWORDS = ("type", "description", "enum", "properties", "items", "required")
_KINDS: Mapping[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}
_References = frozenset[str]
_NOTHING = {"type": "object", "properties": {}}
_DEEPEST = 12  # levels
_MAX_PARTS = 1000  # of one schema, because types that contain each other multiply


@lru_cache(maxsize=16)
def simplify_tools(tools: bytes) -> bytes:
    """Return the serialised list `tools` with plain schemas; the bot checks arguments against its own complete ones."""
    plain = []
    for tool in json.loads(tools):
        function = tool["function"]
        parameters = function.get("parameters") or _NOTHING
        shown = {key: value for key, value in function.items() if key not in ("parameters", "strict")}
        if parameters.get("properties"):  # Gemini refuses an object without any
            shown["parameters"] = _simplify_schema(parameters, parameters, count())
        plain.append({"type": "function", "function": shown})
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode()


def _simplify_schema(
    schema: object,
    root: Mapping[str, object],
    parts: Iterator[int],
    open_refs: _References = frozenset(),
    depth: int = 0,
) -> dict[str, object]:
    """Return a part of `root` with plain keywords; one that contains itself is a text there."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST or next(parts) >= _MAX_PARTS:
        return {"type": "string"}
    schema, open_refs = _choose_alternative(schema, root, open_refs)
    made: dict[str, object] = {key: schema[key] for key in _PLAIN_KEYWORDS if key in schema}
    if "const" in schema:
        made["enum"] = [schema["const"]]
    made["type"] = _type(made)
    if made["type"] != "string":
        made.pop("enum", None)  # Gemini knows it for texts only
    properties = made.get("properties")
    if isinstance(properties, Mapping):
        made["properties"] = {
            name: _simplify_schema(each, root, parts, open_refs, depth + 1) for name, each in properties.items()
        }
    if made["type"] == "array":
        made["items"] = _simplify_schema(made.get("items"), root, parts, open_refs, depth + 1)
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


def _choose_alternative(
    schema: Mapping[str, object], root: Mapping[str, object], open_refs: _References
) -> tuple[Mapping[str, object], _References]:
    """Return `schema`; if it has alternatives, the first that is not null, with the keywords beside them.

    Also return `open_refs` with the references that were resolved.
    """
    schema, open_refs = _resolve_reference(schema, root, open_refs)
    for word in ("anyOf", "oneOf", "allOf"):
        choices = schema.get(word)
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, Mapping) and choice.get("type") != "null":
                chosen, open_refs = _choose_alternative(choice, root, open_refs)
                return {**chosen, **schema}, open_refs
    return schema, open_refs


def _resolve_reference(
    schema: Mapping[str, object], root: Mapping[str, object], open_refs: _References
) -> tuple[Mapping[str, object], _References]:
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return schema, open_refs
    found: object = None if reference in open_refs else root
    for step in reference.removeprefix("#").strip("/").split("/"):
        found = found.get(step) if isinstance(found, Mapping) else None
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    return {**found, **beside} if isinstance(found, Mapping) else beside, open_refs | {reference}


Body = dict[str, object]
"""The fields of a body; `tools` is still serialised."""

_Message = Mapping[str, object]
_UNSIGNED = {"google": {"thought_signature": "skip_thought_signature_validator"}}
_NOT = r"(?:not|n't|un|no longer)\s?(?:be |currently |yet )?"


class CompatibilityFallback(Struct, frozen=True, kw_only=True):
    """A change of the body after an error message that matches `error`; `make` returns whether it changed anything."""

    name: str
    error: str
    make: Callable[[Body], bool]


def apply_first_fallback(
    message: str, body: Body, applied: Sequence[CompatibilityFallback]
) -> CompatibilityFallback | None:
    """Apply to `body` the first fallback, none of `applied`, that `message` asks for and that changes it; return it."""
    for each in COMPATIBILITY_FALLBACKS:
        if each not in applied and re.search(each.error, message, re.IGNORECASE) and each.make(body):
            return each
    return None


def _drop_stream_options(body: Body) -> bool:
    return body.pop("stream_options", None) is not None


def _use_max_completion_tokens(body: Body) -> bool:
    limit = body.pop("max_tokens", None)
    if limit is not None:
        body["max_completion_tokens"] = limit
    return limit is not None


def _disable_stream(body: Body) -> bool:
    body.pop("stream_options", None)
    return body.pop("stream", None) is not None


def _enable_stream(body: Body) -> bool:
    """Request a streamed answer, which is read in any case; return whether that changes the request."""
    is_changed = "stream" not in body
    body["stream"] = True
    return is_changed


def _move_system_text(body: Body) -> bool:
    """Move the system text to the beginning of the person's first message; return whether there is one."""
    system, *rest = _messages(body) or [{}]
    place = next((place for place, message in enumerate(rest) if message.get("role") == "user"), None)
    if system.get("role") != "system" or place is None:
        return False
    rest[place] = {**rest[place], "content": f"{system.get('content')}\n\n{rest[place].get('content')}"}
    body["messages"] = rest
    return True


def _add_reasoning(body: Body) -> bool:
    """Add the `reasoning_content` that DeepSeek requires in every earlier answer of its own; it may be empty."""
    return _each_message(body, lambda message: {"reasoning_content": "", **message}, role="assistant")


def _add_signatures(body: Body) -> bool:
    """Add the signature that Gemini requires in every call, as the placeholder of its documentation."""

    def sign(message: _Message) -> _Message:
        calls = message.get("tool_calls")
        if not isinstance(calls, list):
            return message
        return {**message, "tool_calls": [{"extra_content": _UNSIGNED, **call} for call in calls]}

    return _each_message(body, sign, role="assistant")


def _use_short_ids(body: Body) -> bool:
    """Shorten the ids of calls to the nine letters and digits that Mistral accepts."""
    before = _messages(body)
    after = rename_calls(before, lambda identity: sha256(identity.encode()).hexdigest()[:9])
    body["messages"] = after
    return after != before


def rename_calls(messages: Sequence[_Message], rename: Callable[[str], str]) -> list[_Message]:
    """Return the messages with other ids of calls, the same in a call and in its result."""

    def rename_in(message: _Message) -> _Message:
        calls = message.get("tool_calls")
        if isinstance(calls, list):
            return {**message, "tool_calls": [{**call, "id": rename(str(call.get("id")))} for call in calls]}
        answered = message.get("tool_call_id")
        return message if answered is None else {**message, "tool_call_id": rename(str(answered))}

    return [rename_in(message) for message in messages]


def _add_content(body: Body) -> bool:
    return _each_message(body, lambda each: each if each.get("content") is not None else {**each, "content": ""})


def _drop_names(body: Body) -> bool:
    return _each_message(body, lambda message: {key: message[key] for key in message if key != "name"})


def _simplify_tools(body: Body) -> bool:
    tools = body.get("tools")
    if not isinstance(tools, bytes):
        return False
    body["tools"] = simplify_tools(tools)
    return body["tools"] != tools


def _messages(body: Body) -> list[_Message]:
    messages = body["messages"]
    return list(messages) if isinstance(messages, Sequence) else []


def _each_message(body: Body, change: Callable[[_Message], _Message], *, role: str = "") -> bool:
    """Change every message, or those of `role`; return whether one of them is different now."""
    before = _messages(body)
    after = [change(message) if role in ("", message.get("role")) else message for message in before]
    body["messages"] = after
    return after != before


COMPATIBILITY_FALLBACKS = (
    CompatibilityFallback(name="reasoning_content beside its answers", error=r"reasoning_content", make=_add_reasoning),
    CompatibilityFallback(name="a signature for its calls", error=r"thought_?signature", make=_add_signatures),
    CompatibilityFallback(
        name="short call ids", error=r"tool[ _]call[ _]?id\b.{0,120}(?:a-z|length|pattern|format)", make=_use_short_ids
    ),
    CompatibilityFallback(name="no stream_options", error=r"stream_options|include_usage", make=_drop_stream_options),
    CompatibilityFallback(
        name="max_completion_tokens", error=r"max_completion_tokens", make=_use_max_completion_tokens
    ),
    CompatibilityFallback(
        name="answers as a stream",
        error=r"non-?stream|only supports? (?:the )?stream|stream\s?=\s?`?false|enable (?:the )?stream"
        r"|非流式|仅支持流式|stream.{0,20}must be (?:set to )?true|requires? (?:the )?stream",
        make=_enable_stream,
    ),
    CompatibilityFallback(
        name="answers as a whole",
        error=rf"\bstream(?:ing)?\b.{{0,60}}{_NOT}(?:support|allow|enable|implement|available)"
        rf"|(?:cannot|can't|{_NOT}support).{{0,40}}\bstream(?:ing|ed)?\b|不支持流式",
        make=_disable_stream,
    ),
    CompatibilityFallback(
        name="no system message",
        error=rf"system.{{0,40}}{_NOT}(?:support|allow|enable)|{_NOT}support.{{0,20}}\bsystem\b"
        rf"|developer instruction|roles? must alternate|only user and assistant roles",
        make=_move_system_text,
    ),
    CompatibilityFallback(
        name="no message without content",
        error=r"content\b.{0,120}(?:null|none|nil\b|must be|should be|valid string|required|missing|empty)"
        r"|(?:null|none|nil|invalid|missing|empty).{0,60}content\b",
        make=_add_content,
    ),
    CompatibilityFallback(
        name="no names in messages",
        error=rf"['\"`.]name\b.{{0,60}}(?:{_NOT}(?:support|allow|permit|expect|recogni)|extra)"
        r"|(?:extra|additional|unknown|unsupported|unexpected|unrecognized).{0,60}['\"`.]name\b",
        make=_drop_names,
    ),
    CompatibilityFallback(
        name="plain schemas of tools",
        error=r"schema|function_?declaration|additionalproperties|\$ref|\$defs|any_?of|one_?of|exclusive_?m|\bpattern\b"
        r"|parameters\b.{0,80}(?:invalid|unsupported|not support|unknown|must|should)|unknown name|unrecognized",
        make=_simplify_tools,
    ),
)
