"""Convert stanzas of XMPP multi-user chat to chat messages.

Source: XEP-0045, XEP-0461, XEP-0308, XEP-0421, XEP-0359, XEP-0424, XEP-0444, XEP-0066, XEP-0363.
"""

import re
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Final
from xml.etree.ElementTree import Element, SubElement

from msgspec import Struct, field

from bot.platforms.base import OutgoingMessage
from bot.platforms.kit.events import is_called
from bot.platforms.kit.markdown import Span, plain, spans_of
from services.kernel.bounded import BoundedDict
from services.kernel.chat import ChatAddress, ChatMessage, Incoming, MessageEdited, MessageWithdrawn, Person, Reaction

NAME: Final = "xmpp"
_STANZA_ID: Final = "{urn:xmpp:sid:0}stanza-id"
_ORIGIN_ID: Final = "{urn:xmpp:sid:0}origin-id"
_REPLY: Final = "{urn:xmpp:reply:0}reply"
_FALLBACK: Final = "{urn:xmpp:fallback:0}fallback"
_REPLACE: Final = "{urn:xmpp:message-correct:0}replace"
_RETRACT: Final = "{urn:xmpp:message-retract:1}retract"
_REACTIONS: Final = "{urn:xmpp:reactions:0}reactions"
_ONE_REACTION: Final = "{urn:xmpp:reactions:0}reaction"
_OUT_OF_BAND: Final = "{jabber:x:oob}x"
_OCCUPANT: Final = "{urn:xmpp:occupant-id:0}occupant-id"
_DELAY: Final = "{urn:xmpp:delay}delay"
_REMEMBERED: Final = 2_000
_UPLOAD: Final = "{urn:xmpp:http:upload:0}"
_UPLOAD_HEADERS: Final = frozenset({"authorization", "cookie", "expires"})
_WEB: Final = ("https://", "http://")
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


class Occupant(Struct, frozen=True, kw_only=True):
    """An occupant of a room, with the real address if the room shows it, and the lasting id that the room gives."""

    nick: str
    jid: str = ""
    occupant_id: str = ""
    is_moderator: bool = False

    @property
    def person(self) -> Person:
        """The person by address, by the room's id or, with a prefix, by the nickname, which anybody can choose."""
        hidden = f"occupant:{self.occupant_id}" if self.occupant_id else f"nick:{self.nick}"
        return Person(id=self.jid or hidden, name=self.nick, is_admin=self.is_moderator)


class UploadSlot(Struct, frozen=True, kw_only=True):
    """The address and the headers for the upload of a file, and its address for readers."""

    put: str
    headers: Mapping[str, str]
    get: str


class RecentMessages(Struct, frozen=True, kw_only=True):
    """The latest messages of others and of the bot, and their reactions.

    `own` are the bot's ids of its messages by the rooms' ids, `authors` the occupants by the rooms' ids of their
    messages, and `given_ids` the rooms' ids by `sender_key`: a correction names the id that the sender's client gave.
    """

    own: dict[str, str] = field(default_factory=lambda: BoundedDict(_REMEMBERED))
    authors: dict[str, str] = field(default_factory=lambda: BoundedDict(_REMEMBERED))
    given_ids: dict[str, str] = field(default_factory=lambda: BoundedDict(_REMEMBERED))
    _reactions: dict[str, frozenset[str]] = field(default_factory=lambda: BoundedDict(_REMEMBERED))

    def remember(self, stanza: Element) -> None:
        """Remember a message of an occupant."""
        self.authors[message_id(stanza)] = stanza.get("from", "")
        self.given_ids[sender_key(stanza, stanza.get("id", ""))] = message_id(stanza)

    def update_reactions(self, stanza: Element) -> tuple[str, frozenset[str], frozenset[str]] | None:
        """Return the message, the sender's earlier reactions and the new ones; None if nothing changed."""
        found = parse_reactions(stanza)
        if found is None:
            return None
        message, after = found
        key = f"{message} {stanza.get('from', '')}"
        before = self._reactions.get(key, frozenset())
        self._reactions[key] = after
        return message, before, after


class Room(Struct, frozen=True, kw_only=True):
    """A room, and the latest messages of all rooms.

    `missed_since` is the time until which the bot was present: repeated messages from later are new to it.
    """

    jid: str
    nick: str
    bot_name: str
    occupants: Mapping[str, Occupant] = field(default_factory=dict)
    recent: RecentMessages = field(default_factory=RecentMessages)
    missed_since: datetime | None = None


