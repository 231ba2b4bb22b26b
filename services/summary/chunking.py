"""Split a long conversation at pauses into parts of the size that a model reads at once.

A cut depends only on the messages since the last cut, and long pauses always cut a part that has grown enough. So two
windows that overlap are cut alike after the first pause they share, and summaries of their parts can be remembered.
"""

from collections.abc import Sequence
from datetime import timedelta

from services.kernel.chat import ChatMessage
from services.summary.terms import reading_length

_PAUSE = timedelta(minutes=30)
_LETTERS_PER_TOKEN = 3
_TOKENS_AROUND = 16
MESSAGE_LENGTH = 2_000
"""Characters of one message that a model is shown."""


def split_into_chunks(messages: Sequence[ChatMessage], *, max_tokens: int) -> list[tuple[ChatMessage, ...]]:
    """Cut `messages` into parts of at most about `max_tokens`; a part holds at least one message."""
    parts: list[tuple[ChatMessage, ...]] = []
    start = 0
    size = 0
    for position, message in enumerate(messages):
        tokens = estimated_tokens(message)
        while position > start and (size + tokens > max_tokens or _is_break(messages, position, size, max_tokens)):
            end = position if size + tokens <= max_tokens else _longest_pause(messages, start, position)
            parts.append(tuple(messages[start:end]))
            start = end
            size = sum(estimated_tokens(kept) for kept in messages[start:position])
        size += tokens
    if start < len(messages):
        parts.append(tuple(messages[start:]))
    return parts


def estimated_tokens(message: ChatMessage) -> int:
    """Return about how many tokens `message` costs: three letters or one Chinese character each, and its frame."""
    return reading_length(message.text[:MESSAGE_LENGTH]) // _LETTERS_PER_TOKEN + _TOKENS_AROUND


def _is_break(messages: Sequence[ChatMessage], position: int, size: int, max_tokens: int) -> bool:
    pause = messages[position].sent_at - messages[position - 1].sent_at
    return pause >= _PAUSE and size >= max_tokens // 3


def _longest_pause(messages: Sequence[ChatMessage], start: int, end: int) -> int:
    """Return where the second half of a full part pauses longest, its end included; the latest of equal pauses."""
    candidates = range(start + max(1, (end - start) // 2), end + 1)
    return max(candidates, key=lambda at: (messages[at].sent_at - messages[at - 1].sent_at, at))
