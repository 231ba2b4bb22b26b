"""Build the bodies of Feishu's requests: posts of text, links and mentions.

Source: https://open.feishu.cn/document/server-docs/im-v1/message-content-description/create_json
"""

import hashlib
import json
import re
from typing import Final

from msgspec.structs import replace

from bot.platforms.base import OutgoingMessage
from bot.platforms.kit.markdown import Span, spans_of
from bot.platforms.kit.pieces import pieces
from services.kernel.chat import ChatAddress, SentFile

MAX_LENGTH: Final = 5000
"""Characters of one message; Feishu allows a post of 30 kB."""

_MAX_KEY = 50

MAX_FILE_KILOBYTES: Final = 30_000
"""The largest file; pictures may have a third of that."""

_MAX_PICTURE_BYTES = 10_000_000
_PICTURES = {"image/jpeg", "image/png", "image/webp", "image/gif", "image/bmp"}
_MAX_BUTTONS = 12
# Marks of the Markdown of cards are written as numeric entities.
# Source: https://open.feishu.cn/document/uAjLw4CM/ukzMukzMukzM/feishu-cards/card-components/content-components/rich-text
_MARKS: Final = re.compile(r"[&<>*_~`#\[\]()!+|\\:$-]")


def messages(address: ChatAddress, message: OutgoingMessage) -> list[tuple[str, dict[str, object]]]:
    """Return the path and the body of each piece of the text; where there are buttons, the last piece is a card."""
    parts = pieces(message.text, MAX_LENGTH, people=message.mentions)
    bodies = [_post_body(message, part) for part in parts]
    if bodies and message.choices:
        words = "".join(_in_card(span) for span in spans_of(message, parts[-1])).strip()
        bodies[-1] = _interactive([{"tag": "markdown", "content": words}, _actions(address, message)])
    return [_with_path(address, message, body, number) for number, body in enumerate(bodies)]


def edit_body(message: OutgoingMessage) -> dict[str, object]:
    """Return the body that edits a post to `message`; text beyond the limit is left out."""
    return _post_body(message, pieces(message.text, MAX_LENGTH, people=message.mentions)[0])


def file_request(
    address: ChatAddress, message: OutgoingMessage, key: str, number: int
) -> tuple[str, dict[str, object]]:
    """Return the path and the body for the file number `number` of `message`, uploaded as `key`."""
    kind = "image" if is_picture(message.files[number]) else "file"
    body: dict[str, object] = {"msg_type": kind, "content": json.dumps({f"{kind}_key": key})}
    return _with_path(address, replace(message, reply_to=None), body, f"file {number}")


def is_picture(file: SentFile) -> bool:
    """Return whether Feishu shows `file` as a picture."""
    return file.media_type in _PICTURES and len(file.content) <= _MAX_PICTURE_BYTES


def _with_path(
    address: ChatAddress, message: OutgoingMessage, body: dict[str, object], number: int | str
) -> tuple[str, dict[str, object]]:
    """Return the path for a body, and the body with its idempotency key."""
    if message.idempotency_key is not None:
        body["uuid"] = hashlib.sha256(f"{message.idempotency_key}/{number}".encode()).hexdigest()[:_MAX_KEY]
    if address.thread_id is not None:
        return reply_path(address.thread_id), {**body, "reply_in_thread": True}
    if number == 0 and message.reply_to is not None and message.reply_to.startswith("om_"):
        return reply_path(message.reply_to), body
    return "/open-apis/im/v1/messages?receive_id_type=chat_id", {**body, "receive_id": address.chat_id}


def _post_body(message: OutgoingMessage, part: str) -> dict[str, object]:
    return {"msg_type": "post", "content": json.dumps(_post(message, part), ensure_ascii=False)}


def buttons_under(address: ChatAddress, message_id: str, message: OutgoingMessage) -> tuple[str, dict[str, object]]:
    """Return the path and the body of a card with only the buttons of `message`, for an edited post."""
    return _with_path(address, replace(message, reply_to=message_id), _interactive([_actions(address, message)]), 0)


def _interactive(elements: list[dict[str, object]]) -> dict[str, object]:
    """Return a card. Source: https://open.feishu.cn/document/uAjLw4CM/ukzMukzMukzM/feishu-cards/card-json-structure."""
    return {"msg_type": "interactive", "content": json.dumps({"elements": elements}, ensure_ascii=False)}


def _actions(address: ChatAddress, message: OutgoingMessage) -> dict[str, object]:
    """Return a button for each choice, with its text as the value."""
    thread = {} if address.thread_id is None else {"thread": address.thread_id}
    buttons = [
        {
            "tag": "button",
            "text": {"tag": "plain_text", "content": choice.label},
            "value": {"says": choice.says, **thread},
        }
        for choice in message.choices[:_MAX_BUTTONS]
    ]
    return {"tag": "action", "layout": "flow", "actions": buttons}


def _in_card(span: Span) -> str:
    if span.kind == "everyone":
        return "<at id=all></at>"
    if span.kind == "mention" and span.person is not None:
        return f"<at id={span.person.id}></at>"
    if span.kind == "block":
        return f"\n```{span.language}\n{span.text}\n```\n"
    text = _MARKS.sub(lambda mark: f"&#{ord(mark[0])};", span.text)
    if span.kind == "link":
        return f"[{text}]({span.url})"
    text = f"*{text}*" if span.is_italic else text
    return f"**{text}**" if span.is_bold else text


def reply_path(message_id: str) -> str:
    """Return where replies to a message are posted."""
    return f"/open-apis/im/v1/messages/{message_id}/reply"


def _post(message: OutgoingMessage, part: str) -> dict[str, object]:
    """Return the content of a post; Feishu shows it to readers of all languages."""
    paragraphs: list[list[dict[str, object]]] = [[]]
    for span in spans_of(message, part):
        if span.kind == "block":
            paragraphs += [[{"tag": "code_block", "language": span.language.upper(), "text": span.text}], []]
            continue
        first, *rest = span.text.split("\n") if span.kind == "text" else [span.text]
        paragraphs[-1] += _elements(span, first)
        paragraphs += [_elements(span, line) for line in rest]
    return {"zh_cn": {"content": [paragraph for paragraph in paragraphs if paragraph] or [[]]}}


def _elements(span: Span, text: str) -> list[dict[str, object]]:
    if span.kind == "everyone":
        return [{"tag": "at", "user_id": "all"}]
    if span.kind == "mention" and span.person is not None:
        return [{"tag": "at", "user_id": span.person.id}]
    if not text:
        return []
    if span.kind == "link":
        return [{"tag": "a", "text": text, "href": span.url}]
    style = [name for name, is_on in (("bold", span.is_bold), ("italic", span.is_italic)) if is_on]
    return [{"tag": "text", "text": text, **({"style": style} if style else {})}]
