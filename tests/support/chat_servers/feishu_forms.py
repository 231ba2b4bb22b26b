"""Frames of Feishu's long connection, and the visible text of messages.

Source: https://open.feishu.cn/document/server-docs/im-v1/message-content-description/create_json
"""

from collections.abc import Mapping
from html import unescape
from typing import TYPE_CHECKING, Final

from tests.support.chat_servers.loopback import JsonObject

if TYPE_CHECKING:
    from lark_oapi.ws.pb.pbbp2_pb2 import Frame

CONTROL: Final = 0
DATA: Final = 1
"""The methods of frames: pings, and events."""


def card_text(card: Mapping[str, object]) -> str:
    """Return the text of a card, without its buttons."""
    elements = card.get("elements")
    found = [each for each in elements if isinstance(each, dict)] if isinstance(elements, list) else []
    return unescape("".join(str(each.get("content", "")) for each in found if each.get("tag") == "markdown"))


def visible_text(content: object) -> str:
    """Return the text of a message, which is a text, a post or a card."""
    if isinstance(content, list):
        return "".join(visible_text(part) for part in content)
    if not isinstance(content, dict):
        return ""
    own = content.get("text", content.get("content"))
    if isinstance(own, str):
        return own
    return "".join(visible_text(part) for part in content.values())


def sender_of(sender: str) -> JsonObject:
    """Return the sender in the form of an event."""
    return {"sender_id": {"open_id": sender, "union_id": f"on_{sender}"}, "sender_type": "user", "tenant_key": "t"}


def frame_of(headers: dict[str, str], payload: bytes, *, method: int = DATA) -> bytes:
    """Return a frame of the long connection, as the SDK reads it."""
    from lark_oapi.ws.pb.pbbp2_pb2 import Frame

    frame = Frame()
    for key, value in headers.items():
        header = frame.headers.add()
        header.key, header.value = key, value
    frame.service, frame.method, frame.SeqID, frame.LogID, frame.payload = 2, method, 0, 0, payload
    return bytes(frame.SerializeToString())


def read_frame(raw: bytes) -> "Frame":
    """Return a frame that the SDK has sent."""
    from lark_oapi.ws.pb.pbbp2_pb2 import Frame

    frame = Frame()
    frame.ParseFromString(raw)
    return frame
