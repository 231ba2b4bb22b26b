"""Make a request shorter that is too long for its model: first what was said before goes, then the long results."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from services.language_model.ports import CompletionRequest

Message = Mapping[str, object]

_LONGEST_RESULT = 1500  # characters of a tool's result in a request that was too long
_NOTE = "\n[… the middle is left out …]\n"


def size_of(request: CompletionRequest) -> int:
    """About how many characters its messages have."""
    return sum(len(str(message.get("content") or "")) for message in request.messages)


def shorter(request: CompletionRequest) -> CompletionRequest | None:
    """`request` without its oldest part; None when nothing can go without touching what the person says now."""
    for shorten in (_without_history, _with_short_results):
        messages = shorten(request.messages)
        if messages != list(request.messages):
            return replace(request, messages=messages)
    return None


def _without_history(messages: Sequence[Message]) -> list[Message]:
    """The system text, the last message of the person and what has been called since."""
    users = [place for place, message in enumerate(messages) if message.get("role") == "user"]
    if not users:
        return list(messages)
    begin = users[-1]
    return [*(message for message in messages[:begin] if message.get("role") == "system"), *messages[begin:]]


def _with_short_results(messages: Sequence[Message]) -> list[Message]:
    return [_with_short_result(message) for message in messages]


def _with_short_result(message: Message) -> Message:
    content = message.get("content")
    if message.get("role") != "tool" or not isinstance(content, str) or len(content) <= _LONGEST_RESULT:
        return message
    half = _LONGEST_RESULT // 2 - len(_NOTE)
    return {**message, "content": f"{content[:half]}{_NOTE}{content[-half:]}"}
