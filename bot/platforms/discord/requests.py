"""What the bot says, as bodies of Discord's REST requests.

Source: https://discord.com/developers/docs/resources/message#create-message
"""

import hashlib
import re
from collections.abc import Sequence
from typing import Final

from bot.platform import Choice, OutgoingMessage
from bot.platform_kit.command_menu import MENU, Command
from bot.platform_kit.markdown import Span, spans_of
from bot.platform_kit.pieces import pieces
from bot.platforms.discord.wire import BUTTON
from services.chat import ChatAddress

MAX_LENGTH: Final = 2000
"""Characters of one message, marks included."""

_MAX_BUTTON_CHARACTERS = 100
_BUTTONS_PER_ROW = 5
_ROWS = 5
_MARKS: Final = re.compile(r"([\\*_~`|<>])|(?m:^)([#-])(?=\s)")
_REPLY, _DONE = 4, 6


def channel_of(address: ChatAddress) -> str:
    """Where to send: a thread is a channel of its own."""
    return address.thread_id or address.chat_id


def messages(message: OutgoingMessage) -> list[dict[str, object]]:
    """The bodies of "create message", one for each piece of the text."""
    parts = pieces(message.text, MAX_LENGTH, measure=lambda part: _length(message, part), people=message.mentions)
    bodies = [_body(message, part) for part in parts]
    if bodies and message.reply_to is not None and message.reply_to.isdigit():
        bodies[0]["message_reference"] = {"message_id": message.reply_to, "fail_if_not_exists": False}
    if bodies and message.choices:
        bodies[-1]["components"] = _rows(message.choices)
    for number, body in enumerate(bodies):
        if message.idempotency_key is not None:
            body |= {"nonce": nonce(f"{message.idempotency_key}/{number}"), "enforce_nonce": True}
    return bodies


def edited(message: OutgoingMessage) -> dict[str, object]:
    """The body of "edit message"; what does not fit is left out."""
    return {**messages(message)[0], "components": _rows(message.choices)}


def nonce(key: str) -> str:
    """A key in the 25 characters that Discord allows."""
    return hashlib.sha256(key.encode()).hexdigest()[:25]


def commands() -> list[dict[str, object]]:
    """The slash commands of the bot."""
    return [_command(command) for command in MENU]


def acknowledged(kind: int, words: str) -> dict[str, object]:
    """The answer that Discord wants within three seconds: a command is repeated for all to see, a button is done."""
    if kind == BUTTON:
        return {"type": _DONE}
    return {"type": _REPLY, "data": {"content": _escaped(words)[:MAX_LENGTH], "allowed_mentions": {"parse": []}}}


def _command(command: Command) -> dict[str, object]:
    body: dict[str, object] = {
        "name": command.name,
        "type": 1,
        "description": command.english,
        "description_localizations": {"zh-CN": command.chinese},
    }
    if command.argument_english:
        body["options"] = [
            {
                "type": 3,
                "name": "text",
                "description": command.argument_english,
                "description_localizations": {"zh-CN": command.argument_chinese},
                "required": command.name in {"remind", "search"},
            }
        ]
    return body


def _body(message: OutgoingMessage, part: str) -> dict[str, object]:
    people = [person.id for person in message.mentions if person.id.isdigit()]
    allowed: dict[str, object] = {"parse": ["everyone"] if message.mentions_everyone else [], "users": people[:100]}
    return {"content": _content(message, part), "allowed_mentions": {**allowed, "replied_user": True}, "flags": 4}


def _content(message: OutgoingMessage, part: str) -> str:
    return "".join(_written(span) for span in spans_of(message, part))


def _length(message: OutgoingMessage, part: str) -> int:
    """The length of the content, mentions and escapes included."""
    return len(_content(message, part))


def _written(span: Span) -> str:
    if span.kind == "mention" and span.person is not None and span.person.id.isdigit():
        return f"<@{span.person.id}>"
    if span.kind == "everyone":
        return "@everyone"
    if span.kind == "code":
        return f"`{span.text}`"
    if span.kind == "block":
        return f"```{span.language}\n{span.text}\n```\n"
    text = _escaped(span.text)
    if span.kind == "link":
        text = span.url if span.text == span.url else f"[{text}]({span.url})"
    text = f"*{text}*" if span.is_italic else text
    return f"**{text}**" if span.is_bold else text


def _escaped(text: str) -> str:
    return _MARKS.sub(lambda mark: f"\\{mark[0]}", text)


def _rows(choices: Sequence[Choice]) -> list[dict[str, object]]:
    buttons = [
        {"type": 2, "style": 2, "label": choice.label[:80], "custom_id": choice.says}
        for choice in choices
        if len(choice.says) <= _MAX_BUTTON_CHARACTERS
    ]
    rows = [buttons[start : start + _BUTTONS_PER_ROW] for start in range(0, len(buttons), _BUTTONS_PER_ROW)]
    return [{"type": 1, "components": row} for row in rows[:_ROWS]]
