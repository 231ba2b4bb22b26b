"""Read a whole answer of the chat-completions form into a `Completion`."""

import json
from collections.abc import Iterable, Mapping
from typing import NoReturn

from services.language_model.failures import EndpointFailed
from services.language_model.ports import Completion, RequestedCall, Usage

Fields = Mapping[str, object]


def read_answer(body: bytes) -> Completion:
    """Read the body of an answer that came in one piece.

    Raises:
        EndpointFailed: it is not an answer (`malformed`).
    """
    try:
        answer = json.loads(body)
    except ValueError:
        malformed("the answer is not JSON")
    return read_fields(fields_of(answer))


def read_fields(answer: Fields) -> Completion:
    """Read an answer that has been parsed already.

    Raises:
        EndpointFailed: it is not an answer, or says itself that it is an error.
    """
    choice = first_choice(answer)
    if choice is None:
        malformed(told_error(answer) or "the answer has no choices")
    message = fields_of(choice.get("message"))
    calls = read_calls(message.get("tool_calls"))
    return Completion(
        text=text_of(message.get("content")),
        calls=calls,
        finish_reason=finish_reason(choice.get("finish_reason"), has_calls=bool(calls)),
        model=text_of(answer.get("model")),
        usage=read_usage(answer.get("usage")),
    )


def first_choice(answer: Fields) -> Fields | None:
    """The first choice of an answer or a chunk; None when it has none, as the last chunk with the usage has."""
    choices = answer.get("choices")
    return fields_of(choices[0]) if isinstance(choices, list) and choices else None


def read_calls(raw: object) -> tuple[RequestedCall, ...]:
    """The tool calls of a message; arguments that a server sent as an object become JSON text."""
    calls = []
    for entry in raw if isinstance(raw, list) else ():
        function = fields_of(fields_of(entry).get("function"))
        arguments = function.get("arguments")
        calls.append(
            RequestedCall(
                id=text_of(fields_of(entry).get("id")),
                name=text_of(function.get("name")),
                arguments=arguments if isinstance(arguments, str) else _as_json(arguments),
            )
        )
    return tuple(calls)


def read_usage(raw: object) -> Usage:
    """Tokens as the server counted them; zero where it counted none."""
    usage = fields_of(raw)
    details = fields_of(usage.get("prompt_tokens_details"))
    return Usage(
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=_count(details.get("cached_tokens")),
    )


def finish_reason(raw: object, *, has_calls: bool) -> str:
    """The server's word, put right where servers are known to differ: `stop` beside calls, the old `function_call`."""
    reason = text_of(raw) or ("tool_calls" if has_calls else "stop")
    return "tool_calls" if has_calls and reason in ("stop", "function_call") else reason


def told_error(answer: Fields) -> str:
    """The message of an error that a server put into an answer with status 200; empty when there is none."""
    error = answer.get("error")
    if isinstance(error, Mapping):
        return text_of(error.get("message")) or "the server reports an error"
    return text_of(error)


def fields_of(value: object) -> Fields:
    """`value` when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def text_of(value: object) -> str:
    """`value` as text: itself, the text parts of a content list, or empty."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(_part_texts(value))
    return ""


def malformed(detail: str) -> NoReturn:
    """Give up on an answer that cannot be read."""
    raise EndpointFailed("malformed", detail)


def _part_texts(parts: Iterable[object]) -> Iterable[str]:
    for part in parts:
        text = fields_of(part).get("text")
        if isinstance(text, str):
            yield text


def _as_json(arguments: object) -> str:
    return "" if arguments is None else json.dumps(arguments, ensure_ascii=False)


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0
