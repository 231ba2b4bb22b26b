"""Build Slack messages as rich text blocks, in which text is never read as markup.

Source: https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
"""

from collections.abc import Sequence
from html import escape
from typing import Final

from bot.platforms.base import Choice, OutgoingMessage
from bot.platforms.kit.markdown import Span, plain, spans_of
from bot.platforms.kit.pieces import pieces
from services.kernel.chat import ChatAddress

MAX_LENGTH: Final = 3000
"""Characters of one message: the limit of the texts of Slack's blocks."""

MAX_FILE_KILOBYTES: Final = 100_000
"""The largest file; Slack itself takes up to a gigabyte."""

_MAX_BUTTONS = 25
_MAX_LABEL = 75


def messages(address: ChatAddress, message: OutgoingMessage) -> list[dict[str, object]]:
    """Return the parameters of `chat.postMessage`, or of `chat.postEphemeral` where they name a user."""
    parts = pieces(message.text, MAX_LENGTH, people=message.mentions)
    place = {"channel": address.chat_id}
    if address.thread_id is not None:
        place["thread_ts"] = address.thread_id
    if message.private_to is not None:
        place["user"] = message.private_to.id
    return [
        {**place, **_text_and_blocks(message, part, message.choices if number == len(parts) else ())}
        for number, part in enumerate(parts, start=1)
    ]


def edit_body(address: ChatAddress, message_id: str, message: OutgoingMessage) -> dict[str, object]:
    """Return the parameters of `chat.update`; text beyond the limit is left out."""
    part, *_ = [*pieces(message.text, MAX_LENGTH, people=message.mentions), ""]
    return {"channel": address.chat_id, "ts": message_id, **_text_and_blocks(message, part, message.choices)}


def _text_and_blocks(message: OutgoingMessage, part: str, choices: Sequence[Choice]) -> dict[str, object]:
    """Return the blocks of a piece with buttons for `choices`, and the text that notifications show."""
    spans = spans_of(message, part)
    return {
        "text": escape(plain(spans), quote=False),
        "blocks": [*_blocks(message, part), *([_buttons(choices)] if choices else [])],
        "unfurl_links": False,
        "unfurl_media": False,
    }


def _blocks(message: OutgoingMessage, part: str) -> list[dict[str, object]]:
    sections: list[dict[str, object]] = []
    line: list[dict[str, object]] = []
    for span in spans_of(message, part):
        if span.kind == "block":
            code: dict[str, object] = {
                "type": "rich_text_preformatted",
                "elements": [{"type": "text", "text": span.text}],
            }
            sections += [*_section(line), code]
            line = []
        else:
            line.append(_element(span))
    return [{"type": "rich_text", "elements": [*sections, *_section(line)]}]


def _section(line: Sequence[dict[str, object]]) -> list[dict[str, object]]:
    return [{"type": "rich_text_section", "elements": list(line)}] if line else []


def _element(span: Span) -> dict[str, object]:
    if span.kind == "mention" and span.person is not None:
        return {"type": "user", "user_id": span.person.id}
    if span.kind == "everyone":
        return {"type": "broadcast", "range": "channel"}
    marks = {"bold": span.is_bold, "italic": span.is_italic, "code": span.kind == "code"}
    style = {name: True for name, is_on in marks.items() if is_on}
    element: dict[str, object] = {"type": "text", "text": span.text}
    if span.kind == "link":
        element = {"type": "link", "url": span.url, "text": span.text}
    return {**element, "style": style} if style else element


def _buttons(choices: Sequence[Choice]) -> dict[str, object]:
    return {
        "type": "actions",
        "elements": [
            {
                "type": "button",
                "action_id": f"say-{number}",
                "text": {"type": "plain_text", "text": choice.label[:_MAX_LABEL]},
                "value": choice.says,
            }
            for number, choice in enumerate(choices[:_MAX_BUTTONS])
        ],
    }
