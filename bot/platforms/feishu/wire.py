"""Convert Feishu's events to chat messages. Source: https://open.feishu.cn/document/server-docs/im-v1/message/events/receive."""

import json
from collections.abc import Collection, Mapping
from datetime import datetime

from msgspec import Struct

from bot.platforms.kit.events import Form, instant, is_called, mapping, mappings
from services.kernel.chat import (
    Attachment,
    BotAdded,
    ChatAddress,
    ChatMessage,
    Incoming,
    MessageWithdrawn,
    Person,
    Reaction,
)

NAME = "feishu"

RECEIVED = "im.message.receive_v1"
RECALLED = "im.message.recalled_v1"
ADDED = "im.chat.member.bot.added_v1"
PRESSED = "card.action.trigger"
REACTED = "im.message.reaction.created_v1"
UNREACTED = "im.message.reaction.deleted_v1"

# Feishu names emoji; these ask to join a reminder.
# Source: https://open.feishu.cn/document/server-docs/im-v1/message-reaction/emojis-introduce
_EMOJI: Mapping[str, str] = {"THUMBSUP": "👍", "JIAYI": "➕"}
_ATTACHMENTS = {"image", "file", "audio", "media", "sticker", "share_chat", "share_user", "location"}


class Ids(Form):
    """The ids of one person; the open id is theirs for this app."""

    open_id: str | None = ""


class Sender(Form):
    """The author of a message."""

    sender_id: Ids = Ids()
    sender_type: str = "user"


class Mention(Form):
    """A mentioned person; `key` is in the text (`@_user_1`)."""

    key: str
    id: Ids = Ids()
    name: str = ""


class Message(Form):
    """A message. `create_time` is in milliseconds since 1970; `content` is JSON, by `message_type`."""

    message_id: str
    root_id: str | None = None
    parent_id: str | None = None
    thread_id: str | None = None
    create_time: str = "0"
    chat_id: str = ""
    chat_type: str = "group"
    message_type: str = "text"
    content: str = "{}"
    mentions: tuple[Mention, ...] | None = ()


class EmojiType(Form):
    """An emoji, by its name."""

    emoji_type: str = ""


class Action(Form):
    """A pressed button: its value `says`."""

    value: Mapping[str, object] | None = None


class Context(Form):
    """The message and the chat of a pressed button."""

    open_message_id: str = ""
    open_chat_id: str = ""


class Body(Form):
    """An event: a message (`message`), its withdrawal (`message_id`) or a reaction to it.

    A withdrawal, and the addition of the bot to a chat, have `chat_id`. A reaction has `user_id`, unless it is that of
    a bot, and `reaction_type`; a pressed button has `operator`, `action` and `context`.
    """

    user_id: Ids | None = None
    reaction_type: EmojiType = EmojiType()
    operator: Ids | None = None
    action: Action = Action()
    context: Context = Context()

    sender: Sender = Sender()
    message: Message | None = None
    message_id: str = ""
    chat_id: str = ""
    recall_time: str = "0"


class Header(Form):
    """Id and type of an event."""

    event_id: str = ""
    event_type: str = ""


class Event(Form):
    """An event of the second schema."""

    header: Header = Header()
    event: Body = Body()


class Account(Struct, frozen=True, kw_only=True):
    """The account of the bot: its open id, and the name that people call it by."""

    open_id: str
    bot_name: str


def to_incoming(
    event: Event, me: Account, names: Mapping[str, str], own_messages: Collection[str] = ()
) -> Incoming | None:
    """Convert `event`; None where a chat bot has no use for it.

    `names` are people by open id, as far as they are known; `own_messages` are ids of messages of the bot.
    """
    body = event.event
    if event.header.event_type == RECALLED:
        return MessageWithdrawn(
            address=ChatAddress(platform=NAME, chat_id=body.chat_id),
            message_id=body.message_id,
            at=instant(body.recall_time, per_second=1000),
        )
    if event.header.event_type == ADDED:
        return BotAdded(address=ChatAddress(platform=NAME, chat_id=body.chat_id))
    if event.header.event_type != RECEIVED or body.message is None or _sender_id(body) == me.open_id:
        return None
    return _to_message(body, body.message, me, names, own_messages)