def to_incoming(stanza: Element, room: Room, *, now: datetime, fresh_id: str) -> Incoming | None:
    """Convert a groupchat `<message/>`; None for old messages, those of the bot, and stanzas without a text."""
    nick = stanza.get("from", "").partition("/")[2]
    body = _body(stanza)
    if not nick or nick == room.nick or not _is_new(stanza, room):
        return None
    address = ChatAddress(platform=NAME, chat_id=room.jid)
    retracted = stanza.find(_RETRACT)
    if retracted is not None:  # it may have a body too, for clients without retractions
        gone = retracted.get("id", "")
        is_own = room.recent.authors.get(gone) == stanza.get("from")  # only its sender can withdraw a message
        author = _sender(stanza, room, nick).person  # another person may have the nickname now
        return MessageWithdrawn(address=address, message_id=gone, at=now, by=author.id) if is_own else None
    if body is None:
        return None
    replaced = stanza.find(_REPLACE)
    if replaced is not None:
        corrected = room.recent.given_ids.get(sender_key(stanza, replaced.get("id", "")))
        if corrected is None:
            return None
        author = _sender(stanza, room, nick).person
        return MessageEdited(address=address, message_id=corrected, text=body, at=now, by=author.id)
    reply = stanza.find(_REPLY)
    reply_to = None if reply is None else reply.get("id")
    occupant = _sender(stanza, room, nick)
    text = body if reply is None else remove_quote(stanza, body)
    is_target = is_called(text, room.nick) or is_called(text, room.bot_name) or reply_to in room.recent.own
    return ChatMessage(
        id=message_id(stanza) or fresh_id,
        address=address,
        sender=occupant.person,
        text=text,
        sent_at=_stamp(stanza) or now,
        is_addressed=is_target,
        reply_to=reply_to,
        mentions=_find_mentions(text, room),
    )


def sender_key(stanza: Element, own_id: str) -> str:
    """Return the key of a message by its sender and the sender's own id; only the sender can correct it."""
    return f"{stanza.get('from', '')} {own_id}"


def parse_reactions(stanza: Element) -> tuple[str, frozenset[str]] | None:
    """Return the message that somebody reacts to, and all of their emoji under it from now on; None for no reaction."""
    found = stanza.find(_REACTIONS)
    if found is None or not found.get("id"):
        return None
    return found.get("id", ""), frozenset((each.text or "").strip() for each in found.findall(_ONE_REACTION)) - {""}


def to_reactions(
    stanza: Element, room: Room, message: str, before: Collection[str], after: Collection[str]
) -> tuple[Reaction, ...]:
    """Return the reactions that somebody added to `message` and withdrew."""
    nick = stanza.get("from", "").partition("/")[2]
    person = _sender(stanza, room, nick).person
    address = ChatAddress(platform=NAME, chat_id=room.jid)
    return tuple(
        Reaction(address=address, message_id=message, person=person, emoji=emoji, is_added=emoji in after)
        for emoji in sorted(set(before) ^ set(after))
    )


def _sender(stanza: Element, room: Room, nick: str) -> Occupant:
    return room.occupants.get(nick) or Occupant(nick=nick, occupant_id=occupant_id(stanza))


def occupant_id(stanza: Element) -> str:
    """Return the occupant id of the sender of `stanza`, which the sender can forge in rooms that give none."""
    return _attribute(stanza, _OCCUPANT)


def _is_new(stanza: Element, room: Room) -> bool:
    """Return whether a message is new to the bot: not repeated by the room, or from a time when the bot was absent."""
    if stanza.find(_DELAY) is None:
        return True
    stamp = _stamp(stanza)
    if stamp is None or room.missed_since is None or not message_id(stanza):
        return False
    return stamp >= room.missed_since


def _stamp(stanza: Element) -> datetime | None:
    """Return the original time of a repeated message. Source: XEP-0203."""
    delay = stanza.find(_DELAY)
    try:
        stamp = datetime.fromisoformat("" if delay is None else delay.get("stamp", ""))
    except ValueError:
        return None
    return stamp if stamp.tzinfo is not None else None


