"""Define the schemas of the frames that are sent over a room's sockets, and the states of buttons."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, Literal, NotRequired

from msgspec import Struct
from pydantic_core import to_json
from typing_extensions import TypedDict

from function_calls.language.recurrence_text import rules_in_words
from services.kernel.chat import Attachment, Choice, Person

ChoiceState = Literal["live", "used", "expired"]

VERSION: Final = 1
MAX_RESULT_LENGTH: Final = 16_000
"""Characters of a result that are shown; longer results are cut."""
CallStatus = Literal["running", "ok", "error", "timeout", "denied"]


class ChoiceShape(TypedDict):
    """A button; pressing it posts `says` as a reply to the message.

    `only_for` are the ids of the people whom it serves, empty for everybody. A question is answered until `expires_at`
    (UTC; null where the button does not expire). `change_id` is the change that the button takes back, null for others.
    """

    label: str
    says: str
    only_for: list[str]
    state: ChoiceState
    expires_at: str | None
    change_id: str | None


def choice_shape(choice: Choice) -> ChoiceShape:
    """Return a button that was not pressed yet."""
    return ChoiceShape(
        label=choice.label,
        says=choice.says,
        only_for=[*choice.for_people],
        state="live",
        expires_at=None if choice.expires_at is None else format_instant(choice.expires_at),
        change_id=choice.change_id or None,
    )


def mark_expired(choices: Sequence[ChoiceShape], now: datetime) -> list[ChoiceShape]:
    """Return `choices` with the expired ones marked."""
    return [{**each, "state": "expired"} if _is_expired(each, now) else each for each in choices]


def mark_pressed(
    choices: Sequence[ChoiceShape], says: str, person_id: str, *, is_done: bool
) -> list[ChoiceShape] | None:
    """Return `choices` after `person_id` pressed the one with the text `says`; None if that changes nothing.

    A button is used when its request `is_done`; a button for everybody stays live. Buttons that undo a change or answer
    a question are marked with the change and the question instead.
    """
    pressed = next((each for each in choices if each["says"] == says and person_id in each["only_for"]), None)
    if pressed is None or pressed["change_id"] is not None or pressed["expires_at"] is not None:
        return None
    return mark_used(choices, lambda each: each is pressed) if is_done else None


def mark_used(choices: Sequence[ChoiceShape], is_used: Callable[[ChoiceShape], bool]) -> list[ChoiceShape]:
    """Return `choices` with those marked for which `is_used` is true."""
    return [{**each, "state": "used"} if is_used(each) else each for each in choices]


def _is_expired(choice: ChoiceShape, now: datetime) -> bool:
    expires_at = choice["expires_at"]
    return choice["state"] == "live" and expires_at is not None and datetime.fromisoformat(expires_at) <= now


class AuthorShape(TypedDict):
    """The sender of a message, or a member of a room."""

    id: str
    name: str
    kind: Literal["person", "bot"]


class CallChange(TypedDict):
    """A change that a call has made: `action` is its past tense (`set`), `subject` the id of what was changed."""

    action: str
    subject: str


class CallShape(TypedDict):
    """A tool call under a message; fields that are not known yet are left out.

    `text` is the part of the answer that the call has worded. `rule_words` has the words of each RFC 5545 rule in the
    call, by language and then by rule: pages show them in its place.
    """

    id: str
    name: str
    arguments: NotRequired[object]
    started_at: NotRequired[str]
    status: CallStatus
    result: NotRequired[object]
    error: NotRequired[str | None]
    text: NotRequired[str]
    changes: NotRequired[list[CallChange]]
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
    """A message of the room; `retryable` is an answer to one that may succeed later."""

    id: str
    client_id: str | None
    author: AuthorShape
    text: str
    reply_to: str | None
    ts: str
    edited: bool
    stopped: bool
    retryable: bool
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
        "ts": format_instant(at),
        **(top or {}),
        "data": data,
    }
    return Frame(type=kind, data=data, seq=seq, text=json_text(body), is_kept=is_kept)


def json_text(value: object) -> str:
    """Return `value` as JSON; values of other types are written as text."""
    return to_json(value, fallback=str, inf_nan_mode="null").decode()


def add_rule_words(call: CallShape) -> None:
    """Set `rule_words` of `call` where its arguments, result or error contain a rule."""
    words = rules_in_words(json_text([call.get("arguments"), call.get("result"), call.get("error")]))
    if words:
        call["rule_words"] = words


def format_instant(at: datetime) -> str:
    """Format an instant for the page and the HTTP API: ISO 8601 in UTC, with milliseconds."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def author_shape(person: Person) -> AuthorShape:
    """Return a person, or the bot."""
    return AuthorShape(
        id="bot" if person.is_bot else person.id, name=person.name, kind="bot" if person.is_bot else "person"
    )


def attachment_shape(attachment: Attachment) -> AttachmentShape:
    """Return a file or picture."""
    return AttachmentShape(kind=attachment.kind, description=attachment.description, url=attachment.url)
