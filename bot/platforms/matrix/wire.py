"""Convert events of Matrix rooms to chat messages, and messages to events. Source: https://spec.matrix.org/latest/."""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from html import escape
from typing import Final, TypeAlias
from urllib.parse import quote, unquote

from msgspec import Struct, field
from msgspec.structs import replace

from bot.platforms.base import OutgoingMessage
from bot.platforms.kit.events import instant, is_called, mapping
from bot.platforms.kit.markdown import Span, plain, render_html, spans_of
from services.kernel.chat import (
    Attachment,
    ChatAddress,
    ChatMessage,
    Incoming,
    MessageEdited,
    MessageWithdrawn,
    Person,
    Reaction,
    SentFile,
)

NAME: Final = "matrix"
Json: TypeAlias = "Mapping[str, Json] | list[Json] | str | int | float | bool | None"
Event: TypeAlias = Mapping[str, object]

# Who may redact other people's messages is a moderator of the room.
_MODERATOR_LEVEL: Final = 50
_ATTACHED: Final = {"m.image": "photo", "m.file": "document", "m.audio": "audio", "m.video": "video"}
_COLOURED: Final = "\ufe0f"
_HEART: Final = "❤️"
_QUOTE: Final = re.compile(r"\A(?:> .*\n)+\n?")
_USER_ID: Final = re.compile(r"@[^:\s]+:\S+")
_PILL: Final = re.compile(r"https://matrix\.to/#/(@[^\"'?]+|%40[^\"'?]+)")


class Room(Struct, frozen=True, kw_only=True):
    """The known state of a room: the names of its people, and their power levels.

    `own_events` are the ids of the latest events of the bot, `reactions` those of people by the ids of their events,
    which is all that the withdrawal of a reaction names.
    """

    id: str
    names: Mapping[str, str] = field(default_factory=dict)
    levels: Mapping[str, int] = field(default_factory=dict)
    is_private: bool = False
    own_events: Collection[str] = ()
    reactions: Mapping[str, Reaction] = field(default_factory=dict)

    def person(self, user_id: str, *, is_bot: bool = False) -> Person:
        """Return a person in the room."""
        name = self.names.get(user_id) or user_id.lstrip("@").partition(":")[0]
        return Person(id=user_id, name=name, is_bot=is_bot, is_admin=self.levels.get(user_id, 0) >= _MODERATOR_LEVEL)


class Account(Struct, frozen=True, kw_only=True):
    """The account of the bot, and the name that people call it by."""

    user_id: str
    bot_name: str


def to_incoming(event: Event, room: Room, account: Account) -> Incoming | None:
    """Convert an event of a room's timeline; None for events of the bot and those without a message."""
    sender = text_of(event.get("sender"))
    if not sender or sender == account.user_id:
        return None
    content = mapping(event.get("content"))
    if event.get("type") == "m.room.redaction":
        gone = text_of(event.get("redacts")) or text_of(content.get("redacts"))
        if gone in room.reactions:
            return replace(room.reactions[gone], is_added=False)
        return MessageWithdrawn(address=_address(room, {}), message_id=gone, at=_when(event)) if gone else None
    if event.get("type") == "m.reaction":
        return _reaction(mapping(content.get("m.relates_to")), room, sender)
    if event.get("type") != "m.room.message" or not text_of(content.get("msgtype")):
        return None
    relation = mapping(content.get("m.relates_to"))
    if relation.get("rel_type") == "m.replace":
        return _to_edited(event, content, relation, room)
    return _message(event, content, relation, room, account)


def _reaction(relation: Event, room: Room, sender: str) -> Reaction | None:
    emoji, under = text_of(relation.get("key")), text_of(relation.get("event_id"))
    if relation.get("rel_type") != "m.annotation" or not emoji or not under:
        return None
    # Only some clients append the selector of the coloured form of an emoji.
    shown = emoji if emoji == _HEART else emoji.removesuffix(_COLOURED)
    return Reaction(address=_address(room, {}), message_id=under, person=room.person(sender), emoji=shown)


