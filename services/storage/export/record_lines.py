"""Convert turns and calls to lines of an export, and back."""

import json
from typing import Any

import sqlalchemy as sa
from pydantic import BaseModel

from services.storage.engine.rows import from_micros, to_micros
from services.storage.export.lines import CallLine, TurnLine
from services.storage.records.store import completions_text, turn_of

Columns = dict[str, object]


def turn_line(row: sa.RowMapping) -> TurnLine:
    """Convert a turn to a line."""
    own = {"chat": row["chat_key"], "at": from_micros(row["at"]), "completions": turn_of(row).completions}
    return TurnLine(**(_same(row, TurnLine) | own))


def call_line(row: sa.RowMapping) -> CallLine:
    """Convert a call to a line."""
    lists = {name: json.loads(_text(row[name])) for name in ("repairs", "receipts")}
    own = {"chat": row["session_id"], "at": from_micros(row["timestamp"]), **lists}
    return CallLine(**(_same(row, CallLine) | own))


def turn_row(line: TurnLine) -> Columns:
    """Return the columns of a turn."""
    rest = line.model_dump(exclude={"kind", "chat"})
    return rest | {
        "chat_key": line.chat,
        "at": to_micros(line.at),
        "completions": completions_text(line.completions),
    }


def call_row(line: CallLine) -> Columns:
    """Return the columns of a call."""
    rest = line.model_dump(exclude={"kind", "chat", "at"})
    return rest | {
        "session_id": line.chat,
        "timestamp": to_micros(line.at),
        "repairs": json.dumps(line.repairs, ensure_ascii=False),
        "receipts": json.dumps(line.receipts, ensure_ascii=False),
    }


def _same(row: sa.RowMapping, line: type[BaseModel]) -> dict[str, Any]:
    """Return the columns that a line has under the same name."""
    return {name: _text(row[name]) for name in line.model_fields if name in row}


def _text(value: Any) -> Any:
    """Return a column, or text without the characters that other databases do not store."""
    return value.replace("\x00", "") if isinstance(value, str) else value