def to_reaction(event: Event, chat_id: str, names: Mapping[str, str]) -> Reaction | None:
    """Convert a reaction; None for those of bots, or if the chat is not known."""
    body = event.event
    person = body.user_id.open_id if body.user_id else None
    if not person or not chat_id:
        return None
    name = body.reaction_type.emoji_type
    return Reaction(
        address=ChatAddress(platform=NAME, chat_id=chat_id),
        message_id=body.message_id,
        person=Person(id=person, name=names.get(person, person)),
        emoji=_EMOJI.get(name, name),
        is_added=event.header.event_type == REACTED,
    )


def actor(body: Body) -> str:
    """Return the open id of the acting person; empty where there is none."""
    ids = body.user_id or body.operator or body.sender.sender_id
    return ids.open_id or ""


def to_pressed(
    event: Event, names: Mapping[str, str], private_chats: Collection[str], now: datetime
) -> ChatMessage | None:
    """Return a pressed button as its person's words, in reply to the card that has it."""
    body = event.event
    value = body.action.value or {}
    says, thread, person = value.get("says"), value.get("thread"), actor(body)
    chat_id = body.context.open_chat_id
    if not isinstance(says, str) or not person:
        return None
    return ChatMessage(
        id=f"press-{event.header.event_id}",
        address=ChatAddress(platform=NAME, chat_id=chat_id, thread_id=thread if isinstance(thread, str) else None),
        sender=Person(id=person, name=names.get(person, person)),
        text=says,
        sent_at=now,
        is_addressed=True,
        is_private=chat_id in private_chats,
        reply_to=body.context.open_message_id,
    )


def _to_message(
    body: Body, message: Message, me: Account, names: Mapping[str, str], own_messages: Collection[str]
) -> ChatMessage | None:
    mentions = message.mentions or ()
    text = _text(message)
    for mention in sorted(mentions, key=lambda each: -len(each.key)):  # @_user_10 before @_user_1
        name = me.bot_name if mention.id.open_id == me.open_id else mention.name
        text = text.replace(mention.key, f"@{name}")
    attachments = _attachments(message)
    if not text.strip() and not attachments:
        return None
    is_private = message.chat_type == "p2p"
    is_target = any(mention.id.open_id == me.open_id for mention in mentions) or message.parent_id in own_messages
    sender = _sender_id(body)
    topic = message.root_id if message.thread_id else None  # the message that began it, to which an answer replies
    return ChatMessage(
        id=message.message_id,
        address=ChatAddress(platform=NAME, chat_id=message.chat_id, thread_id=topic),
        sender=Person(id=sender, name=names.get(sender, sender), is_bot=body.sender.sender_type != "user"),
        text=text.strip(),
        sent_at=instant(message.create_time, per_second=1000),
        is_addressed=is_private or is_target or is_called(text, me.bot_name),
        is_private=is_private,
        reply_to=message.parent_id,
        mentions=tuple(
            Person(id=mention.id.open_id, name=mention.name)
            for mention in mentions
            if mention.id.open_id and mention.id.open_id != me.open_id
        ),
        attachments=attachments,
    )


def _sender_id(body: Body) -> str:
    return body.sender.sender_id.open_id or ""


def _text(message: Message) -> str:
    content = _content(message)
    if message.message_type == "text":
        return str(content.get("text", ""))
    if message.message_type == "post":
        return _post(content)
    return ""


def _post(content: Mapping[str, object]) -> str:
    """Return a rich text: a title, and paragraphs of parts."""
    paragraphs = content.get("content")
    lines = [str(content.get("title") or "")]
    for paragraph in paragraphs if isinstance(paragraphs, list) else []:
        parts = (part.get("user_id" if part.get("tag") == "at" else "text") for part in mappings(paragraph))
        lines.append("".join(str(part or "") for part in parts))
    return "\n".join(line for line in lines if line)


def _attachments(message: Message) -> tuple[Attachment, ...]:
    if message.message_type not in _ATTACHMENTS:
        return ()
    return (Attachment(kind=message.message_type, description=str(_content(message).get("file_name") or "")),)


def _content(message: Message) -> Mapping[str, object]:
    try:
        return mapping(json.loads(message.content))
    except ValueError:
        return {}
