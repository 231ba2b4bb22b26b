"""`/v1`: the bot as a model, for every client that speaks OpenAI's chat completions.

Source: https://platform.openai.com/docs/api-reference/chat
"""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from fastapi.responses import JSONResponse, Response, StreamingResponse
from loguru import logger
from starlette.requests import HTTPConnection

from bot.http.auth import Viewer, needs
from bot.http.context import Context, HttpContext
from bot.http.openai_shapes import CompletionBody, ModelEntry, ModelList
from bot.http.openai_turns import EarlierRounds, told_calls, turn_of, with_fresh_ids
from bot.http.room_events import usage_of
from function_calls.calls import ToolCall, Turn
from function_calls.client_tools import ClientToolInterpreter
from services.history.service import HistoryService
from services.session import Json

MODEL: Final = "bubbles"
_SSE: Final = "text/event-stream"
_BEAT_SECONDS: Final = 10.0
_PIECE: Final = 40  # characters of an answer that one chunk of a stream carries
_NOTHING_USED: Final = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
_JSON_OR_STREAM: Final = {
    200: {"content": {"application/json": {"schema": {"type": "object"}}, _SSE: {"schema": {"type": "string"}}}}
}

ModelViewer = Annotated[Viewer, Depends(needs("models"))]

routes = APIRouter(prefix="/v1", tags=["OpenAI-compatible"])


def earlier_of(connection: HTTPConnection) -> EarlierRounds:
    """The rounds that the application remembers between requests."""
    state = connection.app.state
    if not hasattr(state, "earlier_rounds"):
        state.earlier_rounds = EarlierRounds()
    found: EarlierRounds = state.earlier_rounds
    return found


Earlier = Annotated[EarlierRounds, Depends(earlier_of)]


class Answered:
    """What the bot made of a request: words, or calls for the client; `usage` counts the tokens of models."""

    def __init__(self, text: str, calls: tuple[ToolCall, ...], usage: Mapping[str, int]) -> None:
        self.text = text
        self.calls = calls
        self.usage = usage

    @property
    def finish_reason(self) -> str:
        """Why the answer ends."""
        return "tool_calls" if self.calls else "stop"


@routes.get("/models")
async def models(viewer: ModelViewer) -> ModelList:
    """The models that can be asked for: the bot."""
    del viewer
    return ModelList(data=[ModelEntry(id=MODEL)])


@routes.post("/chat/completions", responses=_JSON_OR_STREAM)  # type: ignore[arg-type]  # FastAPI's keys are int | str
async def completions(body: CompletionBody, context: Context, viewer: ModelViewer, earlier: Earlier) -> Response:
    """An answer of the bot, which uses its own tools by itself and asks the client to run the client's.

    The words are recorded in a room of the client's own (`user`, or `session_id`), where reminders arrive too.
    """
    turn = await turn_of(context, body, viewer, earlier)
    names = {each.function.name for each in body.tools or ()}
    completion_id = f"chatcmpl-{uuid.uuid4().hex}"
    created = int(context.clock.now().timestamp())
    answering = asyncio.ensure_future(_answered(context, turn, names, earlier))
    if body.stream:
        is_counted = body.stream_options is not None and body.stream_options.include_usage
        chunks = _chunks(answering, completion_id, created, is_counted=is_counted)
        return StreamingResponse(chunks, media_type=_SSE, headers={"X-Accel-Buffering": "no"})
    answered = await answering
    message: dict[str, Json] = {"role": "assistant", "content": answered.text or None}
    if answered.calls:
        message["tool_calls"] = told_calls(answered.calls)
    choice = {"index": 0, "message": message, "finish_reason": answered.finish_reason}
    return JSONResponse(
        {
            "id": completion_id,
            "object": "chat.completion",
            "created": created,
            "model": MODEL,
            "choices": [choice],
            "usage": answered.usage,
        }
    )


async def _answered(context: HttpContext, turn: Turn, names: set[str], earlier: EarlierRounds) -> Answered:
    """Answer the turn, and record what was said like any message of a chat."""
    if not turn.steps:
        await context.app.services.get(HistoryService).record(turn.message)
    interpreter = ClientToolInterpreter(context.app.interpreter, names)
    assistant = context.app.assistant_with(interpreter if names else context.app.interpreter)
    reply = await assistant.answer(turn)
    calls = with_fresh_ids(interpreter.calls)
    if calls:
        earlier.keep(calls, interpreter.steps)
    elif reply is not None:
        await context.app.outbox.reply(turn.message.address, reply)
    used = await usage_of(context)(turn.message)
    return Answered(reply.text if reply is not None else "", calls, used or _NOTHING_USED)


async def _chunks(
    answering: "asyncio.Future[Answered]", completion_id: str, created: int, *, is_counted: bool
) -> AsyncIterator[str]:
    """The answer as a stream; while it is made, a comment now and then keeps the connection alive.

    With `is_counted` one more chunk, without choices, tells the usage, and every other one has a null in its place.
    """

    def piece(choices: list[Json], usage: Mapping[str, int] | None = None) -> str:
        data: dict[str, object] = {
            "id": completion_id,
            "object": "chat.completion.chunk",
            "created": created,
            "model": MODEL,
            "choices": choices,
        }
        if is_counted:
            data["usage"] = usage
        return f"data: {json.dumps(data, ensure_ascii=False)}\n\n"

    def chunk(delta: dict[str, Json], finish_reason: str | None = None) -> str:
        return piece([{"index": 0, "delta": delta, "finish_reason": finish_reason}])

    yield chunk({"role": "assistant", "content": ""})
    while not answering.done():
        done, _ = await asyncio.wait([answering], timeout=_BEAT_SECONDS)
        if not done:
            yield ": still here\n\n"
    if answering.exception() is not None:
        logger.opt(exception=answering.exception()).error("a completion failed")
        error = {"message": "the answer could not be made", "type": "server_error", "code": "internal"}
        yield f"data: {json.dumps({'error': error})}\n\n"
        return
    answered = answering.result()
    for start in range(0, len(answered.text), _PIECE):
        yield chunk({"content": answered.text[start : start + _PIECE]})
    if answered.calls:
        indexed: list[Json] = [
            {"index": at, **call} if isinstance(call, dict) else call
            for at, call in enumerate(told_calls(answered.calls))
        ]
        yield chunk({"tool_calls": indexed})
    yield chunk({}, answered.finish_reason)
    if is_counted:
        yield piece([], answered.usage)
    yield "data: [DONE]\n\n"
