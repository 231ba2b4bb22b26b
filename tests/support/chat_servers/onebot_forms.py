"""Events and answers of OneBot v11 as the standard shows them. Source: https://github.com/botuniverse/onebot-11."""

import re
import time
from collections.abc import Mapping

from tests.support.chat_servers.loopback import JsonObject

SELF = "1"
"""The account that the bot speaks with."""

MEMBERS = ("7", "8", "9")
"""Who is in the group."""

UNKNOWN_ACTION = 1404

_CODE = re.compile(r"\[CQ:(\w+)(?:,([^\]]*))?\]")


def message(message_id: int, content: object, *, group: str | None, sender: str, name: str, role: str) -> JsonObject:
    """Return a message event of a group or a private chat."""
    event: JsonObject = {
        "time": int(time.time()),
        "self_id": int(SELF),
        "post_type": "message",
        "message_type": "group" if group else "private",
        "sub_type": "normal" if group else "friend",
        "message_id": message_id,
        "user_id": int(sender),
        "message": content,
        "raw_message": content if isinstance(content, str) else visible_text(content),
        "font": 0,
        "sender": {"user_id": int(sender), "nickname": name or f"Person {sender}", "role": role, "card": ""},
    }
    return {**event, "group_id": int(group), "anonymous": None} if group else event


def reacted(message_id: str, emoji_id: str, *, sender: str, is_added: bool) -> JsonObject:
    """Return the event of a reaction in the group that was added or removed."""
    likes = [{"emoji_id": emoji_id, "count": 1}]
    notice = {"message_id": int(message_id), "user_id": int(sender), "likes": likes, "is_add": is_added}
    return {**_notice("group_msg_emoji_like"), **notice}


def recalled(message_id: str, *, sender: str) -> JsonObject:
    """Return the event of a deleted message of the group."""
    notice = {"message_id": int(message_id), "user_id": int(sender), "operator_id": int(sender)}
    return {**_notice("group_recall"), **notice}


def _notice(kind: str) -> JsonObject:
    notice: JsonObject = {"time": int(time.time()), "self_id": int(SELF), "post_type": "notice", "group_id": 100}
    return {**notice, "notice_type": kind}


def pictures(content: object) -> tuple[str, ...]:
    """Return the names of the pictures of a message."""
    segments = content if isinstance(content, list) else []
    return tuple(str(part["data"]["name"]) for part in segments if part["type"] == "image")


def connected() -> JsonObject:
    """Return the first event of a connection."""
    return {
        "time": int(time.time()),
        "self_id": int(SELF),
        "post_type": "meta_event",
        "meta_event_type": "lifecycle",
        "sub_type": "connect",
    }


def done(data: Mapping[str, object]) -> JsonObject:
    """Return the answer to an action that succeeded."""
    return {"status": "ok", "retcode": 0, "data": dict(data)}


def failed(retcode: int) -> JsonObject:
    """Return the answer to an action that failed."""
    return {"status": "failed", "retcode": retcode, "data": None}


def visible_text(content: object) -> str:
    """Return what people see of a message, given as segments or as text with CQ codes."""
    if isinstance(content, str):
        plain = _CODE.sub(lambda code: _visible_part(code[1], dict(_parameters(code[2]))), content)
        return plain.replace("&#91;", "[").replace("&#93;", "]").replace("&#44;", ",").replace("&amp;", "&")
    if not isinstance(content, list):
        return ""
    return "".join(
        str(part["data"]["text"]) if part["type"] == "text" else _visible_part(part["type"], part["data"])
        for part in content
    )


def _parameters(written: str | None) -> list[tuple[str, str]]:
    pairs = [part.partition("=") for part in (written or "").split(",")]
    return [(name, value) for name, _, value in pairs]


def _visible_part(kind: str, data: Mapping[str, str]) -> str:
    return f"@{data.get('qq', '')}" if kind == "at" else ""
