"""Build the bodies of Discord's REST requests.

Source: https://discord.com/developers/docs/resources/message#create-message
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Final

from bot.platforms.base import Choice, Command, CommandOption, OptionKind, OutgoingMessage
from bot.platforms.discord.wire import BUTTON
from bot.platforms.kit.markdown import Span, spans_of
from bot.platforms.kit.pieces import pieces
from services.kernel.chat import ChatAddress

MAX_LENGTH: Final = 2000
"""Characters of one message, marks included."""

MAX_FILE_KILOBYTES: Final = 10_000
"""The largest file that Discord takes in a guild without boosts."""

MAX_FILES: Final = 10
"""Files of one message."""

_MAX_COMMANDS = 100
_MAX_OPTIONS = 25
_MAX_DESCRIPTION = 100
_MAX_CHOICE = 100
_KINDS: Final[Mapping[OptionKind, int]] = {"text": 3, "integer": 4, "boolean": 5, "number": 10}
_MAX_BUTTON_CHARACTERS = 100
_BUTTONS_PER_ROW = 5
_ROWS = 5
_MARKS: Final = re.compile(r"([\\*_~`|<>])|(?m:^)([#-])(?=\s)")
_REPLY, _DONE = 4, 6


def channel_of(address: ChatAddress) -> str:
    """Return where to send: a thread is a channel of its own."""
    return address.thread_id or address.chat_id


def messages(message: OutgoingMessage) -> list[dict[str, object]]:
    """Return the bodies of "create message", one for each piece of the text."""
    parts = pieces(message.text, MAX_LENGTH, measure=lambda part: len(_content(message, part)), people=message.mentions)
    if not parts and message.files:
        parts = [""]
    bodies = [_body(message, part) for part in parts]
    if bodies and message.reply_to is not None and message.reply_to.isdecimal():
        bodies[0]["message_reference"] = {"message_id": message.reply_to, "fail_if_not_exists": False}
    if bodies and message.choices:
        bodies[-1]["components"] = _rows(message.choices)
    for number, body in enumerate(bodies):
        if message.idempotency_key is not None:
            body |= {"nonce": nonce(f"{message.idempotency_key}/{number}"), "enforce_nonce": True}
    return bodies


def edit_body(message: OutgoingMessage) -> dict[str, object]:
    """Return the body of "edit message"; what does not fit is left out."""
    return {**messages(message)[0], "components": _rows(message.choices)}


def nonce(key: str) -> str:
    """Return a key in the 25 characters that Discord allows."""
    return hashlib.sha256(key.encode()).hexdigest()[:25]


def commands(offered: Sequence[Command]) -> list[dict[str, object]]:
    """Return the slash commands of the bot, as many as Discord takes."""
    return [_command(command) for command in offered[:_MAX_COMMANDS]]


def acknowledgement(kind: int, words: str) -> dict[str, object]:
    """Build the response that Discord requires within three seconds: repeat a command, acknowledge a button."""
    if kind == BUTTON:
        return {"type": _DONE}
    return {"type": _REPLY, "data": {"content": _escape(words)[:MAX_LENGTH], "allowed_mentions": {"parse": []}}}


def _command(command: Command) -> dict[str, object]:
    body: dict[str, object] = {"name": command.name, "type": 1, **_descriptions(command.english, command.chinese)}
    options = [_option(option) for option in command.options[:_MAX_OPTIONS]]
    return {**body, "options": options} if options else body


def _option(option: CommandOption) -> dict[str, object]:
    described = _descriptions(option.english, option.chinese)
    body = {"type": _KINDS[option.kind], "name": option.name, "required": option.is_required, **described}
    # With more or longer choices than Discord takes, any text can be entered.
    if 0 < len(option.choices) <= _MAX_OPTIONS and all(0 < len(each) <= _MAX_CHOICE for each in option.choices):
        body["choices"] = [{"name": each, "value": each} for each in option.choices]
    if option.kind in {"integer", "number"}:
        bounds = {"min_value": option.minimum, "max_value": option.maximum}
        body |= {name: bound for name, bound in bounds.items() if bound is not None}
    return body


def _descriptions(english: str, chinese: str) -> dict[str, object]:
    localised = {"zh-CN": chinese[:_MAX_DESCRIPTION]}
    return {"description": english[:_MAX_DESCRIPTION], "description_localizations": localised}


def _body(message: OutgoingMessage, part: str) -> dict[str, object]:
    people = [person.id for person in message.mentions if person.id.isdecimal()]
    allowed: dict[str, object] = {"parse": ["everyone"] if message.mentions_everyone else [], "users": people[:100]}
    return {"content": _content(message, part), "allowed_mentions": {**allowed, "replied_user": True}, "flags": 4}


def _content(message: OutgoingMessage, part: str) -> str:
    return "".join(_render_span(span) for span in spans_of(message, part))


def _render_span(span: Span) -> str:
    if span.kind == "mention" and span.person is not None and span.person.id.isdecimal():
        return f"<@{span.person.id}>"
    if span.kind == "everyone":
        return "@everyone"
    if span.kind == "code":
        return f"`{span.text}`"
    if span.kind == "block":
        return f"```{span.language}\n{span.text}\n```\n"
    text = _escape(span.text)
    if span.kind == "link":
        text = span.url if span.text == span.url else f"[{text}]({span.url})"
    text = f"*{text}*" if span.is_italic else text
    return f"**{text}**" if span.is_bold else text


def _escape(text: str) -> str:
    return _MARKS.sub(lambda mark: f"\\{mark[0]}", text)


def _rows(choices: Sequence[Choice]) -> list[dict[str, object]]:
    buttons = [
        {"type": 2, "style": 2, "label": choice.label[:80], "custom_id": choice.says}
        for choice in choices
        if len(choice.says) <= _MAX_BUTTON_CHARACTERS
    ]
    rows = [buttons[start : start + _BUTTONS_PER_ROW] for start in range(0, len(buttons), _BUTTONS_PER_ROW)]
    return [{"type": 1, "components": row} for row in rows[:_ROWS]]
