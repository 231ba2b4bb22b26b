"""Stream an answer to an OpenAI client: text chunks, then calls, finish reason and usage."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Final

from loguru import logger
from msgspec import Struct, field

from bot.http.core.errors import HttpRefused, openai_error_type
from bot.http.openai.bodies import MODEL
from bot.http.openai.turns import to_tool_calls
from bot.outbound.drafts import complete_sentences
from function_calls.grounding.claims import asks_for_change, is_unproven
from function_calls.language.messages import say
from function_calls.tools.calls import Interpretation, Interpreter, ToolCall, Turn
from services.kernel.state import Json

_BEAT_SECONDS: Final = 10.0
_SEPARATOR: Final = "\n\n"


class CompletedAnswer(Struct, frozen=True, kw_only=True):
    """The answer to a request: text, or calls for the client; `usage` counts the tokens of models.

    `sources` are the results of the bot's own calls.
    """

    text: str
    calls: tuple[ToolCall, ...]
    usage: Mapping[str, int]
    sources: list[Json] = field(default_factory=list)

    @property
    def finish_reason(self) -> str:
        """Return why the answer ends."""
        return "tool_calls" if self.calls else "stop"


class AnswerStream:
    """Streams the text of an answer while it is written, without claims that may be false: text cannot be withdrawn.

    A claim of a change is proven only at the end of the answer, so from such a claim on nothing is sent before the end.
    If the person asked for a change, only complete sentences are sent.
    """

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._by_sentence = asks_for_change(turn)
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._received = ""
        self._sent = ""
        self._is_held_back = False
        self._has_started = False

    async def add(self, text: str) -> None:
        """Add a piece of the answer, and send the text that is certain."""
        self._received += text
        if self._is_held_back:
            return
        self._is_held_back = is_unproven(self._turn, self._received)
        if not self._is_held_back:
            self._send(self._certain())

    def start_part(self, turn: Turn | None = None) -> None:
        """Start a new part of the answer; `turn` has the results that it can be based on."""
        self._turn = turn or self._turn
        self._received = self._sent = ""
        self._is_held_back = False

    def finish(self, text: str) -> None:
        """Send the rest of the answer; if the sent text is not its beginning, send all of it as a new part."""
        if not text.startswith(self._sent):
            self.start_part()
        self._send(text)
        self._queue.put_nowait(None)

    async def pieces(self) -> AsyncIterator[str]:
        """Yield the pieces to send until the end, and an empty one after `_BEAT_SECONDS` without a piece."""
        while True:
            try:
                async with asyncio.timeout(_BEAT_SECONDS):
                    piece = await self._queue.get()
            except TimeoutError:
                piece = ""
            if piece is None:
                return
            yield piece

    def _certain(self) -> str:
        """Return the part of the text that later pieces cannot change; spaces at its ends may still be removed."""
        return complete_sentences(self._received) if self._by_sentence else self._received.strip()

    def _send(self, text: str) -> None:
        piece = text[len(self._sent) :]
        if not piece:
            return
        separator = _SEPARATOR if self._has_started and not self._sent else ""
        self._has_started, self._sent = True, text
        self._queue.put_nowait(separator + piece)


class StreamedInterpreter:
    """Interprets by `inner`, and starts a part of the answer for each round and for its calls."""

    def __init__(self, inner: Interpreter, stream: AnswerStream) -> None:
        self._inner = inner
        self._stream = stream

    async def interpret(self, turn: Turn) -> Interpretation:
        """Return the interpretation of `inner`."""
        self._stream.start_part(turn)
        interpretation = await self._inner.interpret(turn)
        if interpretation.calls:
            self._stream.start_part()
        return interpretation


async def chunks_of(
    answering: "asyncio.Future[CompletedAnswer]",
    stream: AnswerStream,
    completion_id: str,
    created: int,
    *,
    is_counted: bool,
) -> AsyncIterator[str]:
    """Yield the answer as server-sent events, with comments that keep the connection alive.

    With `is_counted` a last chunk without choices has the usage, which is null in the others.
    """
    answering.add_done_callback(lambda done: stream.finish("" if _has_failed(done) else done.result().text))
    chunks = _ChunkFormat(completion_id, created, is_counted=is_counted)
    yield chunks.delta({"role": "assistant", "content": ""})
    async for piece in stream.pieces():
        yield chunks.delta({"content": piece}) if piece else ": still here\n\n"
    if _has_failed(answering):
        yield f"data: {json.dumps({'error': _error_of(answering)}, ensure_ascii=False)}\n\n"
        return
    answered = answering.result()
    if answered.calls:
        indexed: list[Json] = [
            {"index": at, **call} if isinstance(call, dict) else call
            for at, call in enumerate(to_tool_calls(answered.calls))
        ]
        yield chunks.delta({"tool_calls": indexed})
    yield chunks.delta({}, answered.finish_reason, sources=answered.sources)
    if is_counted:
        yield chunks.chunk([], answered.usage)
    yield "data: [DONE]\n\n"


def _has_failed(answering: "asyncio.Future[CompletedAnswer]") -> bool:
    return answering.cancelled() or answering.exception() is not None


def _error_of(answering: "asyncio.Future[CompletedAnswer]") -> dict[str, str]:
    """Return the error for a stream, whose status was already sent."""
    error = None if answering.cancelled() else answering.exception()
    if isinstance(error, HttpRefused):
        message = say("en", f"http.{error.code}", **error.fields)
        return {"message": message, "type": openai_error_type(error.status), "code": error.code}
    logger.opt(exception=error).error("completion failed")
    return {"message": "the answer could not be generated", "type": "server_error", "code": "internal"}


class _ChunkFormat:
    """Formats the chunks of a stream."""

    def __init__(self, completion_id: str, created: int, *, is_counted: bool) -> None:
        self._completion_id = completion_id
        self._created = created
        self._is_counted = is_counted

    def delta(
        self, delta: dict[str, Json], finish_reason: str | None = None, *, sources: list[Json] | None = None
    ) -> str:
        return self.chunk([{"index": 0, "delta": delta, "finish_reason": finish_reason}], sources=sources)

    def chunk(
        self, choices: list[Json], usage: Mapping[str, int] | None = None, *, sources: list[Json] | None = None
    ) -> str:
        data: dict[str, object] = {
            "id": self._completion_id,
            "object": "chat.completion.chunk",
            "created": self._created,
            "model": MODEL,
            "choices": choices,
        }
        if self._is_counted:
            data["usage"] = usage
        if sources:
            data["sources"] = sources
        return f"data: {json.dumps(data, ensure_ascii=False)}\n\n"
