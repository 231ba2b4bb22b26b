"""Split a conversation into parts, build the requests of a summary and parse the model's answers.

A cut depends only on the messages since the last cut, and a long pause cuts every part of sufficient length. So
overlapping windows have equal parts after the first common pause, and summaries of parts can be cached.
"""

import functools
import json
from collections.abc import Iterable, Sequence
from datetime import timedelta
from importlib import resources

from pydantic import BaseModel, ValidationError

from services.kernel.chat import ChatMessage
from services.kernel.errors import ModelUnavailable
from services.language_model.ports import CompletionRequest
from services.summary.lexicon import reading_length
from services.summary.model import Bullet

_PAUSE = timedelta(minutes=30)
_LETTERS_PER_TOKEN = 3
_TOKENS_AROUND = 16
MESSAGE_LENGTH = 2_000
"""The limit of characters of one message in a request."""


def split_into_chunks(messages: Sequence[ChatMessage], *, max_tokens: int) -> list[tuple[ChatMessage, ...]]:
    """Split `messages` into parts of at most about `max_tokens`, with at least one message."""
    parts: list[tuple[ChatMessage, ...]] = []
    start = 0
    size = 0
    for position, message in enumerate(messages):
        tokens = estimate_tokens(message)
        while position > start and (size + tokens > max_tokens or _is_break(messages, position, size, max_tokens)):
            end = position if size + tokens <= max_tokens else _find_longest_pause(messages, start, position)
            parts.append(tuple(messages[start:end]))
            start = end
            size = sum(estimate_tokens(message) for message in messages[start:position])
        size += tokens
    if start < len(messages):
        parts.append(tuple(messages[start:]))
    return parts


def estimate_tokens(message: ChatMessage) -> int:
    """Estimate the tokens of `message`: one per three letters or Chinese character, and its frame."""
    return reading_length(message.text[:MESSAGE_LENGTH]) // _LETTERS_PER_TOKEN + _TOKENS_AROUND


def _is_break(messages: Sequence[ChatMessage], position: int, size: int, max_tokens: int) -> bool:
    pause = messages[position].sent_at - messages[position - 1].sent_at
    return pause >= _PAUSE and size >= max_tokens // 3


def _find_longest_pause(messages: Sequence[ChatMessage], start: int, end: int) -> int:
    """Return the position of the longest pause in the second half of a full part; of equal ones the latest."""
    candidates = range(start + max(1, (end - start) // 2), end + 1)
    return max(candidates, key=lambda at: (messages[at].sent_at - messages[at - 1].sent_at, at))


_MAX_TOKENS = 1_200
_THOUGHTS_END = "</think>"


class ClaimedBullet(BaseModel):
    """An unchecked bullet of a model; `ids` are numbers of lines in the request, from 1."""

    text: str
    ids: list[int]
    quote: str = ""


class _Claims(BaseModel):
    bullets: list[ClaimedBullet]


def chunk_request(part: Sequence[ChatMessage], *, language: str, count: int) -> CompletionRequest:
    """Build the request for bullets about messages, which are numbered lines."""
    lines = [
        {"id": number, "who": message.sender.name, "text": message.text[:MESSAGE_LENGTH]}
        for number, message in enumerate(part, start=1)
    ]
    return _request("chunk", lines, language=language, count=count)


def merge_request(bullets: Sequence[Bullet], *, language: str, count: int) -> CompletionRequest:
    """Build the request to merge bullets."""
    lines = [{"id": number, "text": bullet.text} for number, bullet in enumerate(bullets, start=1)]
    return _request("merge", lines, language=language, count=count)


def parse_claims(text: str) -> list[ClaimedBullet]:
    """Parse the JSON object in a model's answer, with or without other text or a code fence around it.

    Raises:
        ModelUnavailable: `malformed`.
    """
    answer = text.rpartition(_THOUGHTS_END)[2]
    start, end = answer.find("{"), answer.rfind("}")
    try:
        return _Claims.model_validate_json(answer[start : end + 1]).bullets
    except ValidationError:
        raise ModelUnavailable("malformed", "the summary is not the JSON that was asked for") from None


def _request(prompt: str, lines: Iterable[dict[str, object]], *, language: str, count: int) -> CompletionRequest:
    rules = _prompt(prompt).replace("{language}", language).replace("{count}", str(count))
    records = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
    return CompletionRequest(
        messages=({"role": "system", "content": rules}, {"role": "user", "content": records}), max_tokens=_MAX_TOKENS
    )


@functools.cache
def _prompt(name: str) -> str:
    return (resources.files("services.summary") / "prompts" / f"{name}.md").read_text(encoding="utf-8")
