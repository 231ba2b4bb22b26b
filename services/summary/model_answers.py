"""Build the requests of a summary and parse the model's answers."""

import functools
import json
from collections.abc import Iterable, Sequence
from importlib import resources

from pydantic import BaseModel, ValidationError

from services.kernel.chat import ChatMessage
from services.kernel.errors import ModelUnavailable
from services.language_model.ports import CompletionRequest
from services.summary.chunking import MESSAGE_LENGTH
from services.summary.model import Bullet

_MAX_TOKENS = 1_200
_THOUGHTS_END = "</think>"


class ClaimedBullet(BaseModel):
    """A bullet as a model wrote it, not checked yet; `ids` count the shown lines from 1."""

    text: str
    ids: list[int]
    quote: str = ""


class _Answer(BaseModel):
    bullets: list[ClaimedBullet]


def chunk_request(part: Sequence[ChatMessage], *, language: str, count: int) -> CompletionRequest:
    """Ask for bullets about messages, each line a record under a short number of ours."""
    lines = [
        {"id": number, "who": message.sender.name, "text": message.text[:MESSAGE_LENGTH]}
        for number, message in enumerate(part, start=1)
    ]
    return _request("chunk", lines, language=language, count=count)


def merge_request(bullets: Sequence[Bullet], *, language: str, count: int) -> CompletionRequest:
    """Ask for fewer bullets out of many."""
    lines = [{"id": number, "text": bullet.text} for number, bullet in enumerate(bullets, start=1)]
    return _request("merge", lines, language=language, count=count)


def read_answer(text: str) -> list[ClaimedBullet]:
    """Read the JSON object in a model's answer, with or without words or a fence around it.

    Raises:
        ModelUnavailable: `malformed`.
    """
    answer = text.rpartition(_THOUGHTS_END)[2]
    start, end = answer.find("{"), answer.rfind("}")
    try:
        return _Answer.model_validate_json(answer[start : end + 1]).bullets
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
