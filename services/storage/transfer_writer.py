"""Keeps the lines of an export: all of them or none. What is there already stays as it is."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from services.reminders.portable.ports import Arrival
from services.storage.consent import consented
from services.storage.database import Database
from services.storage.inserts import insert_new
from services.storage.instants import to_micros, to_micros_or_none
from services.storage.message_store import keep_rows
from services.storage.person_tables import MEMORY, OPT_OUT, RETENTION
from services.storage.reminder_transfer import arrival_columns
from services.storage.tables import QUIET, REMINDER, SCOPE, STATE
from services.transfer.lines import (
    Line,
    MemoryLine,
    MessageLine,
    OptOutLine,
    QuietLine,
    ReminderLine,
    RetentionLine,
    ScopedLine,
    StateLine,
)

_BATCH: Final = 500
Columns = dict[str, object]


class TransferWriter:
    """Writes in one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(
        self, reminders: Sequence[Arrival], lines: Callable[[], Iterable[Line]], now: datetime
    ) -> Mapping[str, int]:
        """Keep `reminders` and every other line; return how many were new, by kind.

        `lines` is called where the transaction begins, and again where the server undid one. Reminders among them are
        passed over: what is checked and may be kept of them is in `reminders`.
        """
        rows = [arrival_columns(each, now) for each in reminders]

        def work(connection: sa.Connection) -> Mapping[str, int]:
            added = Counter(reminder=sum(_is_new(connection, REMINDER, row) for row in rows))
            for batch in _batches(lines()):
                added.update(_keep(connection, batch))
            return added

        return await self._database.run(work)


def _batches(lines: Iterable[Line]) -> Iterator[list[Line]]:
    batch: list[Line] = []
    for line in lines:
        batch.append(line)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    yield batch


def _keep(connection: sa.Connection, lines: Sequence[Line]) -> Mapping[str, int]:
    messages = [_message_columns(each) for each in lines if isinstance(each, MessageLine)]
    # Who wants nothing kept is not brought back; they stand before the messages in a file.
    kept = [row for row in consented(connection, messages) if row["deleted_at"] is None]
    added = Counter(message=len(keep_rows(connection, kept)))
    for line in lines:
        if isinstance(line, MemoryLine):
            added[line.kind] += _is_new_memory(connection, line)
        elif not isinstance(line, ReminderLine | MessageLine):
            added[line.kind] += _is_new(connection, *_row(line))
    return added


def _is_new(connection: sa.Connection, table: sa.Table, row: Columns) -> int:
    return max(0, connection.execute(insert_new(connection.dialect.name, table), row).rowcount)


def _is_new_memory(connection: sa.Connection, line: MemoryLine) -> int:
    """Memories have no key of their own: the same words of the same person at the same time are the same."""
    row: Columns = {
        "chat_key": line.chat,
        "person_id": line.person_id,
        "person_name": line.person_name,
        "is_shared": line.is_shared,
        "text": line.text,
        "created_at": to_micros(line.created_at),
    }
    is_same = sa.and_(*(MEMORY.c[name] == value for name, value in row.items() if name != "person_name"))
    if connection.scalar(sa.select(MEMORY.c.id).where(is_same).limit(1)) is not None:
        return 0
    connection.execute(MEMORY.insert(), row)
    return 1


def _row(line: QuietLine | RetentionLine | OptOutLine | ScopedLine | StateLine) -> tuple[sa.Table, Columns]:
    """The table that a line belongs into, and its columns."""
    match line:
        case QuietLine():
            return QUIET, {"key": line.key, "starts": line.starts, "ends": line.ends, "zone": line.zone}
        case RetentionLine():
            return RETENTION, {"chat_key": line.chat, "keep_days": line.keep_days}
        case OptOutLine():
            return OPT_OUT, {"place": line.place, "person_id": line.person_id, "since": to_micros(line.since)}
        case ScopedLine():
            return SCOPE, {"scope": line.scope, "key": line.key, "value": _json(line.value)}
        case StateLine():
            ends = to_micros_or_none(line.expires_at)
            return STATE, {"key": line.key, "value": _json(line.value), "expires_at": ends}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _message_columns(line: MessageLine) -> Columns:
    return {
        "chat_key": line.chat,
        "thread_id": line.thread_id,
        "message_id": line.id,
        "sender_id": line.sender_id,
        "sender_name": line.sender_name,
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
