"""Upload and download the files and pictures of a room."""

from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import FileResponse
from pydantic import Field

from bot.http.core.bodies import SESSION, Answer
from bot.http.core.context import Context
from bot.http.core.errors import HttpRefused
from bot.http.rooms.memberships import RoomViewer, admit
from bot.platforms.web.files import MAX_UNUSED_UPLOADS, TooManyUploads, image_type, suffix_of

# An opened file can neither run scripts nor send requests to the bot.
_CONFINED: Final = "sandbox; default-src 'none'; img-src 'self'; style-src 'unsafe-inline'"
_MAX_NAME_LENGTH: Final = 200
_CACHE_SECONDS: Final = 31_536_000

routes = APIRouter(tags=["chat"])


class KeptFile(Answer):
    """An uploaded file, in the form of the `attachments` of a message."""

    kind: str = Field(examples=["image"])
    description: str = Field(examples=["desk.png"])
    url: str = Field(examples=["/files/mF0cXh2QkZ3hS1yVb6m9Tg/desk.png"])


@routes.post(
    "/api/chat/sessions/{session_id}/files",
    operation_id="keep_api_chat_sessions__session_id__files_post",
    status_code=201,
    openapi_extra={
        "requestBody": {
            "required": True,
            "description": "The file itself.",
            "content": {
                "application/octet-stream": {"schema": {"type": "string", "format": "binary"}, "example": "milk, bread"}
            },
        }
    },
)
async def upload(
    session_id: SESSION,
    request: Request,
    context: Context,
    viewer: RoomViewer,
    filename: Annotated[
        str, Query(min_length=1, max_length=_MAX_NAME_LENGTH, description="Its name.", examples=["desk.png"])
    ],
) -> KeptFile:
    """Upload a file to a room; it counts as a message there.

    It is shown when a message has it among its `attachments`; without such a message it is deleted after an hour.
    """
    settings, files = context.settings.http, context.room.files
    if files is None or not settings.max_upload_kilobytes:
        raise HttpRefused(403, "uploads_off")
    if suffix_of(filename) not in settings.upload_types:
        raise HttpRefused(415, "file_type", types=", ".join(settings.upload_types))
    admit(context, context.room.address(session_id), viewer.person.id)
    largest = settings.max_upload_kilobytes * 1000
    size = min(int(request.headers.get("content-length", largest)), largest)
    quota = max(settings.max_unused_upload_kilobytes * 1000, largest)
    try:
        async with files.unused.reserve(viewer.person.id, size, quota) as key:
            content = await request.body()
            if not content:
                raise HttpRefused(422, "file_empty")
            if len(content) > largest:
                raise HttpRefused(413, "file_too_large", limit=settings.max_upload_kilobytes)
            stored = await files.keep(filename, content, viewer.person.id, key)
    except TooManyUploads as error:
        raise HttpRefused(429, "uploads_unused", count=MAX_UNUSED_UPLOADS, limit=quota // 1000) from error
    return KeptFile(kind=stored.kind, description=stored.description, url=stored.url or "")


@routes.get("/files/{key}/{name}", operation_id="opened_files__key___name__get", response_class=FileResponse)
async def download(
    key: Annotated[str, Path(max_length=40)], name: Annotated[str, Path(max_length=_MAX_NAME_LENGTH)], context: Context
) -> FileResponse:
    """Return an uploaded file. Its address has a secret key, since browsers request pictures without a token."""
    path = None if context.room.files is None else await context.room.files.find(key, name)
    if path is None:
        raise HttpRefused(404, "not_found")
    picture_type = image_type(name)
    return FileResponse(
        path,
        media_type=picture_type or "application/octet-stream",
        filename=name,
        content_disposition_type="inline" if picture_type else "attachment",
        headers={
            "Content-Security-Policy": _CONFINED,
            "Cache-Control": f"private, max-age={_CACHE_SECONDS}, immutable",
        },
    )
