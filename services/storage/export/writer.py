"""Store the lines of an export in one transaction; existing rows stay unchanged."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import uuid4

import sqlalchemy as sa

from services.people.model import GROUP, account_scope, group_scope
from services.reminders.exchange.model import ImportedReminder
from services.storage.database import Database
from services.storage.engine.rows import insert_new
from services.storage.export.lines import ROW_KINDS, AccountsLine, Columns, FileLine, Line, RowLine
from services.storage.messages.consent import blank_opted_out, recordable_calls, recordable_turns
from services.storage.messages.store import store_rows
from services.storage.reminders.rows import imported_columns
from services.storage.tables import CALL, MEMORY, REMINDER, SCOPE, TURN

_BATCH: Final = 500


async def store_lines(
    database: Database, reminders: Sequence[ImportedReminder], lines: Callable[[], Iterable[Line]], now: datetime
) -> Mapping[str, int]:
    """Store `reminders` and all other lines in one transaction; return the number of new items by kind.

    `lines` is called at the beginning of each attempt of the transaction. Its reminders and files are skipped, because
    the validated reminders are in `reminders`.
    """
    rows = [imported_columns(reminder, now) for reminder in reminders]

    def work(connection: sa.Connection) -> Mapping[str, int]:
        added = Counter(reminder=sum(_insert(connection, REMINDER, row) for row in rows))
        for batch in _batches(line for line in lines() if not isinstance(line, FileLine)):
            added.update(_store(connection, batch))
        return added

    return await database.run(work)


def _batches(lines: Iterable[Line]) -> Iterator[list[Line]]:
    batch: list[Line] = []
    for line in lines:
        batch.append(line)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    yield batch


def _store(connection: sa.Connection, lines: Sequence[Line]) -> Mapping[str, int]:
    """Store lines; return the number of new ones by kind. Opt-outs precede messages and records in a file."""
    rows: dict[str, list[Columns]] = defaultdict(list)
    for line in lines:
        if isinstance(line, RowLine):
            rows[line.kind].append(ROW_KINDS[line.kind].columns_of(line))
    added = Counter(accounts=sum(_link(connection, line) for line in lines if isinstance(line, AccountsLine)))
    for kind in rows.keys() - {"message", "turn", "call", "memory"}:
        added[kind] = sum(_insert(connection, ROW_KINDS[kind].table, row) for row in rows[kind])
    messages = [row for row in blank_opted_out(connection, rows["message"]) if row["deleted_at"] is None]
    added["message"] = len(store_rows(connection, messages))
    turns = recordable_turns(connection, rows["turn"])
    added["turn"] = sum(_insert_unless_equal(connection, TURN, row, ("message_id", "chat_key", "at")) for row in turns)
    calls = recordable_calls(connection, rows["call"])
    added["call"] = sum(_insert(connection, CALL, row) for row in calls)
    same = [column.name for column in MEMORY.c if column.name not in ("id", "person_name")]
    added["memory"] = sum(_insert_unless_equal(connection, MEMORY, row, same) for row in rows["memory"])
    return added


def _insert(connection: sa.Connection, table: sa.Table, row: Columns) -> int:
    """Insert a row unless its unique key exists; return the number of inserted rows."""
    return max(0, connection.execute(insert_new(connection.dialect.name, table), row).rowcount)


def _insert_unless_equal(connection: sa.Connection, table: sa.Table, row: Columns, same: Iterable[str]) -> int:
    """Insert a row unless one with equal `same` columns is stored; return the number of inserted rows."""
    is_same = sa.and_(*(table.c[name] == row[name] for name in same))
    if connection.scalar(sa.select(sa.exists().where(is_same))):
        return 0
    connection.execute(table.insert(), row)
    return 1


def _link(connection: sa.Connection, line: AccountsLine) -> int:
    """Link accounts unless one of them is linked; return the number of new links."""
    own = [account_scope(key) for key in line.accounts]
    if connection.scalar(sa.select(SCOPE.c.scope).where(SCOPE.c.scope.in_(own)).limit(1)) is not None:
        return 0
    group = uuid4().hex
    rows = [{"scope": scope, "key": GROUP, "value": json.dumps(group)} for scope in own]
    rows += [
        {"scope": group_scope(group), "key": key, "value": account.model_dump_json()}
        for key, account in line.accounts.items()
    ]
    connection.execute(SCOPE.insert(), rows)
    return 1
