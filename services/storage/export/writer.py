"""Store the lines of an export, all or none; existing rows stay unchanged."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import uuid4

import sqlalchemy as sa

from services.people.model import GROUP, account_scope, group_scope
from services.reminders.exchange.ports import ImportedReminder
from services.storage.database import Database
from services.storage.engine.rows import insert_new
from services.storage.export.lines import AccountsLine, CallLine, FileLine, Line, MemoryLine, MessageLine, TurnLine
from services.storage.export.record_lines import Columns
from services.storage.export.rows import TABLES, Row, Setting, columns_of
from services.storage.messages.consent import blank_opted_out, recordable_calls, recordable_turns
from services.storage.messages.store import keep_rows
from services.storage.reminders.transfer import imported_columns
from services.storage.tables import CALL, MEMORY, REMINDER, SCOPE, TURN
from services.storage.tables.base import check_row

_BATCH: Final = 500


class TransferWriter:
    """Writes in one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def check(self, line: Line) -> None:
        """Raise when the tables cannot hold `line`; messages always fit and are not checked.

        Raises:
            ValidationError: a number is too large, or is none.
        """
        if isinstance(line, Row) and not isinstance(line, MessageLine):
            check_row(TABLES[type(line)], columns_of(line))

    async def store(
        self, reminders: Sequence[ImportedReminder], lines: Callable[[], Iterable[Line]], now: datetime
    ) -> Mapping[str, int]:
        """Keep `reminders` and every other line; return how many were new, by kind.

        `lines` is called where the transaction begins, and again where the server undid one. Reminders and files among
        them are passed over: what is checked and may be kept of the former is in `reminders`.
        """
        rows = [imported_columns(each, now) for each in reminders]

        def work(connection: sa.Connection) -> Mapping[str, int]:
            added = Counter(reminder=sum(_is_new(connection, REMINDER, row) for row in rows))
            for batch in _batches(line for line in lines() if not isinstance(line, FileLine)):
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
    messages = [columns_of(each) for each in lines if isinstance(each, MessageLine)]
    # Who wants nothing kept is not brought back; they stand before the messages in a file.
    kept = [row for row in blank_opted_out(connection, messages) if row["deleted_at"] is None]
    added = Counter(message=len(keep_rows(connection, kept)))
    turns = recordable_turns(connection, [columns_of(each) for each in lines if isinstance(each, TurnLine)])
    added["turn"] = sum(_is_new_turn(connection, row) for row in turns)
    calls = recordable_calls(connection, [columns_of(each) for each in lines if isinstance(each, CallLine)])
    added["call"] = sum(_is_new(connection, CALL, row) for row in calls)
    for line in lines:
        if isinstance(line, MemoryLine):
            added[line.kind] += _is_new_memory(connection, columns_of(line))
        elif isinstance(line, AccountsLine):
            added[line.kind] += _are_new_accounts(connection, line)
        elif isinstance(line, Setting):
            added[line.kind] += _is_new(connection, TABLES[type(line)], columns_of(line))
    return added


def _is_new(connection: sa.Connection, table: sa.Table, row: Columns) -> int:
    return max(0, connection.execute(insert_new(connection.dialect.name, table), row).rowcount)


def _is_new_memory(connection: sa.Connection, row: Columns) -> int:
    """Return whether the memory is new: the same text of the same person at the same time is the same one."""
    is_same = sa.and_(*(MEMORY.c[name] == value for name, value in row.items() if name != "person_name"))
    if connection.scalar(sa.select(MEMORY.c.id).where(is_same).limit(1)) is not None:
        return 0
    connection.execute(MEMORY.insert(), row)
    return 1


def _is_new_turn(connection: sa.Connection, row: Columns) -> int:
    """Insert a turn unless one of the same message at the same time is stored; return how many were inserted."""
    is_same = sa.and_(*(TURN.c[name] == row[name] for name in ("message_id", "chat_key", "at")))
    if connection.scalar(sa.select(TURN.c.id).where(is_same).limit(1)) is not None:
        return 0
    connection.execute(TURN.insert(), row)
    return 1


def _are_new_accounts(connection: sa.Connection, line: AccountsLine) -> int:
    """Link accounts, unless one of them is linked here already: then it is known here who they are."""
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
