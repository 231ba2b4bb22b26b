"""Convert OneBot v11 events to chat messages. Source: https://github.com/botuniverse/onebot-11/tree/master/event."""

import re
import sys
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace
from pydantic import ConfigDict

from bot.platforms.kit.events import Form, instant, is_called, number_of
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

_CODE = re.compile(r"\[CQ:([A-Za-z0-9_.-]+)((?:,[^\]]*)?)\]")

NAME = "onebot"

_ATTACHMENTS = {"image", "record", "video", "file", "share", "location", "contact", "music", "forward", "json", "xml"}
_ADMINS = {"owner", "admin"}
_PRIVATE = "private-"
# QQ numbers its own faces, of which this asks to join a reminder; larger numbers are the code points of emoji.
_FACES = {"76": "👍"}
_FIRST_EMOJI = 5000


class Segment(Struct, frozen=True, kw_only=True):
    """One part of a message: its type, and its data as text."""

    type: str
    data: Mapping[str, str] = field(default_factory=dict)


def segments_of(message: object) -> list[Segment]:
    """Return the parts of a received message, which is a text with codes, a segment or a list of segments."""
    if isinstance(message, str):
        return _parse_codes(message)
    if isinstance(message, Mapping):  # a single segment may stand alone
        message = [message]
    if not isinstance(message, Sequence):
        return []
    return [
        Segment(type=str(part.get("type", "")), data=_texts(part.get("data")))
        for part in message
        if isinstance(part, Mapping)
    ]


def _texts(data: object) -> dict[str, str]:
    if not isinstance(data, Mapping):
        return {}
    return {str(name): str(value) for name, value in data.items() if value is not None}


def _parse_codes(written: str) -> list[Segment]:
    found, end = [], 0
    for code in _CODE.finditer(written):
        found += _text(written[end : code.start()])
        pairs = (part.partition("=") for part in code[2].split(",") if part)
        found.append(Segment(type=code[1], data={name: unescape(value) for name, _, value in pairs}))
        end = code.end()
    return found + _text(written[end:])


def _text(written: str) -> list[Segment]:
    return [Segment(type="text", data={"text": unescape(written)})] if written else []


def unescape(written: str) -> str:
    """Return a text without the escapes of CQ codes; the ampersand comes last."""
    return written.replace("&#91;", "[").replace("&#93;", "]").replace("&#44;", ",").replace("&amp;", "&")


class Sender(Form):
    """The sender of a message; any field may be missing."""

    nickname: str = ""
    card: str | None = ""
    role: str | None = ""

    @property
    def name(self) -> str:
        """The name in the group, else the account's."""
        return self.card or self.nickname


class Like(Form):
    """An emoji under a message, by QQ's number of it."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    emoji_id: str = ""


class Event(Form):
    """An event, as far as Bubbles reads it. `time` is in Unix seconds."""

    post_type: str
    time: int = 0
    self_id: int = 0
    message_type: str = ""
    notice_type: str = ""
    message_id: int | None = None
    group_id: int | None = None
    user_id: int | None = None
    message: object = None
    sender: Sender = Sender()
    likes: tuple[Like, ...] = ()
    is_add: bool = True


def to_incoming(event: Event, bot_name: str, own_messages: Collection[str] = ()) -> Incoming | None:
    """Convert `event`, if possible; a reply to one of `own_messages`, ids of the bot's, is addressed to it."""
    if event.post_type == "message" and event.user_id != event.self_id:
        return _to_message(event, bot_name, own_messages)
    if event.post_type == "notice" and event.notice_type in {"group_recall", "friend_recall"}:
        return MessageWithdrawn(address=address_of(event), message_id=str(event.message_id), at=instant(event.time))
    if event.post_type == "notice" and event.notice_type == "group_increase" and event.user_id == event.self_id:
        return BotAdded(address=address_of(event))
    return None


