"""`/api/chat/sessions/{session_id}/members`: invite people to a room."""

from fastapi import APIRouter
from pydantic import Field

from bot.http.core.bodies import SESSION, Body, Done
from bot.http.core.context import Context
from bot.http.core.errors import HttpRefused
from bot.http.rooms.memberships import RoomViewer, join
from bot.platforms.web.shapes import LONGEST_NAME, person_called

routes = APIRouter(prefix="/api/chat", tags=["chat"])


class MemberBody(Body):
    """The person to invite, by the name of their token."""

    name: str = Field(min_length=1, max_length=LONGEST_NAME, examples=["ben"])


@routes.post("/sessions/{session_id}/members", status_code=201)
async def invite(session_id: SESSION, body: MemberBody, context: Context, viewer: RoomViewer) -> Done:
    """Let another person read and write in a room of yours."""
    del viewer
    try:
        person = person_called(body.name)
    except ValueError as error:
        raise HttpRefused(422, "name_invalid", limit=LONGEST_NAME) from error
    await join(context, person.id, session_id)
    return Done()