def events_since_join(events: Sequence[Event], account: Account) -> Sequence[Event]:
    """Return the events after the bot joined, where that is among them."""
    place = _join_index(events, account)
    return events if place is None else events[place + 1 :]


def is_new_group(events: Sequence[Event], account: Account) -> bool:
    """Return whether the bot joined a group room in these events."""
    place = _join_index(events, account)
    return place is not None and _before(events[place]).get("is_direct") is not True


def _join_index(events: Sequence[Event], account: Account) -> int | None:
    for place in range(len(events) - 1, -1, -1):
        event = events[place]
        if event.get("type") == "m.room.member" and event.get("state_key") == account.user_id:
            membership = mapping(event.get("content")).get("membership")
            if membership == "join" and _before(event).get("membership") != "join":  # a new name is a join, too
                return place
    return None


def _before(event: Event) -> Event:
    return mapping(mapping(event.get("unsigned")).get("prev_content"))


def _to_edited(event: Event, content: Event, relation: Event, room: Room) -> MessageEdited:
    new = mapping(content.get("m.new_content"))
    return MessageEdited(
        address=_address(room, relation),
        message_id=text_of(relation.get("event_id")),
        text=text_of(new.get("body")) or text_of(content.get("body")),
        at=_when(event),
        by=text_of(event.get("sender")),  # servers pass on replacements of anybody's messages, for clients to ignore
    )


def _message(event: Event, content: Event, relation: Event, room: Room, account: Account) -> ChatMessage:
    reply_to = _reply_target(relation)
    mentioned = _find_mentions(content)
    people = tuple(room.person(user_id) for user_id in mentioned if user_id != account.user_id)
    text = _mark_names(_text(content), people)
    is_target = account.user_id in mentioned or reply_to in room.own_events or is_called(text, account.bot_name)
    localpart = account.user_id.lstrip("@").partition(":")[0]
    return ChatMessage(
        id=text_of(event.get("event_id")),
        address=_address(room, relation),
        sender=room.person(text_of(event.get("sender")), is_bot=content.get("msgtype") == "m.notice"),
        text=text,
        sent_at=_when(event),
        is_addressed=room.is_private or is_target or is_called(text, localpart),
        is_private=room.is_private,
        reply_to=reply_to,
        mentions=people,
        attachments=_attachments(content),
    )


def _address(room: Room, relation: Event) -> ChatAddress:
    thread = text_of(relation.get("event_id")) if relation.get("rel_type") == "m.thread" else ""
    return ChatAddress(platform=NAME, chat_id=room.id, thread_id=thread or None)


def _reply_target(relation: Event) -> str | None:
    """Return the event that is replied to; the fallback of a thread for clients without threads is none."""
    if relation.get("is_falling_back") is True:
        return None
    return text_of(mapping(relation.get("m.in_reply_to")).get("event_id")) or None


def _text(content: Event) -> str:
    body = text_of(content.get("body"))
    if text_of(mapping(mapping(content.get("m.relates_to")).get("m.in_reply_to")).get("event_id")):
        body = _QUOTE.sub("", body)  # older clients repeat what they reply to
    if content.get("msgtype") == "m.emote":
        return f"/me {body}"
    if content.get("msgtype") in _ATTACHED:
        file_name = content.get("filename")
        return body if isinstance(file_name, str) and file_name != body else ""  # a caption, or the name of the file
    return body


def _attachments(content: Event) -> tuple[Attachment, ...]:
    kind = _ATTACHED.get(text_of(content.get("msgtype")))
    if kind is None:
        return ()
    name = text_of(content.get("filename")) or text_of(content.get("body"))
    address = text_of(content.get("url")) or text_of(mapping(content.get("file")).get("url"))
    return (Attachment(kind=kind, description=name, url=address or None),)


def _find_mentions(content: Event) -> tuple[str, ...]:
    """Return the mentioned people: those of `m.mentions`, else those of the pills in the formatted text."""
    stated = mapping(content.get("m.mentions")).get("user_ids")
    if isinstance(stated, list):
        return tuple(dict.fromkeys(each for each in stated if isinstance(each, str)))
    found = _PILL.findall(text_of(content.get("formatted_body")))
    return tuple(dict.fromkeys(unquote(each) for each in found))


