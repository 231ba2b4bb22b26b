"""`/api/chat`: send messages and read the history."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from bot.http.chat.sending import MessageSender, delete_own, edit_own, incoming_post, put_reaction
from bot.http.core.bodies import (
    SESSION,
    Body,
    Done,
    EditBody,
    LogPage,
    ReactionBody,
    SendAnswer,
    SendBody,
    SessionMessage,
    SessionOverview,
    Sessions,
)
from bot.http.core.context import Context
from bot.http.core.errors import HttpRefused
from bot.http.rooms.history import RoomHistory
from bot.http.rooms.memberships import NOTHING_UNREAD, RoomViewer, count_unread, enter_room, filter_rooms, join
from bot.http.security.auth import NAME, ChatViewer, read_person
from bot.platforms.web.frames import format_instant
from bot.platforms.web.shapes import MAX_NAME_LENGTH
from services.history.service import HistoryService
from services.storage.messages.pages import ChatOverview

MESSAGE_ID = Annotated[str, Path(min_length=1, max_length=200)]
LIMIT = Annotated[int, Query(ge=1, le=500)]
BEFORE = Annotated[str | None, Query(max_length=200, description="Only messages before the one with this id.")]
SSE = "text/event-stream"
JSON = "application/json"
_MAX_CHATS_SEARCHED = 10_000
_MAX_CHATS_LISTED = 200
_EVENTS = {"description": "Server-sent events, each with `event` and, as JSON, `data`."}


routes = APIRouter(prefix="/api/chat", tags=["chat"])


class MemberBody(Body):
    """The person to invite, by the name of their token."""

    name: str = Field(min_length=1, max_length=MAX_NAME_LENGTH, examples=["ben"])


@routes.post(
    "/send",
    response_model=SendAnswer,
    responses={200: {"content": {SSE: {"schema": _EVENTS}}, "description": "The bot's answer"}},
)
async def send(body: SendBody, request: Request, context: Context, viewer: ChatViewer) -> Response | SendAnswer:
    """Send a message to a room and get the answer as server-sent events, or as JSON.

    JSON is for `"stream": false`, or without `stream` for an `Accept` that has `application/json` and no
    `text/event-stream`. The events are `start` (the id of your message), `tool_start`, `tool_complete`, `message` (a
    piece of the answer), `done` (its id; null if the bot does not answer) and `error`. The bot answers even if the
    connection is closed.
    """
    await enter_room(context, viewer, body.session_id)
    sender = MessageSender(context, body.session_id, incoming_post(body, viewer), body.tool_servers or ())
    accept = request.headers.get("accept", "")
    if body.stream if body.stream is not None else SSE in accept or JSON not in accept:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(sender.stream_events(), media_type=SSE, headers=headers)
    return await sender.send_and_wait()


@routes.get("/sessions")
async def sessions(
    context: Context,
    viewer: ChatViewer,
    platform: Annotated[str, Query(max_length=40, description="`web`, or `all` for admins.")] = "web",
    name: NAME = None,
    words: Annotated[str, Query(max_length=500, description="Words that count as a mention of you, one a line.")] = "",
) -> Sessions:
    """List your rooms: the last 200 with messages, the last used first, then those with people and no messages.

    Admins see all rooms.
    """
    if platform != "web" and "admin" not in viewer.scopes:
        raise HttpRefused(403, "scope_missing", scope="admin")
    found = await context.messages.chats(None if platform == "all" else platform, limit=_MAX_CHATS_SEARCHED)
    used = {each.address for each in found}
    people = {context.room.address(room.session_id): len(room.people) for room in context.room.rooms}
    unused = [chat for chat, count in people.items() if count and chat not in used]
    own = await filter_rooms(context, viewer, [*used, *unused] if platform == "web" else unused)
    now = context.clock.now()
    empty = [ChatOverview(address=chat, message_count=0, last_at=now) for chat in unused if chat.key in own]
    with_messages = [each for each in found if platform != "web" or each.address.key in own]
    listed = [*with_messages[:_MAX_CHATS_LISTED], *empty]
    rooms = [each.address for each in listed if each.address.platform == "web"]
    unread = await count_unread(context, viewer.with_name(name).person, rooms, words.split("\n"))
    return Sessions(
        sessions=[
            SessionOverview(
                id=each.address.chat_id,
                platform=each.address.platform,
                message_count=each.message_count,
                last_at=format_instant(each.last_at),
                people_here=people.get(each.address, 0),
                unread=unread.get(each.address.key, NOTHING_UNREAD).messages,
                mentions=unread.get(each.address.key, NOTHING_UNREAD).mentions,
            )
            for each in listed
        ]
    )


@routes.get("/sessions/{session_id}/messages")
async def messages(
    session_id: SESSION,
    response: Response,
    context: Context,
    _viewer: RoomViewer,
    before: BEFORE = None,
    limit: LIMIT = 100,
) -> list[SessionMessage]:
    """Return the last messages of a room, oldest first, each with its tool calls.

    If there may be more, the header `Link` has the address of the previous page (`rel="next"`).
    """
    chat = context.room.address(session_id)
    paged = await context.messages.of_chat(chat, before=before, limit=limit)
    found = await RoomHistory(context).to_session_messages(chat, paged)
    if len(found) == limit:
        address = f"/api/chat/sessions/{session_id}/messages?before={found[0].id}&limit={limit}"
        response.headers["Link"] = f'<{address}>; rel="next"'.encode().decode("latin-1")
    return found


@routes.get("/sessions/{session_id}/log")
async def log(
    session_id: SESSION, context: Context, _viewer: RoomViewer, before: BEFORE = None, limit: LIMIT = 100
) -> LogPage:
    """Return the last messages of a room in the form of the page, with reactions, choices and reminders."""
    found = await RoomHistory(context).list_messages(context.room.address(session_id), before=before, limit=limit)
    return LogPage(messages=found, before=found[0]["id"] if len(found) == limit else None)


@routes.get("/sessions/{session_id}/search")
async def search(
    session_id: SESSION,
    context: Context,
    _viewer: RoomViewer,
    q: Annotated[str, Query(min_length=1, max_length=200)],
    limit: Annotated[int, Query(ge=1, le=50)] = 20,
) -> list[SessionMessage]:
    """Search the messages of a room; the best matches come first."""
    chat = context.room.address(session_id)
    found = await context.app.services.get(HistoryService).search(chat, q, limit)
    pages = [await context.messages.one(chat, message.id) for message in found]
    return await RoomHistory(context).to_session_messages(chat, [page for page in pages if page is not None])


@routes.patch("/sessions/{session_id}/messages/{message_id}")
async def edit(
    session_id: SESSION, message_id: MESSAGE_ID, body: EditBody, context: Context, viewer: RoomViewer, name: NAME = None
) -> Done:
    """Change the text of one of your own messages."""
    await edit_own(context, session_id, message_id, body.text, viewer.with_name(name))
    return Done()


@routes.delete("/sessions/{session_id}/messages/{message_id}")
async def delete(
    session_id: SESSION, message_id: MESSAGE_ID, context: Context, viewer: RoomViewer, name: NAME = None
) -> Done:
    """Delete one of your own messages; its request is cancelled."""
    await delete_own(context, session_id, message_id, viewer.with_name(name))
    return Done()


@routes.post("/sessions/{session_id}/messages/{message_id}/reactions")
async def react(
    session_id: SESSION,
    message_id: MESSAGE_ID,
    body: ReactionBody,
    context: Context,
    viewer: RoomViewer,
    name: NAME = None,
) -> Done:
    """Add an emoji to a message, or remove it again."""
    await put_reaction(context, session_id, message_id, body.emoji, viewer.with_name(name))
    return Done()


@routes.post("/sessions/{session_id}/messages/{message_id}/stop")
async def stop(session_id: SESSION, message_id: MESSAGE_ID, context: Context, _viewer: RoomViewer) -> Done:
    """Stop an answer while it is written; `message_id` is that of the answer."""
    if not await context.room.answers.stop(context.room.address(session_id), message_id):
        raise HttpRefused(404, "nothing_to_stop")
    return Done()


@routes.post("/sessions/{session_id}/members", status_code=201)
async def invite(session_id: SESSION, body: MemberBody, context: Context, _viewer: RoomViewer) -> Done:
    """Invite another person to a room of yours."""
    await join(context, read_person(body.name).id, session_id, is_invited=True)
    return Done()
