"""Base classes of request and response bodies, and the bodies of the chat API."""

from typing import Annotated, Literal

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from bot.platforms.web.frames import AuthorShape, MessageShape

# Not `{1,64}`: Pydantic's regular expressions are unfolded, and the letters of all scripts 64 times over are 10 MB.
SESSION_PATTERN = r"^[\w-]+$"
LONGEST_SESSION = 64
CLIENT_ID_PATTERN = r"^[A-Za-z0-9_-]{1,64}$"
LONGEST_MESSAGE = 20_000
IN_ROOM = Annotated[
    str, Query(pattern=SESSION_PATTERN, max_length=LONGEST_SESSION, description="The room.", examples=["lobby"])
]
"""The parameter `session_id` of a request that is about a room."""
SESSION = Annotated[
    str, Path(pattern=SESSION_PATTERN, max_length=LONGEST_SESSION, description="The room.", examples=["lobby"])
]
"""The room in the path of a request."""


class Answer(BaseModel):
    """The body of an answer, or a part of one.

    What writes it is made when the first one is given: fifty that nobody has asked for yet would keep a megabyte.
    """

    model_config = ConfigDict(defer_build=True, from_attributes=True)


class Body(BaseModel):
    """A body that refuses what it does not know."""

    model_config = ConfigDict(extra="forbid")


class AttachmentBody(Body):
    """A file or picture, described; nothing is fetched."""

    kind: str = Field(max_length=40, examples=["image"])
    description: str = Field("", max_length=500)
    url: str | None = Field(None, max_length=2000)


class SendBody(Body):
    """A message to a room."""

    session_id: str = Field(
        pattern=SESSION_PATTERN,
        max_length=LONGEST_SESSION,
        description="The room; it is made on first use.",
        examples=["lobby"],
    )
    message: str = Field(
        max_length=LONGEST_MESSAGE,
        description="May be empty where there are attachments.",
        examples=["remind me in 10 minutes to stretch"],
    )
    attachments: list[AttachmentBody] | None = Field(
        None, max_length=20, description="Described, or as `POST …/files` has answered."
    )
    name: str | None = Field(None, max_length=40, description="Who says it.", examples=["Ann"])
    client_id: str | None = Field(
        None, pattern=CLIENT_ID_PATTERN, description="Your own id: the same twice is one message."
    )
    reply_to: str | None = Field(None, max_length=200, description="The message that this answers.")
    stream: bool | None = Field(
        None, description="Whether the answer comes as events; left out, `Accept` decides, and events are the default."
    )
    tool_servers: list[dict[str, JsonValue]] | None = Field(
        None,
        max_length=20,
        description="Servers whose tools your page runs itself, each with `url` and `specs`; see `execute:tool`.",
    )


class SendAnswer(Answer):
    """What came of a message; `reply` is None where the bot had nothing to say."""

    message_id: str
    is_new: bool
    reply: MessageShape | None


class SpecCall(Answer):
    """A tool call as the history shows it; `duration` is in milliseconds."""

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

    `unread` counts what others wrote since you last read there, `mentions` those that name you or everyone. Where you
    never read, there are only the mentions of the last week.
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
    """Messages as the page shows them, oldest first; `before` is what to ask for next, None at the beginning."""

    messages: list[MessageShape]
    before: str | None


class EditBody(Body):
    """What a message is to say instead."""

    text: str = Field(min_length=1, max_length=LONGEST_MESSAGE)


class ReactionBody(Body):
    """An emoji for a message; the same once more takes it off."""

    emoji: str = Field(min_length=1, max_length=16, examples=["👍"])


class Done(Answer):
    """It is done."""

    ok: Literal[True] = True
