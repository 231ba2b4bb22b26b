"""Parse message segments and CQ codes, the two message formats of OneBot.

Source: https://github.com/botuniverse/onebot-11/blob/master/message/README.md
"""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

_CODE = re.compile(r"\[CQ:([A-Za-z0-9_.-]+)((?:,[^\]]*)?)\]")


class Segment(Struct, frozen=True, kw_only=True):
    """One part of a message: its type, and its data as text."""

    type: str
    data: Mapping[str, str] = field(default_factory=dict)


def segments_of(message: object) -> list[Segment]:
    """Return the parts of a received message, whichever way it is written."""
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
        found.append(Segment(type=code[1], data={name: unescaped(value) for name, _, value in pairs}))
        end = code.end()
    return found + _text(written[end:])


def _text(written: str) -> list[Segment]:
    return [Segment(type="text", data={"text": unescaped(written)})] if written else []


def unescaped(written: str) -> str:
    """Return a text without the escapes of CQ codes; the ampersand comes last."""
    return written.replace("&#91;", "[").replace("&#93;", "]").replace("&#44;", ",").replace("&amp;", "&")
