"""`/v1`: serve the bot as a model to clients of OpenAI's chat completions.

Source: https://platform.openai.com/docs/api-reference/chat
"""

import asyncio
import uuid
from contextlib import ExitStack
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Path
from fastapi.responses import JSONResponse, Response, StreamingResponse
from loguru import logger
from msgspec.structs import replace

from bot.http.core.context import Context, HttpContext
from bot.http.core.errors import COMPLETIONS, OPEN_WEBUI_PREFIX, PREFIX, HttpRefused
from bot.http.openai.bodies import MODEL, CompletionBody, ModelEntry, ModelList
from bot.http.openai.stream import AnswerStream, CompletedAnswer, StreamedInterpreter, chunks_of
from bot.http.openai.turns import assign_ids, read_turn, room_of, sources_of, to_tool_calls
from bot.http.rooms.calls import offer_direct_tools
from bot.http.rooms.events import read_usage
from bot.http.rooms.memberships import admit, enter_room
from bot.http.security.auth import ApiViewer, needs
from function_calls.conversation.assistant import Assistant
from function_calls.model_calls.hooks import ClientToolInterpreter
from function_calls.tools.calls import Interpreter, Reply, Turn
from function_calls.tools.dispatch.execution import disk_full_text
from services.call_log.service import CallLog
from services.history.service import HistoryService, record_once
from services.kernel.errors import StorageFull
from services.kernel.state import Json

_SSE: Final = "text/event-stream"
_NO_USAGE: Final = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
_JSON_OR_STREAM: Final = {
    200: {"content": {"application/json": {"schema": {"type": "object"}}, _SSE: {"schema": {"type": "string"}}}}
}

ModelViewer = Annotated[ApiViewer, Depends(needs("models"))]

routes = APIRouter(prefix=PREFIX, tags=["OpenAI-compatible"])
open_webui_routes = APIRouter(prefix=OPEN_WEBUI_PREFIX, tags=["OpenAI-compatible"])


@routes.get("/models")
async def models(_viewer: ModelViewer) -> ModelList:
    """List the available models: the bot."""
    return ModelList(data=[ModelEntry(id=MODEL)])


@routes.get("/models/{model}")
async def model_of(model: Annotated[str, Path(max_length=200, examples=[MODEL])], _viewer: ModelViewer) -> ModelEntry:
    """Describe one model."""
    if model != MODEL:
        raise HttpRefused(404, "model_unknown", problems={"model": model}, model=model)
    return ModelEntry(id=MODEL)


@open_webui_routes.post(COMPLETIONS, responses=_JSON_OR_STREAM)  # type: ignore[arg-type]  # as below
@routes.post(COMPLETIONS, responses=_JSON_OR_STREAM)  # type: ignore[arg-type]  # FastAPI's keys are int | str
async def completions(body: CompletionBody, context: Context, viewer: ModelViewer) -> Response:
    """Answer as the bot, which runs its own tools and asks the client to run the client's.

    `tool_choice` `none` forbids all calls, also of the bot's tools; `required` or a named function demands a call of
    the client's tools. Tools of `tool_servers` are run by your page in the room. The last message and the answer are
    recorded in the client's room (`user`, or `session_id`), where reminders arrive too. Each request counts as a
    message of its `user`.
    """
    session_id = room_of(body, viewer)
    await enter_room(context, viewer, session_id)
    who = f"v1/{viewer.token_id}/{body.user or viewer.person.id}"
    admit(context, context.room.address(session_id), who)
    with ExitStack() as offered:
        offered.enter_context(offer_direct_tools(context, session_id, viewer.person, body.tool_servers or ()))
        turn = await read_turn(context, body, viewer)
        names = {each.function.name for each in body.tools or ()} if turn.tool_choice != "none" else set()
        return await _response(context, body, turn, names, offered)


async def _response(
    context: HttpContext,
    body: CompletionBody,
    turn: Turn,
    names: set[str],
    offered: ExitStack,
) -> Response:
    """Return the answer as a body or a stream; `offered` is closed when it is complete."""
    completion_id = f"chatcmpl-{uuid.uuid4().hex}"
    created = int(context.clock.now().timestamp())
    if body.stream:
        is_counted = body.stream_options is not None and body.stream_options.include_usage
        stream = AnswerStream(turn)
        answering = asyncio.ensure_future(_answer(context, turn, names, stream))
        withdraw = offered.pop_all().close
        answering.add_done_callback(lambda _: withdraw())
        chunks = chunks_of(answering, stream, completion_id, created, is_counted=is_counted)
        return StreamingResponse(chunks, media_type=_SSE, headers={"X-Accel-Buffering": "no"})
    answered = await _answer(context, turn, names)
    message: dict[str, Json] = {"role": "assistant", "content": answered.text or None}
    if answered.calls:
        message["tool_calls"] = to_tool_calls(answered.calls)
    choice = {"index": 0, "message": message, "finish_reason": answered.finish_reason}
    sources = {"sources": answered.sources} if answered.sources else {}
    return JSONResponse(
        {
            "id": completion_id,
            "object": "chat.completion",
            "created": created,
            "model": MODEL,
            "choices": [choice],
            "usage": answered.usage,
            **sources,
        }
    )


async def _answer(
    context: HttpContext, turn: Turn, names: set[str], stream: AnswerStream | None = None
) -> CompletedAnswer:
    """Answer the turn and record it like a message of a chat; `stream` gets the text while it is written.

    Raises:
        HttpRefused: `tool_choice` demands a call, and the model made none (422).
    """
    if not turn.steps:
        await record_once(context.app.services.get(HistoryService), turn.message)
        # A client with a broken connection repeats its request, so no other worker has to answer it.
        context.app.cluster.complete((turn.message.address.key, turn.message.id))
    interpreter = ClientToolInterpreter(context.app.interpreters.primary, names)
    inner: Interpreter = interpreter if names else context.app.interpreters.primary
    if stream is not None and context.app.interpreters.has_model:
        turn, inner = replace(turn, on_text=stream.add), StreamedInterpreter(inner, stream)
    reply = await _reply(context.app.pipeline.assistant_with(inner), turn)
    calls = assign_ids(interpreter.calls)
    if calls:
        context.client_rounds.update(dict.fromkeys((each.id for each in calls), interpreter.steps))
    elif turn.must_call:
        raise HttpRefused(422, "tool_choice_unmet", problems={"tool_choice": "not followed by the model"})
    elif reply is not None:
        await context.app.outbox.reply(turn.message.address, reply)
    usage = await read_usage(context, turn.message)
    own_calls = await context.app.services.get(CallLog).of_message(turn.message.address, turn.message.id)
    text = reply.text_with_hint if reply is not None else ""
    return CompletedAnswer(text=text, calls=calls, usage=usage or _NO_USAGE, sources=sources_of(own_calls))


async def _reply(assistant: Assistant, turn: Turn) -> Reply | None:
    try:
        return await assistant.answer(turn)
    except StorageFull as error:
        chat, message = str(turn.message.address), turn.message.id
        logger.bind(chat=chat, message=message).error("could not answer a message: {}", error)
        return Reply(text=disk_full_text(turn.language))
