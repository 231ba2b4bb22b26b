"""Convert lines of an export to rows: the table and the columns of each."""

import json
from collections.abc import Mapping
from typing import Final

import sqlalchemy as sa

from services.storage.engine.rows import to_micros, to_micros_or_none
from services.storage.export.lines import (
    CallLine,
    MemoryLine,
    MessageLine,
    OptOutLine,
    QuietLine,
    RetentionLine,
    ScopedLine,
    StateLine,
    TurnLine,
)
from services.storage.export.record_lines import Columns, call_row, turn_row
from services.storage.tables import CALL, MEMORY, MESSAGE, OPT_OUT, QUIET, RETENTION, SCOPE, STATE, TURN

Setting = QuietLine | RetentionLine | OptOutLine | ScopedLine | StateLine
Row = Setting | MemoryLine | MessageLine | TurnLine | CallLine
"""What is one row of a table."""

TABLES: Final[Mapping[type[Row], sa.Table]] = {
    CallLine: CALL,
    MemoryLine: MEMORY,
    MessageLine: MESSAGE,
    OptOutLine: OPT_OUT,
    QuietLine: QUIET,
    RetentionLine: RETENTION,
    ScopedLine: SCOPE,
    StateLine: STATE,
    TurnLine: TURN,
}


def columns_of(line: Row) -> Columns:
    """Return the columns of the row that a line is."""
    match line:
        case TurnLine():
            return turn_row(line)
        case CallLine():
            return call_row(line)
        case MessageLine():
            return _message_columns(line)
        case MemoryLine():
            return _memory_columns(line)
        case _:
            return _setting_columns(line)


def _setting_columns(line: Setting) -> Columns:
    match line:
        case QuietLine():
            return {"key": line.key, "starts": line.starts, "ends": line.ends, "zone": line.zone}
        case RetentionLine():
            return {"chat_key": line.chat, "keep_days": line.keep_days}
        case OptOutLine():
            return {"place": line.place, "person_id": line.person_id, "since": to_micros(line.since)}
        case ScopedLine():
            return {"scope": line.scope, "key": line.key, "value": _json(line.value)}
        case StateLine():
            ends = to_micros_or_none(line.expires_at)
            return {"key": line.key, "value": _json(line.value), "expires_at": ends}


def _memory_columns(line: MemoryLine) -> Columns:
    return {
        "chat_key": line.chat,
        "person_id": line.person_id,
        "person_name": line.person_name,
        "is_shared": line.is_shared,
        "text": line.text,
        "created_at": to_micros(line.created_at),
    }


def _message_columns(line: MessageLine) -> Columns:
    return {
        "chat_key": line.chat,
        "thread_id": line.thread_id,
        "message_id": line.id,
        "sender_id": line.sender_id,
        "sender_name": line.sender_name,
        "sender_username": line.sender_username,
        "sender_is_bot": line.is_bot,
        "text": line.text,
        "sent_at": to_micros(line.sent_at),
        "reply_to": line.reply_to,
        "is_addressed": line.is_addressed,
        "is_private": line.is_private,
        "mentions": _json(line.mentions) if line.mentions else "",
        "attachments": _json(line.attachments) if line.attachments else "",
        "edited_at": to_micros_or_none(line.edited_at),
        "deleted_at": None,
    }


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