def private_message(stanza: Element, *, now: datetime, fresh_id: str) -> ChatMessage | None:
    """Return the message that a `<message type="chat"/>` from somebody's own address is; None where it has no text.

    One that the server kept while the bot was away has the time at which it was sent. Source: XEP-0160.
    """
    jid, body = stanza.get("from", "").partition("/")[0], _body(stanza)
    if not jid or not body:
        return None
    return ChatMessage(
        id=stanza.get("id") or fresh_id,
        address=ChatAddress(platform=NAME, chat_id=jid),
        sender=Person(id=jid, name=jid.partition("@")[0]),
        text=body,
        sent_at=min(_stamp(stanza) or now, now),
        is_addressed=True,
        is_private=True,
    )


def message_id(stanza: Element) -> str:
    """Return the id of a message: the room's, else the sender's."""
    room = stanza.get("from", "").partition("/")[0]
    for each in stanza.findall(_STANZA_ID):
        if each.get("by") == room and each.get("id"):
            return each.get("id", "")
    return _attribute(stanza, _ORIGIN_ID) or stanza.get("id", "")


def refusal(stanza: Element) -> str:
    """Return the conditions that an error stanza names. Source: RFC 6120 section 8.3."""
    conditions = [each.tag.rpartition("}")[2] for error in stanza.iter() for each in error if "stanzas" in each.tag]
    return ", ".join(conditions) or "refused"


def remove_quote(stanza: Element, body: str) -> str:
    """Remove the part of `body` that quotes the message for clients without replies. Source: XEP-0428."""
    for fallback in stanza.findall(_FALLBACK):
        part = next((each for each in fallback if each.tag.endswith("}body")), None)
        if part is None:
            continue
        try:
            start, end = int(part.get("start", "0")), int(part.get("end", "0"))
        except ValueError:
            continue
        return (body[:start] + body[end:]).strip()
    return body


def _body(stanza: Element) -> str | None:
    for child in stanza:
        if child.tag.rpartition("}")[2] == "body" and child.text:
            return child.text
    return None


def _attribute(stanza: Element, tag: str) -> str:
    found = stanza.find(tag)
    return "" if found is None else found.get("id", "")


def _find_mentions(text: str, room: Room) -> tuple[Person, ...]:
    """Return the people whose nicknames are in the text after an @, or at its beginning before a colon or comma."""
    found = (
        occupant.person
        for nick, occupant in room.occupants.items()
        if nick != room.nick and re.search(rf"@{re.escape(nick)}(?!\w)|\A{re.escape(nick)}[:,：，]", text) is not None
    )
    return tuple(found)


def text_of(message: OutgoingMessage, piece: str) -> str:
    """Return `piece` of `message` in XMPP's own styling. Source: XEP-0393."""
    return _CONTROLS.sub("", plain([_render_style(span) for span in spans_of(message, piece)]))


def _render_style(span: Span) -> Span:
    if span.kind == "block":
        return Span(text=f"```\n{span.text}\n```")
    return span


def add_file(stanza: Element, address: str) -> None:
    """Mark a message as the file at `address`, so that clients show it. Source: XEP-0066."""
    SubElement(SubElement(stanza, _OUT_OF_BAND), f"{_OUT_OF_BAND[:-1]}url").text = address


def upload_slot(answer: Element) -> UploadSlot | None:
    """Return the slot in `answer`, None where an address is not of the web. It keeps only the headers of XEP-0363."""
    put, get = (next(answer.iter(f"{_UPLOAD}{name}"), Element(name)) for name in ("put", "get"))
    addresses = [each.get("url", "") for each in (put, get)]
    if not all(each.startswith(_WEB) for each in addresses):
        return None
    given = ((each.get("name", ""), each.text or "") for each in put.iter(f"{_UPLOAD}header"))
    headers = {name: re.sub(r"[\r\n]", "", value) for name, value in given if name.lower() in _UPLOAD_HEADERS}
    return UploadSlot(put=addresses[0], headers=headers, get=addresses[1])


def add_reply(stanza: Element, message_id_of: str, author: str) -> None:
    """Make a message a reply. Source: XEP-0461."""
    reply = SubElement(stanza, _REPLY)
    reply.set("id", message_id_of)
    if author:
        reply.set("to", author)


def add_replacement(stanza: Element, replaced: str) -> None:
    """Make a message the correction of another one. Source: XEP-0308."""
    SubElement(stanza, _REPLACE).set("id", replaced)
