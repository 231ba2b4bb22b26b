"""What the bot says, as bodies of Feishu's requests: posts, whose parts are text, links and mentions.

Source: https://open.feishu.cn/document/server-docs/im-v1/message-content-description/create_json
"""

import hashlib
import json
from typing import Final

from bot.platform import OutgoingMessage
from bot.platform_kit.markdown import Span, spans_of
from bot.platform_kit.pieces import pieces
from services.chat import ChatAddress

MAX_LENGTH: Final = 5000
"""Characters of one message; Feishu allows a post of 30 kB."""

_MAX_KEY = 50

# Feishu knows emoji by name. Source: https://open.feishu.cn/document/server-docs/im-v1/message-reaction/emojis-introduce
REACTIONS: Final = {
    "👍": "THUMBSUP",
    "✅": "DONE",
    "❤️": "HEART",
    "🎉": "PARTY",
    "👀": "GLANCE",
    "🙏": "THANKS",
    "👌": "OK",
}


def messages(address: ChatAddress, message: OutgoingMessage) -> list[tuple[str, dict[str, object]]]:
    """The path and the body of each piece of the text."""
    parts = pieces(message.text, MAX_LENGTH, people=message.mentions)
    return [_message(address, message, part, number) for number, part in enumerate(parts)]


def _message(address: ChatAddress, message: OutgoingMessage, part: str, number: int) -> tuple[str, dict[str, object]]:
    body: dict[str, object] = {"msg_type": "post", "content": json.dumps(_post(message, part), ensure_ascii=False)}
    if message.idempotency_key is not None:
        body["uuid"] = hashlib.sha256(f"{message.idempotency_key}/{number}".encode()).hexdigest()[:_MAX_KEY]
    if address.thread_id is not None:
        return reply_path(address.thread_id), {**body, "reply_in_thread": True}
    if number == 0 and message.reply_to is not None and message.reply_to.startswith("om_"):
        return reply_path(message.reply_to), body
    return "/open-apis/im/v1/messages?receive_id_type=chat_id", {**body, "receive_id": address.chat_id}


def reply_path(message_id: str) -> str:
    """Where replies to a message are posted."""
    return f"/open-apis/im/v1/messages/{message_id}/reply"


def _post(message: OutgoingMessage, part: str) -> dict[str, object]:
    """A post in both of the languages whose readers it may meet: it holds the same words for each."""
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
