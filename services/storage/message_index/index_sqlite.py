"""Index messages in SQLite: an FTS5 table without a copy of the texts.

The terms come ready from code, so the tokenizer only parts them at spaces; without positions (`detail=none`) the index
stays small. Source: https://www.sqlite.org/fts5.html, sections 4.3.2, 4.4.3, 6 and 9.
"""

import json
import sqlite3
from collections.abc import Sequence

import sqlalchemy as sa

from services.storage.message_index.index import Indexed, chat_term
from services.storage.tables import MESSAGE

_CREATE = "CREATE VIRTUAL TABLE message_terms USING fts5(terms, content='', detail='none', tokenize='ascii')"
# Without it a deleted term stays readable in the file until segments are merged.
_SECURE_DELETE = "INSERT INTO message_terms(message_terms, rank) VALUES('secure-delete', 1)"
_SECURE_DELETE_SINCE = (3, 42, 0)
# One statement over a JSON array: the driver lets go of the interpreter for every row that it steps over.
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
    """A `MessageIndex` in the table `message_terms`."""

    newest_row = sa.select(sa.func.coalesce(sa.func.max(_SIZES.c.id), 0)).scalar_subquery()

    def create(self, connection: sa.Connection) -> None:
        """Make an empty index; one that is there is dropped."""
        connection.exec_driver_sql("DROP TABLE IF EXISTS message_terms")
        connection.exec_driver_sql(_CREATE)
        if sqlite3.sqlite_version_info >= _SECURE_DELETE_SINCE:
            connection.exec_driver_sql(_SECURE_DELETE)

    def add(self, connection: sa.Connection, messages: Sequence[Indexed]) -> None:
        """Take messages in."""
        connection.execute(_ADD, {"rows": _rows(messages)})

    def remove(self, connection: sa.Connection, messages: Sequence[Indexed]) -> None:
        """Take messages out."""
        connection.execute(_REMOVE, {"rows": _rows(messages)})

    def newest(self, chat_key: str, terms: Sequence[str]) -> sa.Select[tuple[object, ...]]:
        """Select the rows of the chat's messages that have all of `terms`, latest first."""
        wanted = " AND ".join(f'"{term}"' for term in (chat_term(chat_key), *terms))
        matches = sa.literal_column("message_terms").op("MATCH")(wanted)
        # The unary plus keeps SQLite from reading the whole chat by its index and probing the terms row by row.
        in_chat = sa.literal_column("+message.chat_key") == chat_key
        joined = _TERMS.join(MESSAGE, MESSAGE.c.id == _TERMS.c.rowid)
        return sa.select(MESSAGE).select_from(joined).where(matches, in_chat).order_by(_TERMS.c.rowid.desc())


def _rows(messages: Sequence[Indexed]) -> str:
    return json.dumps([(each.row_id, " ".join(each.terms)) for each in messages], ensure_ascii=False)
