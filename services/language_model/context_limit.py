"""Shorten a request that exceeds the model's context: the oldest turns first, then the middle of long results."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from services.language_model.ports import CompletionRequest

Message = Mapping[str, object]

_SHARE = 8
"""Each step leaves out at least one eighth of the earlier turns, so that few refused requests find the length."""
_LONGEST_RESULT = 1500  # characters of a tool's result in a request that was too long
_NOTE = "\n[… the middle is left out …]\n"


def size_of(request: CompletionRequest) -> int:
    """Estimate the number of characters in the request's messages."""
    return _size(request.messages)


def shorten_request(request: CompletionRequest) -> CompletionRequest | None:
    """Return `request` without its oldest part; None when only the person's current message is left."""
    for shorten in (_without_oldest_turns, _with_short_results):
        messages = shorten(request.messages)
        if messages != list(request.messages):
            return replace(request, messages=messages)
    return None


def _size(messages: Sequence[Message]) -> int:
    return sum(len(str(message.get("content") or "")) for message in messages)


def _without_oldest_turns(messages: Sequence[Message]) -> list[Message]:
    """Leave out whole turns before the last message of the person, oldest first; system messages stay.

    A turn begins with a message of the person, so a call and its result go together.
    """
    users = [place for place, message in enumerate(messages) if message.get("role") == "user"]
    if not users:
        return list(messages)
    wanted = _size(_spoken(messages[: users[-1]])) / _SHARE
    ends = (end for end in users if _spoken(messages[:end]) and _size(_spoken(messages[:end])) >= wanted)
    end = next(ends, users[-1])
    return [*(each for each in messages[:end] if each.get("role") == "system"), *messages[end:]]


def _spoken(messages: Sequence[Message]) -> list[Message]:
    return [message for message in messages if message.get("role") != "system"]


def _with_short_results(messages: Sequence[Message]) -> list[Message]:
    return [_with_short_result(message) for message in messages]


def _with_short_result(message: Message) -> Message:
    content = message.get("content")
    if message.get("role") != "tool" or not isinstance(content, str) or len(content) <= _LONGEST_RESULT:
        return message
    half = _LONGEST_RESULT // 2 - len(_NOTE)
    return {**message, "content": f"{content[:half]}{_NOTE}{content[-half:]}"}
