"""Base classes of request and response bodies, and the bodies of the chat API."""

import json
from typing import Annotated, Literal

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from bot.platforms.web.frames import AuthorShape, MessageShape, json_text

# Without `{1,64}`: Pydantic expands repetitions, and 64 times the letters of all scripts need 10 MB.
SESSION_PATTERN = r"^[\w-]+$"
MAX_SESSION_LENGTH = 64
CLIENT_ID_PATTERN = r"^[A-Za-z0-9_-]{1,64}$"
MAX_MESSAGE_LENGTH = 20_000
IN_ROOM = Annotated[
    str, Query(pattern=SESSION_PATTERN, max_length=MAX_SESSION_LENGTH, description="The room.", examples=["lobby"])
]
"""The room in the query of a request."""
SESSION = Annotated[
    str, Path(pattern=SESSION_PATTERN, max_length=MAX_SESSION_LENGTH, description="The room.", examples=["lobby"])
]
"""The room in the path of a request."""


class Answer(BaseModel):
    """The body of a response, or a part of it.

    Its serializer is built at first use, which saves a megabyte at the start.
    """

    model_config = ConfigDict(defer_build=True, from_attributes=True)


class Body(BaseModel):
    """The body of a request, or a part of it; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class AttachmentBody(Body):
    """The description of a file or picture; nothing is fetched."""

    kind: str = Field(max_length=40, examples=["image"])
    description: str = Field("", max_length=500)
    url: str | None = Field(None, max_length=2000)


class SendBody(Body):
    """A message to a room."""

    session_id: str = Field(
        pattern=SESSION_PATTERN,
        max_length=MAX_SESSION_LENGTH,
        description="The room; it is created on first use.",
        examples=["lobby"],
    )
    message: str = Field(
        max_length=MAX_MESSAGE_LENGTH,
        description="May be empty if there are attachments.",
        examples=["remind me in 10 minutes to stretch"],
    )
    attachments: list[AttachmentBody] | None = Field(
        None, max_length=20, description="Descriptions, or responses of `POST …/files`."
    )
    name: str | None = Field(None, max_length=40, description="The author.", examples=["Ann"])
    client_id: str | None = Field(
        None, pattern=CLIENT_ID_PATTERN, description="Your own id; the same id twice is one message."
    )
    reply_to: str | None = Field(None, max_length=200, description="The id of the message that this is a reply to.")
    stream: bool | None = Field(
        None, description="Get the answer as events; by default `Accept` decides, and else it comes as events."
    )
    tool_servers: list[dict[str, JsonValue]] | None = Field(
        None,
        max_length=20,
        description="Servers whose tools your page runs, each with `url` and `specs`; see `execute:tool`.",
    )


class SendAnswer(Answer):
    """The result of a message; `reply` is null if the bot did not answer."""

    message_id: str
    is_new: bool
    reply: MessageShape | None


class SpecCall(Answer):
    """A tool call in the history; `duration` is in milliseconds."""

    id: str
    name: str
    arguments: JsonValue
    result: str | None
    error: str | None
    status: Literal["success", "error", "timeout", "denied"]
    duration: int
    spawn_task: JsonValue


class SessionMessage(Answer):
    """A message of the history."""

    id: str
    session_id: str
    role: Literal["user", "assistant"]
    content: str
    created_at: str
    author: AuthorShape
    reply_to: str | None
    tool_calls: list[SpecCall]


class SessionOverview(Answer):
    """A room that has messages.

    `unread` counts the messages of others since you last read there, `mentions` those that mention you or everyone. If
    you never read there, only the mentions of the last week are counted.
    """

    id: str
    platform: str
    message_count: int
    last_at: str
    people_here: int
    unread: int = 0
    mentions: int = 0


class Sessions(Answer):
    """Rooms, the last used first."""

    sessions: list[SessionOverview]


class LogPage(Answer):
    """Messages in the form of the page, oldest first; `before` requests the previous page, null at the beginning."""

    messages: list[MessageShape]
    before: str | None


class EditBody(Body):
    """The new text of a message."""

    text: str = Field(min_length=1, max_length=MAX_MESSAGE_LENGTH)


class ReactionBody(Body):
    """An emoji for a message; the same emoji again removes it."""

    emoji: str = Field(min_length=1, max_length=16, examples=["👍"])


class Done(Answer):
    """The request was carried out."""

    ok: Literal[True] = True


def as_json(value: object) -> JsonValue:
    """Convert a value to JSON; types that JSON lacks become text."""
    converted: JsonValue = json.loads(json_text(value))
    return converted
