"""Choose and create the full-text index of a database, and add messages to it.

Adding one message to SQLite's index is slow and adding many is fast, so they are added in batches. Messages after
`newest_row` wait: a search reads them, and they are added before any message is removed.
"""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from services.history.terms import VERSION
from services.storage.message_index.index import Indexed, MessageIndex, PostgresMessageIndex, SqliteMessageIndex
from services.storage.message_index.rows import IS_SHOWN, NewMessage, row_search_text
from services.storage.tables import MESSAGE, META

_BATCH = 2_000
_BATCH_ROWS = 64
"""The number of waiting messages that are indexed together; a search reads as many in less than a millisecond."""
_META_KEY = "message_index"

IS_INDEXED = sa.and_(
    IS_SHOWN,
    sa.not_(MESSAGE.c.sender_is_bot),
    sa.or_(MESSAGE.c.text != "", MESSAGE.c.attachments != ""),
)
"""Messages that are found by their words: a bot's answers would be found by the question that led to them.

Exactly these are in the index; removing others from SQLite's would corrupt it.
"""


def index_of(connection: sa.Connection) -> MessageIndex:
    """Return the index of the database behind `connection`."""
    return PostgresMessageIndex() if connection.dialect.name == "postgresql" else SqliteMessageIndex()


def ensure_index(connection: sa.Connection) -> None:
    """Build the index from the stored messages if it is missing or has another version."""
    found = connection.scalar(sa.select(META.c.value).where(META.c.key == _META_KEY))
    if found == str(VERSION):
        return
    index = index_of(connection)
    index.create(connection)
    _add_after(connection, index, 0)
    connection.execute(META.delete().where(META.c.key == _META_KEY))
    connection.execute(META.insert().values(key=_META_KEY, value=str(VERSION)))


def index_new(connection: sa.Connection, rows: Sequence[NewMessage]) -> None:
    """Index messages that were just stored, at once or in batches."""
    index = index_of(connection)
    if index.newest_row is None:
        of_people = [row for row in rows if not row.sender_is_bot and (row.text or row.attachments)]
        index.add(connection, [_to_index(row) for row in of_people])
    elif completes_batch(connection, rows):
        index_waiting(connection)


def completes_batch(connection: sa.Connection, rows: Sequence[NewMessage]) -> bool:
    """Return whether the waiting messages must be indexed after these messages were stored."""
    return index_of(connection).newest_row is not None and any(row.id % _BATCH_ROWS == 0 for row in rows)


def index_waiting(connection: sa.Connection) -> None:
    """Index the waiting messages."""
    index = index_of(connection)
    if index.newest_row is not None:
        _add_after(connection, index, connection.execute(sa.select(index.newest_row)).scalar_one())


def remove_from_index(connection: sa.Connection, condition: sa.ColumnElement[bool]) -> None:
    """Remove messages from the index, before their text changes."""
    index_waiting(connection)
    index_of(connection).remove(connection, indexed_rows(connection, sa.and_(condition, IS_INDEXED)))


def move_in_index(connection: sa.Connection, condition: sa.ColumnElement[bool], chat_key: str) -> None:
    """Change the chat of messages in the index, before it changes in their rows."""
    index_waiting(connection)
    index, rows = index_of(connection), indexed_rows(connection, sa.and_(condition, IS_INDEXED))
    index.remove(connection, rows)
    index.add(connection, [row._replace(chat_key=chat_key) for row in rows])


def indexed_rows(
    connection: sa.Connection, condition: sa.ColumnElement[bool], *, limit: int | None = None
) -> list[Indexed]:
    """Return the index entries of these messages, oldest row first."""
    columns = sa.select(MESSAGE.c.id, MESSAGE.c.chat_key, MESSAGE.c.text, MESSAGE.c.attachments)
    rows = connection.execute(columns.where(condition).order_by(MESSAGE.c.id).limit(limit)).all()
    return [_to_index(row) for row in rows]


def _add_after(connection: sa.Connection, index: MessageIndex, last: int) -> None:
    while rows := indexed_rows(connection, sa.and_(IS_INDEXED, MESSAGE.c.id > last), limit=_BATCH):
        index.add(connection, rows)
        if len(rows) < _BATCH:
            break
        last = rows[-1].row_id


def _to_index(row: NewMessage | sa.Row[*tuple[Any, ...]]) -> Indexed:
    return Indexed(row.id, row.chat_key, row_search_text(row.text, row.attachments))
