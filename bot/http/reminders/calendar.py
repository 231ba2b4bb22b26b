"""Serve a room's occurrences by range, and calendar feeds at secret addresses."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from heapq import merge
from itertools import chain, islice
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import AwareDatetime

from bot.http.core.bodies import IN_ROOM, Answer
from bot.http.core.context import Context
from bot.http.core.errors import HttpRefused
from bot.http.rooms.memberships import RoomReminderViewer, admit
from bot.http.security.auth import NAME
from bot.platforms.web.frames import format_instant
from function_calls.understanding.reminder_times import zone_name
from services.recurrence.fires import fires_between
from services.reminders.exchange.feed import CalendarFeed
from services.reminders.model import Reminder, ReminderState, public_id

_MAX_OCCURRENCES: Final = 2000
_MAX_RANGE: Final = timedelta(days=366)

routes = APIRouter(tags=["reminders"])


class FeedAddress(Answer):
    """The secret address of the reminders for calendar programs; it needs no token."""

    path: str
    url: str


class Revoked(Answer):
    """The number of revoked addresses."""

    count: int


class Occurrence(Answer):
    """An occurrence of a reminder, in UTC; `is_sent` if it was delivered."""

    reminder_id: str
    text: str
    at: str
    is_sent: bool


class Occurrences(Answer):
    """The occurrences of a range, soonest first; `is_complete` is false if there are more than listed.

    `tz` is the time zone of the viewer, in which clock times without a zone are read.
    """

    occurrences: list[Occurrence]
    is_complete: bool
    tz: str


@routes.get("/api/reminders/occurrences")
async def occurrences(
    context: Context,
    viewer: RoomReminderViewer,
    since: Annotated[AwareDatetime, Query(examples=["2026-11-23T00:00:00Z"])],
    until: Annotated[AwareDatetime, Query(description="At most 366 days later.", examples=["2026-11-30T00:00:00Z"])],
    session_id: IN_ROOM = "lobby",
    name: NAME = None,
) -> Occurrences:
    """List the occurrences of a room's reminders from `since` to `until`: delivered and future ones, at most 2000."""
    try:
        since, until = since.astimezone(UTC), until.astimezone(UTC)
    except OverflowError as error:  # the last day of the calendar, west of Greenwich
        raise HttpRefused(422, "range_invalid", days=_MAX_RANGE.days) from error
    if not timedelta() <= until - since <= _MAX_RANGE:
        raise HttpRefused(422, "range_invalid", days=_MAX_RANGE.days)
    chat, now = context.room.address(session_id), context.clock.now()
    sent = await context.reminders.sent_between(chat.key, since, until, _MAX_OCCURRENCES + 1)
    past = [
        Occurrence(
            reminder_id=public_id(each.reminder_key), text=each.content, at=format_instant(each.due_at), is_sent=True
        )
        for each in sent
    ]
    reminders = [each for each, _ in await context.finder.open_in(chat) if each.state is ReminderState.ACTIVE]
    future = merge(*(_future_occurrences(each, max(since, now), until) for each in reminders), key=lambda each: each.at)
    found = list(islice(chain(past, future), _MAX_OCCURRENCES + 1))
    zone = await context.app.turns.zones.zone_of(chat, viewer.with_name(name).person)
    is_complete = len(found) <= _MAX_OCCURRENCES
    return Occurrences(occurrences=found[:_MAX_OCCURRENCES], is_complete=is_complete, tz=zone_name(zone))


def _future_occurrences(reminder: Reminder, after: datetime, until: datetime) -> Iterator[Occurrence]:
    for fire in fires_between(reminder.schedule, after, until):
        yield Occurrence(reminder_id=reminder.id, text=reminder.content, at=format_instant(fire), is_sent=False)


@routes.post("/api/reminders/feed", status_code=201)
async def make_feed(
    request: Request, context: Context, viewer: RoomReminderViewer, session_id: IN_ROOM = "lobby"
) -> FeedAddress:
    """Create a secret address at which calendar programs can subscribe to a room's reminders.

    It is revoked with your token.
    """
    chat = context.room.address(session_id)
    admit(context, chat, viewer.person.id)
    token = await context.feeds.issue(chat, context.tokens.holder(viewer.token_id))
    path = f"/calendar/{token}.ics"
    return FeedAddress(path=path, url=str(request.base_url).rstrip("/") + path)


@routes.delete("/api/reminders/feed")
async def revoke_feeds(context: Context, _viewer: RoomReminderViewer, session_id: IN_ROOM = "lobby") -> Revoked:
    """Revoke all calendar addresses of a room."""
    return Revoked(count=await context.feeds.revoke(context.room.address(session_id)))


@routes.get(
    "/calendar/{token}.ics",
    response_class=Response,
    responses={200: {"content": {"text/calendar": {"schema": {"type": "string"}}}, "description": "iCalendar"}},
)
async def calendar(token: Annotated[str, Path(max_length=200)], context: Context) -> Response:
    """Return the reminders of a room as iCalendar; the token in the address is enough."""
    feed = CalendarFeed(context.reminders, context.feeds, context.clock)
    text = await feed.feed(token)
    if text is None:
        raise HttpRefused(404, "not_found")
    return Response(text, media_type="text/calendar; charset=utf-8")
