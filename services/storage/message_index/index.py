"""Index messages for full-text search, in SQLite (FTS5) and in PostgreSQL (GIN).

The terms are computed in code, without a tokenizer or text search configuration of the database. The FTS5 table has
neither the texts nor positions (`detail=none`), and so stays small.
Source: https://www.sqlite.org/fts5.html, sections 4.3.2, 4.4.3, 6 and 9.
"""

import json
import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

import sqlalchemy as sa

from services.history.terms import index_terms
from services.storage.message_index.rows import MESSAGE_COLUMNS
from services.storage.tables import MESSAGE

_CHAT_MARK = "¶"


class Indexed(NamedTuple):
    """A message in the index: its row, its chat and its searchable text."""

    row_id: int
    chat_key: str
    text: str

    @property
    def terms(self) -> list[str]:
        """Return the terms of the chat and of the text; the former restricts searches to a chat."""
        return [chat_term(self.chat_key), *index_terms(self.text)]


@lru_cache(maxsize=4096)
def chat_term(chat_key: str) -> str:
    """Return the term of a chat, which differs from terms of messages, because those have letters and digits only."""
    return _CHAT_MARK + sha256(chat_key.encode()).hexdigest()[:16]


_CREATE = "CREATE VIRTUAL TABLE message_terms USING fts5(terms, content='', detail='none', tokenize='ascii')"
# Without it a deleted term stays readable in the file until segments are merged.
_SECURE_DELETE = "INSERT INTO message_terms(message_terms, rank) VALUES('secure-delete', 1)"
_SECURE_DELETE_SINCE = (3, 42, 0)
# One statement over a JSON array: the driver releases the interpreter lock for every row.
_ADD = sa.text(
    "INSERT INTO message_terms(rowid, terms) "
    "SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(:rows)"
)
_REMOVE = sa.text(
    "INSERT INTO message_terms(message_terms, rowid, terms) "
    "SELECT 'delete', json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(:rows)"
)
_TERMS = sa.table("message_terms", sa.column("rowid", sa.Integer))
# The size of each row that is in the index: the quick way to the newest one.
_SIZES = sa.table("message_terms_docsize", sa.column("id", sa.Integer))


class SqliteMessageIndex:
    """An FTS5 index in the table `message_terms`; messages after `newest_row` are not in it yet."""

    newest_row = sa.select(sa.func.coalesce(sa.func.max(_SIZES.c.id), 0)).scalar_subquery()

    def create(self, connection: sa.Connection) -> None:
        """Create an empty index; drop an existing one."""
        connection.exec_driver_sql("DROP TABLE IF EXISTS message_terms")
        connection.exec_driver_sql(_CREATE)
        if sqlite3.sqlite_version_info >= _SECURE_DELETE_SINCE:
            connection.exec_driver_sql(_SECURE_DELETE)

    def add(self, connection: sa.Connection, messages: Sequence[Indexed]) -> None:
        """Add messages."""
        connection.execute(_ADD, {"rows": _rows(messages)})

    def remove(self, connection: sa.Connection, messages: Sequence[Indexed]) -> None:
        """Remove messages; their text must be that with which they were added."""
        connection.execute(_REMOVE, {"rows": _rows(messages)})

    def newest(self, chat_key: str, terms: Sequence[str]) -> sa.Select[tuple[object, ...]]:
        """Select the rows of the chat's messages that have all of `terms`, latest first."""
        expression = " AND ".join(f'"{term}"' for term in (chat_term(chat_key), *terms))
        matches = sa.literal_column("message_terms").op("MATCH")(expression)
        # The unary plus keeps SQLite from reading the whole chat by its index and probing the terms row by row.
        in_chat = sa.literal_column("+message.chat_key") == chat_key
        joined = _TERMS.join(MESSAGE, MESSAGE.c.id == _TERMS.c.rowid)
        return sa.select(*MESSAGE_COLUMNS).select_from(joined).where(matches, in_chat).order_by(_TERMS.c.rowid.desc())


def _rows(messages: Sequence[Indexed]) -> str:
    return json.dumps([(message.row_id, " ".join(message.terms)) for message in messages], ensure_ascii=False)


_CREATE_POSTGRES = (
    "DROP TABLE IF EXISTS message_terms",
    "CREATE TABLE message_terms (message_row BIGINT PRIMARY KEY, terms TSVECTOR NOT NULL)",
    "CREATE INDEX ix_message_terms ON message_terms USING gin (terms)",
)
_ADD_POSTGRES = sa.text("INSERT INTO message_terms VALUES (:row_id, array_to_tsvector(string_to_array(:terms, ' ')))")
_REMOVE_POSTGRES = sa.text("DELETE FROM message_terms WHERE message_row = :row_id")
_TERMS_POSTGRES = sa.table("message_terms", sa.column("message_row", sa.BigInteger))


class PostgresMessageIndex:
    """A GIN index in the table `message_terms`; messages are added to it as they are stored."""

    newest_row = None

    def create(self, connection: sa.Connection) -> None:
        """Create an empty index; drop an existing one."""
        for statement in _CREATE_POSTGRES:
            connection.exec_driver_sql(statement)

    def add(self, connection: sa.Connection, messages: Sequence[Indexed]) -> None:
        """Add messages."""
        if messages:
            rows = [{"row_id": message.row_id, "terms": " ".join(message.terms)} for message in messages]
            connection.execute(_ADD_POSTGRES, rows)

    def remove(self, connection: sa.Connection, messages: Sequence[Indexed]) -> None:
        """Remove messages; their text must be that with which they were added."""
        if messages:
            connection.execute(_REMOVE_POSTGRES, [{"row_id": message.row_id} for message in messages])

    def newest(self, chat_key: str, terms: Sequence[str]) -> sa.Select[tuple[object, ...]]:
        """Select the rows of the chat's messages that have all of `terms`, latest first."""
        from sqlalchemy.dialects.postgresql import TSQUERY  # takes as long to import as all tables

        expression = " & ".join(f"'{term}'" for term in (chat_term(chat_key), *terms))
        matches = sa.literal_column("message_terms.terms").op("@@")(sa.cast(expression, TSQUERY))
        joined = _TERMS_POSTGRES.join(MESSAGE, MESSAGE.c.id == _TERMS_POSTGRES.c.message_row)
        in_chat = MESSAGE.c.chat_key == chat_key
        return sa.select(*MESSAGE_COLUMNS).select_from(joined).where(matches, in_chat).order_by(MESSAGE.c.id.desc())


MessageIndex = SqliteMessageIndex | PostgresMessageIndex
"""Finds rows of messages by terms. Methods run in the caller's transaction."""