def _mark_names(text: str, people: Collection[Person]) -> str:
    """Insert an @ before the names of `people` in `text`: clients leave it out of their pills."""
    for person in people:
        if f"@{person.name}" not in text:
            text = re.sub(rf"(?<![\w@]){re.escape(person.name)}(?!\w)", r"@\g<0>", text, count=1)
    return text


def to_content(message: OutgoingMessage, piece: str, address: ChatAddress) -> dict[str, Json]:
    """Return the content of the `m.room.message` that says `piece` of `message`."""
    spans = spans_of(message, piece)
    content: dict[str, Json] = {
        "msgtype": "m.text",
        "body": plain(spans),
        "m.mentions": _mentions(spans),
        **_relation(message, address),
    }
    html = render_html(spans, _pill, newline="<br>")
    if html != escape(plain(spans), quote=False).replace("\n", "<br>"):
        content |= {"format": "org.matrix.custom.html", "formatted_body": html}
    return content


def to_file(file: SentFile, address: ChatAddress, place: Mapping[str, Json]) -> dict[str, Json]:
    """Return the content of the `m.room.message` that shows `file`; `place` says where it was uploaded."""
    kind = file.media_type.partition("/")[0]
    info: dict[str, Json] = {"mimetype": file.media_type, "size": len(file.content)}
    return {
        "msgtype": f"m.{kind}" if kind in {"image", "audio", "video"} else "m.file",
        "body": file.name,
        "filename": file.name,
        **place,
        "info": info,
        "m.mentions": {},
        **_relation(OutgoingMessage(text=""), address),
    }


def to_edit(message: OutgoingMessage, address: ChatAddress, event_id: str) -> dict[str, Json]:
    """Return the content that replaces that of the event `event_id`."""
    new = to_content(replace(message, reply_to=None), message.text, replace(address, thread_id=None))
    relation: dict[str, Json] = {"rel_type": "m.replace", "event_id": event_id}
    return {
        "msgtype": "m.text",
        "body": f"* {new['body']}",
        "m.mentions": {},
        "m.new_content": new,
        "m.relates_to": relation,
    }


def link(room_id: str, event_id: str) -> str:
    """Return an address that opens the event in any client."""
    return f"https://matrix.to/#/{quote(room_id)}/{quote(event_id)}"


def _mentions(spans: Collection[Span]) -> dict[str, Json]:
    """Return the `m.mentions` of a message; always present, so that its text notifies nobody."""
    people: list[Json] = list(dict.fromkeys(each.person.id for each in spans if each.person and _is_user(each.person)))
    stated: dict[str, Json] = {"user_ids": people} if people else {}
    return stated | {"room": True} if any(span.kind == "everyone" for span in spans) else stated


def _is_user(person: Person) -> bool:
    """Return whether a person has a user id; older rows have names. Source: Matrix specification, appendix 4.2.1."""
    return _USER_ID.fullmatch(person.id) is not None


def _pill(span: Span) -> str:
    text = escape(span.text, quote=False)
    if span.person is None or not _is_user(span.person):
        return text
    return f'<a href="https://matrix.to/#/{quote(span.person.id, safe="@:")}">{text}</a>'


def _relation(message: OutgoingMessage, address: ChatAddress) -> dict[str, Json]:
    reply: dict[str, Json] = {"m.in_reply_to": {"event_id": message.reply_to}} if message.reply_to else {}
    if address.thread_id is None:
        return {"m.relates_to": reply} if reply else {}
    fallback: dict[str, Json] = {"m.in_reply_to": {"event_id": address.thread_id}, "is_falling_back": True}
    thread: dict[str, Json] = {"rel_type": "m.thread", "event_id": address.thread_id}
    return {"m.relates_to": thread | (reply or fallback)}


def _when(event: Event) -> datetime:
    stamp = event.get("origin_server_ts")
    return instant(stamp if isinstance(stamp, int | float) else 0, per_second=1000)


def text_of(value: object) -> str:
    """Return `value` if it is a string, else an empty one; events may contain anything."""
    return value if isinstance(value, str) else ""
