"""Build the requests of Telegram's Bot API."""

from collections.abc import Sequence
from html import escape
from typing import Final

from bot.platforms.base import Choice, Command, OutgoingMessage
from bot.platforms.kit.events import number_of
from bot.platforms.kit.markdown import Span, render_html, spans_of
from bot.platforms.kit.pieces import pieces
from services.kernel.chat import ChatAddress, SentFile

MAX_LENGTH: Final = 4096
"""UTF-16 code units that one message may have, marks left out."""

MAX_FILE_KILOBYTES: Final = 50_000
"""The largest file that a bot may send."""

_MAX_PHOTO_BYTES = 10_000_000
_PHOTOS = {"image/jpeg", "image/png", "image/webp"}
_MAX_COMMANDS = 100
_MAX_BUTTON_BYTES = 64
_BUTTONS_PER_ROW = 3


def units(text: str) -> int:
    """Return the length of `text` as Telegram counts it."""
    return len(text.encode("utf-16-le")) // 2


def messages(address: ChatAddress, message: OutgoingMessage) -> list[dict[str, object]]:
    """Return the parameters of `sendMessage`, one set for each piece of the text."""
    parts = pieces(message.text, MAX_LENGTH, measure=units, people=message.mentions)
    requests = [_message(address, message, part) for part in parts]
    if requests and message.reply_to is not None and message.reply_to.isdecimal():
        requests[0]["reply_parameters"] = {
            "message_id": int(message.reply_to),
            "allow_sending_without_reply": True,
        }
    if requests and (keyboard := _keyboard(message.choices)):
        requests[-1]["reply_markup"] = {"inline_keyboard": keyboard}
    return requests


def edit_body(address: ChatAddress, message_id: str, message: OutgoingMessage) -> dict[str, object]:
    """Return the parameters of `editMessageText`; text beyond the limit is left out."""
    first = pieces(message.text, MAX_LENGTH, measure=units, people=message.mentions)[0]
    request = _message(address, message, first)
    request.pop("message_thread_id", None)
    if keyboard := _keyboard(message.choices):
        request["reply_markup"] = {"inline_keyboard": keyboard}
    return {**request, "message_id": int(message_id)}


def is_photo(file: SentFile) -> bool:
    """Return whether Telegram may show `file` as a picture."""
    return file.media_type in _PHOTOS and len(file.content) <= _MAX_PHOTO_BYTES


def commands(offered: Sequence[Command], *, chinese: bool) -> list[dict[str, str]]:
    """Return the menu of commands in one language, up to the limit of Telegram."""
    return [
        {"command": each.name, "description": each.chinese if chinese else each.english}
        for each in offered[:_MAX_COMMANDS]
    ]


def link(address: ChatAddress, message_id: str) -> str | None:
    """Return the address of a message; only supergroups have them."""
    if not address.chat_id.startswith("-100") or not message_id.isdecimal():
        return None
    return f"https://t.me/c/{address.chat_id.removeprefix('-100')}/{message_id}"


def _message(address: ChatAddress, message: OutgoingMessage, part: str) -> dict[str, object]:
    request: dict[str, object] = {
        "chat_id": number_of(address),
        "text": render_html(spans_of(message, part), _special),
        "parse_mode": "HTML",
        "link_preview_options": {"is_disabled": True},
    }
    if address.thread_id is not None:
        request["message_thread_id"] = int(address.thread_id)
    return request


def _special(span: Span) -> str:
    """Return a mention by the number of the account; one without a number is plain text."""
    shown = escape(span.text, quote=False)
    if span.person is None or not span.person.id.lstrip("-").isdecimal():
        return shown
    return f'<a href="tg://user?id={span.person.id}">{shown}</a>'


def _keyboard(choices: tuple[Choice, ...]) -> list[list[dict[str, str]]]:
    """Return rows of buttons, without those whose text is longer than Telegram allows."""
    buttons = [
        {"text": choice.label, "callback_data": choice.says}
        for choice in choices
        if len(choice.says.encode()) <= _MAX_BUTTON_BYTES
    ]
    return [buttons[start : start + _BUTTONS_PER_ROW] for start in range(0, len(buttons), _BUTTONS_PER_ROW)]
