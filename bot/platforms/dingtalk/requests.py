"""Build the bodies of DingTalk's requests: plain text without markup, and files.

Source: https://open.dingtalk.com/document/orgapp/robot-message-types-and-data-format
"""

import io
import json
import zipfile
from collections.abc import Mapping
from typing import Final

from bot.platforms.base import OutgoingMessage
from bot.platforms.dingtalk.wire import recipient
from bot.platforms.kit.markdown import Span, plain, spans_of
from services.kernel.chat import ChatAddress, SentFile

MAX_FILE_KILOBYTES: Final = 20_000
"""The largest file."""

_PICTURES: Final = {"image/jpeg", "image/png", "image/gif", "image/bmp"}
_DOCUMENTS: Final = {"doc", "docx", "pdf", "rar", "xlsx", "zip"}

MAX_LENGTH: Final = 4000
"""Characters of one message; DingTalk allows 20,000 bytes."""


def is_picture(file: SentFile) -> bool:
    """Return whether DingTalk shows `file` as a picture."""
    return file.media_type in _PICTURES


def suffix_of(file: SentFile) -> str:
    """Return the suffix of its name, by which DingTalk recognises the type."""
    return file.name.rpartition(".")[2].lower()


def pack_unsupported(file: SentFile) -> SentFile:
    """Return `file`, in a ZIP archive if DingTalk does not accept its type."""
    if is_picture(file) or suffix_of(file) in _DOCUMENTS:
        return file
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(file.name, file.content)
    return SentFile(name=f"{file.name}.zip", media_type="application/zip", content=packed.getvalue())


def session_body(message: OutgoingMessage, part: str) -> dict[str, object]:
    """Return the body for a session webhook; only webhooks notify people."""
    spans = spans_of(message, part)
    called = [span.person.id for span in spans if span.kind == "mention" and span.person is not None]
    rings = any(span.kind == "everyone" for span in spans)
    content = plain([_mention(span) for span in spans])
    return {"msgtype": "text", "text": {"content": content}, "at": {"atUserIds": called, "isAtAll": rings}}


def api_request(
    address: ChatAddress, message: OutgoingMessage, part: str, robot_code: str
) -> tuple[str, dict[str, object]]:
    """Return the path and the body for a message without a session."""
    return _request(address, robot_code, "sampleText", {"content": plain(spans_of(message, part))})


def file_request(address: ChatAddress, file: SentFile, media_id: str, robot_code: str) -> tuple[str, dict[str, object]]:
    """Return the path and the body for `file`, uploaded as `media_id`."""
    if is_picture(file):
        return _request(address, robot_code, "sampleImageMsg", {"photoURL": media_id})
    parameters = {"mediaId": media_id, "fileName": file.name, "fileType": suffix_of(file)}
    return _request(address, robot_code, "sampleFile", parameters)


def _request(
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


def _mention(span: Span) -> Span:
    """Return a mention by id, which DingTalk shows as the name."""
    if span.kind != "mention" or span.person is None:
        return span
    return Span(text=f"@{span.person.id}")
