"""Build the bodies of DingTalk's requests: plain text without markup, and files.

Source: https://open.dingtalk.com/document/orgapp/robot-message-types-and-data-format
"""

import json
from collections.abc import Mapping
from typing import Final

from bot.platforms.base import OutgoingMessage
from bot.platforms.dingtalk.files import ending, is_picture
from bot.platforms.dingtalk.wire import recipient
from bot.platforms.kit.markdown import Span, plain, spans_of
from bot.platforms.kit.pieces import pieces
from services.kernel.chat import ChatAddress, SentFile

MAX_LENGTH: Final = 4000
"""Characters of one message; DingTalk allows 20,000 bytes."""


def parts(message: OutgoingMessage) -> list[str]:
    """Return the text in pieces that fit."""
    return pieces(message.text, MAX_LENGTH, people=message.mentions)


def by_session(message: OutgoingMessage, part: str) -> dict[str, object]:
    """Return the body for the address that came with a message; only this way notifies people."""
    spans = spans_of(message, part)
    called = [span.person.id for span in spans if span.kind == "mention" and span.person is not None]
    rings = any(span.kind == "everyone" for span in spans)
    content = plain([_called(span) for span in spans])
    return {"msgtype": "text", "text": {"content": content}, "at": {"atUserIds": called, "isAtAll": rings}}


def by_api(address: ChatAddress, message: OutgoingMessage, part: str, robot_code: str) -> tuple[str, dict[str, object]]:
    """Return the path and the body for a message out of the blue."""
    return _sent(address, robot_code, "sampleText", {"content": plain(spans_of(message, part))})


def with_file(address: ChatAddress, file: SentFile, media_id: str, robot_code: str) -> tuple[str, dict[str, object]]:
    """Return the path and the body for `file`, uploaded as `media_id`."""
    if is_picture(file):
        return _sent(address, robot_code, "sampleImageMsg", {"photoURL": media_id})
    parameters = {"mediaId": media_id, "fileName": file.name, "fileType": ending(file)}
    return _sent(address, robot_code, "sampleFile", parameters)


def _sent(
    address: ChatAddress, robot_code: str, kind: str, parameters: Mapping[str, str]
) -> tuple[str, dict[str, object]]:
    body: dict[str, object] = {
        "robotCode": robot_code,
        "msgKey": kind,
        "msgParam": json.dumps(parameters, ensure_ascii=False),
    }
    person = recipient(address)
    if person is None:
        return "/v1.0/robot/groupMessages/send", {**body, "openConversationId": address.chat_id}
    return "/v1.0/robot/oToMessages/batchSend", {**body, "userIds": [person]}


def _called(span: Span) -> Span:
    """Return a mention as DingTalk wants it in the text: by id, which it shows as the name."""
    if span.kind != "mention" or span.person is None:
        return span
    return Span(text=f"@{span.person.id}")
