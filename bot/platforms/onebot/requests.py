"""Build actions of OneBot v11 from messages, always as segments so that no text is read as a CQ code."""

import base64
from typing import Final

from bot.platforms.base import OutgoingMessage
from bot.platforms.kit.markdown import Span, plain_span, spans_of
from bot.platforms.kit.pieces import pieces
from bot.platforms.onebot.wire import recipient
from services.kernel.chat import ChatAddress, SentFile

MAX_LENGTH: Final = 3000
"""Characters of one message; QQ refuses longer ones at a length that it does not publish."""

MAX_FILE_KILOBYTES: Final = 10_000
"""The largest picture."""

_PICTURES = {"image/jpeg", "image/png", "image/gif", "image/webp", "image/bmp"}


def messages(address: ChatAddress, message: OutgoingMessage) -> list[dict[str, object]]:
    """Return the parameters of `send_msg`, one set for each piece of the text."""
    parts = pieces(message.text, MAX_LENGTH, people=message.mentions)
    requests = []
    for number, part in enumerate(parts):
        segments = _segments(spans_of(message, part))
        if number == 0 and message.reply_to is not None and message.reply_to.lstrip("-").isdecimal():
            segments.insert(0, {"type": "reply", "data": {"id": message.reply_to}})
        requests.append({**recipient(address), "message": segments})
    return requests


def pictures(address: ChatAddress, message: OutgoingMessage) -> list[dict[str, object]]:
    """Return the parameters of `send_msg` for each picture of `message`."""
    shown = [file for file in message.files if is_picture(file)]
    data = [{"file": f"base64://{base64.b64encode(each.content).decode()}", "name": each.name} for each in shown]
    return [{**recipient(address), "message": [{"type": "image", "data": each}]} for each in data]


def is_picture(file: SentFile) -> bool:
    """Return whether QQ shows `file`; the standard has no way to send other files."""
    return file.media_type in _PICTURES


def _segments(spans: tuple[Span, ...]) -> list[dict[str, object]]:
    """Return a segment for each mention, and segments with the plain text between them."""
    found: list[dict[str, object]] = []
    text = ""
    for span in spans:
        account = _number(span)
        if account is None:
            text += plain_span(span)
            continue
        found += [*_text(text if found else text.lstrip("\n")), {"type": "at", "data": {"qq": account}}]
        text = ""
    return found + _text(text.rstrip("\n") if found else text.strip("\n"))


def _number(span: Span) -> str | None:
    if span.kind == "everyone":
        return "all"
    is_account = span.kind == "mention" and span.person is not None and span.person.id.isdecimal()
    return span.person.id if is_account and span.person is not None else None


def _text(text: str) -> list[dict[str, object]]:
    return [{"type": "text", "data": {"text": text}}] if text else []