def is_about_emoji(event: Event) -> bool:
    """Return whether somebody reacted to a message."""
    return event.post_type == "notice" and event.notice_type == "group_msg_emoji_like"


def to_reactions(event: Event, name: str) -> tuple[Reaction, ...]:
    """Return the reactions of the person `name`, not of the bot; the event is an extension of NapCat."""
    if event.user_id in {None, event.self_id} or event.message_id is None:
        return ()
    person = Person(id=str(event.user_id), name=name)
    return tuple(
        Reaction(
            address=address_of(event),
            message_id=str(event.message_id),
            person=person,
            emoji=_emoji(like.emoji_id),
            is_added=event.is_add,
        )
        for like in event.likes
    )


def _emoji(number: str) -> str:
    if number.isdecimal() and _FIRST_EMOJI <= int(number) <= sys.maxunicode:
        return chr(int(number))
    return _FACES.get(number, number)


def address_of(event: Event) -> ChatAddress:
    """Return groups by their number, private chats by the other's; the two may be the same number."""
    chat = str(event.group_id) if event.group_id else f"{_PRIVATE}{event.user_id}"
    return ChatAddress(platform=NAME, chat_id=chat)


def recipient(address: ChatAddress) -> dict[str, object]:
    """Return the fields that address a message to a chat."""
    if address.chat_id.startswith(_PRIVATE):
        person = replace(address, chat_id=address.chat_id.removeprefix(_PRIVATE))
        return {"message_type": "private", "user_id": number_of(person)}
    return {"message_type": "group", "group_id": number_of(address)}


def _to_message(event: Event, bot_name: str, own_messages: Collection[str]) -> ChatMessage | None:
    reading = _Reading(segments_of(event.message), str(event.self_id), bot_name)
    if not reading.text and not reading.attachments:
        return None
    is_private = event.message_type == "private"
    is_addressed = (
        is_private or reading.mentions_bot or reading.reply_to in own_messages or is_called(reading.text, bot_name)
    )
    return ChatMessage(
        id=str(event.message_id),
        address=address_of(event),
        sender=Person(
            id=str(event.user_id),
            name=event.sender.name or str(event.user_id),
            is_admin=(event.sender.role or "") in _ADMINS,
        ),
        text=reading.text,
        sent_at=instant(event.time),
        is_addressed=is_addressed,
        is_private=is_private,
        reply_to=reading.reply_to,
        mentions=tuple(reading.mentions),
        attachments=tuple(reading.attachments),
    )


class _Reading:
    """The parts of a message put together: mentions as `@name`, pictures and files as attachments."""

    def __init__(self, segments: list[Segment], self_id: str, bot_name: str) -> None:
        self._self_id = self_id
        self._bot_name = bot_name
        self.mentions_bot = False
        self.reply_to: str | None = None
        self.mentions: list[Person] = []
        self.attachments: list[Attachment] = []
        self._text = ""
        for segment in segments:
            read = self._read(segment)
            self._text += read.removeprefix(" ") if self._text.endswith(" ") else read

    @property
    def text(self) -> str:
        """Return the text."""
        return self._text.strip()

    def _read(self, segment: Segment) -> str:
        data = segment.data
        if segment.type == "text":
            return data.get("text", "")
        if segment.type == "at":
            return self._mention(data.get("qq", ""), data.get("name", ""))
        if segment.type == "reply":
            self.reply_to = data.get("id")
        elif segment.type in _ATTACHMENTS:
            described = data.get("summary") or data.get("title") or data.get("name") or data.get("file", "")
            self.attachments.append(Attachment(kind=segment.type, description=described, url=data.get("url")))
        return ""

    def _mention(self, number: str, name: str) -> str:
        if number == "all":
            return "@all "
        if number == self._self_id:
            self.mentions_bot = True
            return f"@{self._bot_name} "
        called = name.removeprefix("@") or number
        self.mentions.append(Person(id=number, name=called))
        return f"@{called} "
