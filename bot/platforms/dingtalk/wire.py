"""Convert DingTalk's callbacks to chat messages. Source: https://open.dingtalk.com/document/orgapp/receive-message."""

import re

from pydantic import Field

from bot.platforms.kit.events import Form, instant, is_called
from services.kernel.chat import Attachment, ChatAddress, ChatMessage, Person

NAME = "dingtalk"

_PRIVATE = "private-"
_CALLED = re.compile(r"@(?P<name>[^\s@]+)")
_FILES = {"picture", "audio", "video", "file"}


class RepliedMessage(Form):
    """The message that is replied to."""

    id: str = Field("", alias="msgId")


class Text(Form):
    """A text."""

    content: str = ""
    replied: RepliedMessage | None = Field(None, alias="repliedMsg")


class MentionedUser(Form):
    """Somebody who is mentioned; people of the organisation have a staff id."""

    dingtalk_id: str = Field("", alias="dingtalkId")
    staff_id: str | None = Field(None, alias="staffId")


class Part(Form):
    """A part of a rich text: words, or a picture."""

    text: str | None = None
    type: str = ""


class Content(Form):
    """Content of a message that is not plain text."""

    parts: tuple[Part, ...] = Field((), alias="richText")
    file_name: str = Field("", alias="fileName")
    recognition: str = ""


class Event(Form):
    """A message to the robot. Times are in milliseconds since 1970."""

    id: str = Field(alias="msgId")
    kind: str = Field("text", alias="msgtype")
    text: Text = Text()
    content: Content = Content()
    conversation_id: str = Field(alias="conversationId")
    conversation_type: str = Field("2", alias="conversationType")
    sender_id: str = Field("", alias="senderId")
    staff_id: str | None = Field(None, alias="senderStaffId")
    nick: str = Field("", alias="senderNick")
    is_admin: bool = Field(False, alias="isAdmin")
    robot_id: str = Field("", alias="chatbotUserId")
    mentions_robot: bool = Field(False, alias="isInAtList")
    called: tuple[MentionedUser, ...] = Field((), alias="atUsers")
    created_at: int = Field(0, alias="createAt")
    session_webhook: str = Field("", alias="sessionWebhook")
    session_ends_at: int = Field(0, alias="sessionWebhookExpiredTime")


def to_message(event: Event, bot_name: str) -> ChatMessage | None:
    """Convert a message to the robot; None where it has no text and no files."""
    text = _text(event)
    attachments = _attachments(event)
    if not text and not attachments:
        return None
    is_private = event.conversation_type == "1"
    return ChatMessage(
        id=event.id,
        address=address_of(event),
        sender=Person(id=_sender(event), name=event.nick or _sender(event), is_admin=event.is_admin),
        text=text,
        sent_at=instant(event.created_at, per_second=1000),
        is_addressed=is_private or event.mentions_robot or is_called(text, bot_name),
        is_private=is_private,
        reply_to=event.text.replied.id if event.text.replied else None,
        mentions=_mentions(event, text),
        attachments=attachments,
    )


def address_of(event: Event) -> ChatAddress:
    """Return the chat: a group by its conversation, a private chat by the person."""
    is_private = event.conversation_type == "1"
    return ChatAddress(platform=NAME, chat_id=f"{_PRIVATE}{_sender(event)}" if is_private else event.conversation_id)


def recipient(address: ChatAddress) -> str | None:
    """Return the person of a private chat; None for a group."""
    return address.chat_id.removeprefix(_PRIVATE) if address.chat_id.startswith(_PRIVATE) else None


def _sender(event: Event) -> str:
    """Return the staff id; people of other organisations have only an id that is encrypted for this robot."""
    return event.staff_id or event.sender_id


def _text(event: Event) -> str:
    if event.kind == "richText":
        return "".join(part.text or "" for part in event.content.parts).strip()
    return (event.content.recognition if event.kind == "audio" else event.text.content).strip()


def _attachments(event: Event) -> tuple[Attachment, ...]:
    if event.kind == "richText":
        return tuple(Attachment(kind=part.type, description="") for part in event.content.parts if part.type)
    if event.kind in _FILES:
        return (Attachment(kind=event.kind, description=event.content.file_name),)
    return ()


def _mentions(event: Event, text: str) -> tuple[Person, ...]:
    """Return the people besides the robot who are mentioned.

    DingTalk gives their ids, and their names in the text, in the same order; if the numbers differ, they cannot be
    matched.
    """
    ids = [each.staff_id for each in event.called if each.staff_id and each.dingtalk_id != event.robot_id]
    names = [found["name"] for found in _CALLED.finditer(text)]
    if len(ids) != len(names):
        return ()
    return tuple(Person(id=person, name=name) for person, name in zip(ids, names, strict=True))
