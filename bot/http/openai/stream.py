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
_BETWEEN: Final = "\n\n"


class CompletedAnswer(Struct, frozen=True, kw_only=True):
    """The answer to a request: a text, or calls for the client; `usage` counts the tokens of models.

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
    """The words of an answer while they are written. A client takes nothing back, so none that may be untrue is told.

    A claim that something was changed is known to be true only at the end: from one on nothing is told before that, and
    where the person asked for a change, whole sentences only.
    """

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._by_sentence = asks_for_change(turn)
        self._waiting: asyncio.Queue[str | None] = asyncio.Queue()
        self._heard = ""
        self._told = ""
        self._is_shut = False
        self._has_begun = False

    async def hear(self, text: str) -> None:
        """Take a piece of the answer, and tell what can be told."""
        self._heard += text
        if self._is_shut:
            return
        self._is_shut = is_unproven(self._turn, self._heard)
        if not self._is_shut:
            self._tell(self._certain())

    def next_part(self, turn: Turn | None = None) -> None:
        """Take what is heard from now on as something else than before; with `turn` it is about what that has found."""
        self._turn = turn or self._turn
        self._heard = self._told = ""
        self._is_shut = False

    def finish(self, text: str) -> None:
        """Tell what is missing of the whole answer; after words that it does not begin with, all of it."""
        if not text.startswith(self._told):
            self.next_part()
        self._tell(text)
        self._waiting.put_nowait(None)

    async def pieces(self) -> AsyncIterator[str]:
        """Yield what is to be told, piece by piece, until the end; an empty one where nothing has come for long."""
        while True:
            try:
                async with asyncio.timeout(_BEAT_SECONDS):
                    piece = await self._waiting.get()
            except TimeoutError:
                piece = ""
            if piece is None:
                return
            yield piece

    def _certain(self) -> str:
        """Return the beginning of the text that later pieces cannot change; space at its ends may still be dropped."""
        return complete_sentences(self._heard) if self._by_sentence else self._heard.strip()

    def _tell(self, text: str) -> None:
        piece = text[len(self._told) :]
        if not piece:
            return
        between = _BETWEEN if self._has_begun and not self._told else ""
        self._has_begun, self._told = True, text
        self._waiting.put_nowait(between + piece)


class StreamedInterpreter:
    """Another interpreter; what it says in one round, and what its calls say, are parts of their own."""

    def __init__(self, inner: Interpreter, words: AnswerStream) -> None:
        self._inner = inner
        self._words = words

    async def interpret(self, turn: Turn) -> Interpretation:
        """Return what the other one makes of `turn`."""
        self._words.next_part(turn)
        made = await self._inner.interpret(turn)
        if made.calls:
            self._words.next_part()
        return made


async def chunks_of(
    answering: "asyncio.Future[CompletedAnswer]",
    words: AnswerStream,
    completion_id: str,
    created: int,
    *,
    is_counted: bool,
) -> AsyncIterator[str]:
    """Yield the answer as a stream; while nothing is heard, a comment now and then keeps the connection alive.

    With `is_counted` one more chunk, without choices, tells the usage, and every other one has a null in its place.
    """
    answering.add_done_callback(lambda done: words.finish("" if _has_failed(done) else done.result().text))
    form = _Form(completion_id, created, is_counted=is_counted)
    yield form.delta({"role": "assistant", "content": ""})
    async for piece in words.pieces():
        yield form.delta({"content": piece}) if piece else ": still here\n\n"
    if _has_failed(answering):
        yield f"data: {json.dumps({'error': _error_of(answering)}, ensure_ascii=False)}\n\n"
        return
    answered = answering.result()
    if answered.calls:
        indexed: list[Json] = [
            {"index": at, **call} if isinstance(call, dict) else call
            for at, call in enumerate(to_tool_calls(answered.calls))
        ]
        yield form.delta({"tool_calls": indexed})
    yield form.delta({}, answered.finish_reason, sources=answered.sources)
    if is_counted:
        yield form.chunk([], answered.usage)
    yield "data: [DONE]\n\n"


def _has_failed(answering: "asyncio.Future[CompletedAnswer]") -> bool:
    return answering.cancelled() or answering.exception() is not None


def _error_of(answering: "asyncio.Future[CompletedAnswer]") -> dict[str, str]:
    """Return the error of a stream that has begun, for which no status can be sent any more."""
    error = None if answering.cancelled() else answering.exception()
    if isinstance(error, HttpRefused):
        message = say("en", f"http.{error.code}", **error.fields)
        return {"message": message, "type": openai_error_type(error.status), "code": error.code}
    logger.opt(exception=error).error("completion failed")
    return {"message": "the answer could not be generated", "type": "server_error", "code": "internal"}


class _Form:
    """The form of the chunks of one stream."""

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
