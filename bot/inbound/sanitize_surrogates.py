"""Replace lone surrogates in incoming text, which can be neither stored nor sent."""

import re
from typing import Final, TypeVar

from msgspec.structs import replace

from services.kernel.chat import ChatMessage, MessageEdited, Person

_HALF: Final = re.compile("[\ud800-\udfff]")
_UNREADABLE: Final = "\N{REPLACEMENT CHARACTER}"

M = TypeVar("M")


def whole(text: str) -> str:
    """`text` with a mark where half a surrogate pair is, as JSON can bring it when others cut a text in two."""
    return text if text.isascii() else _HALF.sub(_UNREADABLE, text)


def mended(incoming: M) -> M:
    """`incoming` with whole characters only: the words of a message, the names of people, the titles of files."""
    if isinstance(incoming, MessageEdited):
        return replace(incoming, text=whole(incoming.text))
    if not isinstance(incoming, ChatMessage) or _is_whole(incoming):
        return incoming
    return replace(
        incoming,
        text=whole(incoming.text),
        sender=_named(incoming.sender),
        mentions=tuple(_named(person) for person in incoming.mentions),
        attachments=tuple(replace(each, description=whole(each.description)) for each in incoming.attachments),
    )


def _is_whole(message: ChatMessage) -> bool:
    words = [message.text, message.sender.name]
    words += [person.name for person in message.mentions]
    words += [each.description for each in message.attachments]
    return all(text.isascii() or _HALF.search(text) is None for text in words)


def _named(person: Person) -> Person:
    return replace(person, name=whole(person.name))
