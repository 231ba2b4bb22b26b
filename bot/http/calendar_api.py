"""The calendar of a room's reminders: secret addresses at which calendar programs read it."""

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from bot.http.admission import admit
from bot.http.answer import Answer
from bot.http.context import Context, HttpContext
from bot.http.errors import HttpRefused
from bot.http.memberships import RoomReminderViewer
from bot.http.shapes import IN_ROOM
from services.reminders.portable.feed import CalendarFeed, FeedTokens

routes = APIRouter(tags=["reminders"])


class FeedAddress(Answer):
    """Where a calendar program finds the reminders; whoever knows it can read them."""

    path: str
    url: str


class Revoked(Answer):
    """How many addresses do not work any more."""

    count: int


@routes.post("/api/reminders/feed", status_code=201)
async def make_feed(
    request: Request, context: Context, viewer: RoomReminderViewer, session_id: IN_ROOM = "lobby"
) -> FeedAddress:
    """A secret address at which calendar programs can subscribe to a room's reminders.

    It ends with the token of whoever asks for it.
    """
    chat = context.room.address(session_id)
    admit(context, chat, viewer.person.id)
    token = await _feeds(context).issue(chat, context.tokens.holder(viewer.token_id))
    path = f"/calendar/{token}.ics"
    return FeedAddress(path=path, url=str(request.base_url).rstrip("/") + path)


@routes.delete("/api/reminders/feed")
async def revoke_feeds(context: Context, viewer: RoomReminderViewer, session_id: IN_ROOM = "lobby") -> Revoked:
    """Let no calendar address of a room work any more."""
    del viewer
    return Revoked(count=await _feeds(context).revoke(context.room.address(session_id)))


@routes.get(
    "/calendar/{token}.ics",
    response_class=Response,
    responses={200: {"content": {"text/calendar": {"schema": {"type": "string"}}}, "description": "iCalendar"}},
)
async def calendar(token: Annotated[str, Path(max_length=200)], context: Context) -> Response:
    """The reminders of a room for a calendar program; the token in the address is the only key."""
    feed = CalendarFeed(context.reminders, _feeds(context), context.clock)
    text = await feed.feed(token)
    if text is None:
        raise HttpRefused(404, "not_found")
    return Response(text, media_type="text/calendar; charset=utf-8")


def _feeds(context: HttpContext) -> FeedTokens:
    return FeedTokens(context.app.state, context.tokens.is_current)
