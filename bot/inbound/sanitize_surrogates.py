"""Replace lone surrogates in incoming text, which can be neither stored nor sent."""

import re
from typing import Final, TypeVar

from msgspec.structs import replace

from services.kernel.chat import ChatMessage, MessageEdited, Person

_HALF: Final = re.compile("[\ud800-\udfff]")
_UNREADABLE: Final = "\N{REPLACEMENT CHARACTER}"

M = TypeVar("M")


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates in `text`, which JSON of a cut text can contain, with U+FFFD."""
    return text if text.isascii() else _HALF.sub(_UNREADABLE, text)


def sanitize_surrogates(incoming: M) -> M:
    """Replace lone surrogates in the text, names and file descriptions of `incoming`."""
    if isinstance(incoming, MessageEdited):
        return replace(incoming, text=replace_surrogates(incoming.text))
    if not isinstance(incoming, ChatMessage) or _is_whole(incoming):
        return incoming
    return replace(
        incoming,
        text=replace_surrogates(incoming.text),
        sender=_named(incoming.sender),
        mentions=tuple(_named(person) for person in incoming.mentions),
        attachments=tuple(
            replace(each, description=replace_surrogates(each.description)) for each in incoming.attachments
        ),
    )


def _is_whole(message: ChatMessage) -> bool:
    words = [message.text, message.sender.name]
    words += [person.name for person in message.mentions]
    words += [each.description for each in message.attachments]
    return all(text.isascii() or _HALF.search(text) is None for text in words)


def _named(person: Person) -> Person:
    return replace(person, name=replace_surrogates(person.name))
