"""Read a whole answer of the chat-completions form into a `Completion`."""

import json
from collections.abc import Iterable, Mapping
from typing import Final, NoReturn

from services.language_model.failures import EndpointFailed, failure_of, read_error
from services.language_model.ports import Completion, RequestedCall, Usage

Fields = Mapping[str, object]

MAX_JSON_BYTES: Final = 4_000_000
"""Bytes of JSON that are parsed in one piece: a whole answer, or one event of a stream."""
MAX_TEXT_CHARACTERS: Final = 200_000
"""Characters of text in one answer, beyond which it is cut, and of the arguments of all its calls."""
MAX_CALLS: Final = 256
_MAX_TOKENS: Final = 2**31 - 1  # the largest integer of a column

# Words of servers instead of the four of the API.
_CUT = frozenset({"max_tokens", "max_output_tokens", "model_length", "token_limit", "max_length"})
_FILTERED = frozenset(
    {"safety", "sensitive", "recitation", "blocklist", "prohibited_content", "spii", "content_filtered", "refusal"}
)
_BROKEN = frozenset({"error", "network_error", "insufficient_system_resource", "abort", "aborted"})
_CALLED = frozenset({"stop", "function_call", "tool_call", "tool_use", "end_turn", "eos", "stop_sequence"})
# Names of a call's arguments; Anthropic's, behind some proxies, is `input`.
_ARGUMENTS = ("arguments", "parameters", "input", "args")
_TEXT_PARTS = ("text", "output_text", "refusal")


def read_answer(body: bytes) -> Completion:
    """Read the body of an answer that came in one piece.

    Raises:
        ModelUnavailable: it is not an answer (`malformed`), or reports an error.
    """
    answer = parse_object(body)
    choice = first_choice(answer)
    if choice is None:
        refuse_error(answer)
        refuse_malformed("the answer has no choices")
    message = fields_of(choice.get("message"))
    calls = read_calls(message)
    text = text_of(message.get("content")) or text_of(message.get("refusal"))
    if len(calls) > MAX_CALLS or sum(len(each.arguments) for each in calls) > MAX_TEXT_CHARACTERS:
        refuse_oversized()
    if len(text) > MAX_TEXT_CHARACTERS:
        text, choice = text[:MAX_TEXT_CHARACTERS], {**choice, "finish_reason": "length"}
    return Completion(
        text=text,
        calls=calls,
        finish_reason=finish_reason(choice.get("finish_reason"), has_calls=bool(calls), has_text=bool(text)),
        model=text_of(answer.get("model")),
        usage=read_usage(answer.get("usage")),
    )


def parse_object(data: bytes) -> Fields:
    """Parse a JSON object from a server, which may be the only entry of a list.

    Raises:
        EndpointFailed: it is not JSON, is nested too deeply, or is too long (`malformed`).
    """
    if len(data) > MAX_JSON_BYTES:
        refuse_oversized()
    try:
        parsed = json.loads(data)
    except ValueError:
        refuse_malformed("the answer is not JSON")
    except RecursionError:
        refuse_malformed("the answer is nested too deeply")
    return fields_of(parsed[0] if isinstance(parsed, list) and parsed else parsed)


def first_choice(answer: Fields) -> Fields | None:
    """Return the first choice of an answer or a chunk; None without choices, as in the last chunk with the usage."""
    choices = answer.get("choices")
    return fields_of(choices[0]) if isinstance(choices, list) and choices else None


def read_calls(message: Fields) -> tuple[RequestedCall, ...]:
    """Return the tool calls of a message; arguments that a server sent as an object become JSON text."""
    calls = []
    for entry in call_entries(message):
        name, arguments = name_and_arguments(entry)
        if name or arguments:
            calls.append(RequestedCall(id=text_of(entry.get("id")), name=name, arguments=arguments_text(arguments)))
    return tuple(calls)


def call_entries(message: Fields) -> list[Fields]:
    """Return the entries of `tool_calls`, a lone object there, the old `function_call`, or Anthropic's parts."""
    raw = message.get("tool_calls") or message.get("function_call")
    if raw:
        return [fields_of(entry) for entry in raw] if isinstance(raw, list) else [fields_of(raw)]
    parts = message.get("content")
    content = parts if isinstance(parts, list) else []
    return [part for part in map(fields_of, content) if part.get("type") == "tool_use"]


def name_and_arguments(entry: Fields) -> tuple[str, object]:
    """Return the name and the arguments of an entry or a part of one, in its `function` or beside it."""
    function = entry.get("function")
    within = fields_of(function) or entry
    name = text_of(within.get("name")) or (function if isinstance(function, str) else "")
    arguments = within.get("arguments")
    if arguments is None:
        given = (each.get(key) for each in (within, entry) for key in _ARGUMENTS)
        arguments = next((value for value in given if value is not None), None)
    return name, arguments


def arguments_text(arguments: object) -> str:
    """Return arguments as the JSON text that they should have been."""
    if isinstance(arguments, str):
        return arguments
    return "" if arguments is None else json.dumps(arguments, ensure_ascii=False)


def read_usage(raw: object) -> Usage:
    """Read the token counts of the server; missing ones are zero."""
    usage = fields_of(raw)
    details = fields_of(usage.get("prompt_tokens_details"))
    return Usage(
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=_count(details.get("cached_tokens") or usage.get("prompt_cache_hit_tokens")),
    )


def finish_reason(raw: object, *, has_calls: bool, has_text: bool) -> str:
    """Translate the server's word to the API's: `stop`, `tool_calls`, `length` or `content_filter`.

    Raises:
        EndpointFailed: the word reports a broken answer, or calls that the answer does not have.
    """
    reason = text_of(raw)
    if reason in ("", "null"):
        return "tool_calls" if has_calls else "stop"
    if has_calls and (reason == "tool_calls" or reason.lower() in _CALLED):
        return "tool_calls"
    if reason in ("stop", "length", "content_filter"):
        return reason
    return _translate_reason(reason.lower(), has_text=has_text)


def refuse_error(answer: Fields) -> None:
    """Reject an answer with status 200 that reports an error.

    Raises:
        ModelUnavailable: the answer reports an error; by its status in the answer, else `malformed`.
    """
    error = read_error(answer)
    if error is not None:
        raise failure_of(error.status or 200, error.message, generation=error.generation)


def fields_of(value: object) -> Fields:
    """Return `value` when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def text_of(value: object) -> str:
    """Return `value` as text: itself, the text parts of a content list, or empty."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(_part_texts(value))
    return ""


def refuse_malformed(detail: str) -> NoReturn:
    """Reject an answer that cannot be read."""
    raise EndpointFailed("malformed", detail)


def refuse_oversized() -> NoReturn:
    """Reject an answer that is too long; a retry would get it again."""
    raise EndpointFailed("malformed", "the answer is too long", is_passing=False)


def _translate_reason(reason: str, *, has_text: bool) -> str:
    if reason in _CUT:
        return "length"
    if reason in _FILTERED:
        return "content_filter"
    if reason in _BROKEN:
        refuse_malformed(f"the server broke the answer off: {reason}")
    if not has_text and reason in ("tool_calls", "function_call", "tool_use"):
        refuse_malformed("the answer promises calls and has none")
    return "stop"


def _part_texts(parts: Iterable[object]) -> Iterable[str]:
    """Return the texts for the person; a model's thoughts are parts of another type."""
    for part in parts:
        fields = fields_of(part)
        text = fields.get("text")
        if isinstance(text, str) and fields.get("type", "text") in _TEXT_PARTS:
            yield text


def _count(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value <= _MAX_TOKENS else 0
