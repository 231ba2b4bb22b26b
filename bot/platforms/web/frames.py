"""Frames that are sent over a room's sockets, and their schemas."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final, Literal, NotRequired

from msgspec import Struct
from pydantic_core import to_json
from typing_extensions import TypedDict

from bot.platforms.web.choices import ChoiceShape
from function_calls.language.recurrence_text import rules_in_words
from services.kernel.chat import Attachment, Person

VERSION: Final = 1
CallStatus = Literal["running", "ok", "error", "timeout", "denied"]


class AuthorShape(TypedDict):
    """Who wrote a message, or is in the room."""

    id: str
    name: str
    kind: Literal["person", "bot"]


class CallShape(TypedDict):
    """A tool call under a message; what is not known yet is left out.

    `rule_words` has the words of each RFC 5545 rule in the call, by language and then by rule: pages show them in its
    place.
    """

    id: str
    name: str
    arguments: NotRequired[object]
    started_at: NotRequired[str]
    status: CallStatus
    result: NotRequired[object]
    error: NotRequired[str | None]
    truncated: NotRequired[bool]
    duration_ms: NotRequired[float]
    rule_words: NotRequired[dict[str, dict[str, str]]]


class AttachmentShape(TypedDict):
    """A file or picture that came with a message."""

    kind: str
    description: str
    url: str | None


class FiredShape(TypedDict):
    """The reminder that a message is about."""

    id: str
    text: str
    due_at: str
    late_ms: int


class MessageShape(TypedDict):
    """A message of the room."""

    id: str
    client_id: str | None
    author: AuthorShape
    text: str
    reply_to: str | None
    ts: str
    edited: bool
    stopped: bool
    mentions: list[str]
    attachments: list[AttachmentShape]
    choices: list[ChoiceShape]
    reactions: dict[str, list[str]]
    reminder: FiredShape | None
    tool_calls: list[CallShape]


class Frame(Struct, frozen=True, kw_only=True):
    """Something that happened in a room: serialised once, when it happens, for all sockets.

    `text` is the frame as it is sent. A frame that is not `is_kept` is not sent again to whoever comes back.
    """

    type: str
    data: Mapping[str, object]
    seq: int
    text: str
    is_kept: bool


def make_frame(
    kind: str,
    session_id: str,
    seq: int,
    at: datetime,
    data: Mapping[str, object],
    *,
    top: Mapping[str, object] | None = None,
    is_kept: bool = True,
) -> Frame:
    """Return a frame of type `kind`; `top` are fields beside `data`, for clients that read them there."""
    body = {
        "v": VERSION,
        "type": kind,
        "session_id": session_id,
        "seq": seq,
        "ts": written(at),
        **(top or {}),
        "data": data,
    }
    return Frame(type=kind, data=data, seq=seq, text=json_text(body), is_kept=is_kept)


def json_text(value: object) -> str:
    """`value` as JSON; what JSON does not know is written as text."""
    return to_json(value, fallback=str, inf_nan_mode="null").decode()


def add_rule_words(call: CallShape) -> None:
    """Set `rule_words` of `call` where its arguments, result or error contain a rule."""
    words = rules_in_words(json_text([call.get("arguments"), call.get("result"), call.get("error")]))
    if words:
        call["rule_words"] = words


def written(at: datetime) -> str:
    """Return an instant as the page reads it: UTC, milliseconds."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def author_shape(person: Person, *, bot_id: str = "bot") -> AuthorShape:
    """Return a person, or the bot."""
    if person.is_bot:
        return AuthorShape(id=bot_id, name=person.name, kind="bot")
    return AuthorShape(id=person.id, name=person.name, kind="person")


def attachment_shape(attachment: Attachment) -> AttachmentShape:
    """Return a file or picture."""
    return AttachmentShape(kind=attachment.kind, description=attachment.description, url=attachment.url)
