"""Index messages in PostgreSQL: a text search vector a message, with a GIN index over them.

The terms come ready from code, so no text search configuration of the server takes part.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import TSQUERY

from services.storage.message_index.index import Indexed, chat_term
from services.storage.tables import MESSAGE

_CREATE = (
    "DROP TABLE IF EXISTS message_terms",
    "CREATE TABLE message_terms (message_row BIGINT PRIMARY KEY, terms TSVECTOR NOT NULL)",
    "CREATE INDEX ix_message_terms ON message_terms USING gin (terms)",
)
_ADD = sa.text("INSERT INTO message_terms VALUES (:row_id, array_to_tsvector(string_to_array(:terms, ' ')))")
_REMOVE = sa.text("DELETE FROM message_terms WHERE message_row = :row_id")
_TERMS = sa.table("message_terms", sa.column("message_row", sa.BigInteger))


class PostgresMessageIndex:
    """A `MessageIndex` in the table `message_terms`."""

    newest_row = None

    def create(self, connection: sa.Connection) -> None:
        """Make an empty index; one that is there is dropped."""
        for statement in _CREATE:
            connection.exec_driver_sql(statement)

    def add(self, connection: sa.Connection, messages: Sequence[Indexed]) -> None:
        """Take messages in."""
        if messages:
            rows = [{"row_id": each.row_id, "terms": " ".join(each.terms)} for each in messages]
            connection.execute(_ADD, rows)

    def remove(self, connection: sa.Connection, messages: Sequence[Indexed]) -> None:
        """Take messages out."""
        if messages:
            connection.execute(_REMOVE, [{"row_id": each.row_id} for each in messages])

    def newest(self, chat_key: str, terms: Sequence[str]) -> sa.Select[tuple[object, ...]]:
        """Select the rows of the chat's messages that have all of `terms`, latest first."""
        wanted = " & ".join(f"'{term}'" for term in (chat_term(chat_key), *terms))
        matches = sa.literal_column("message_terms.terms").op("@@")(sa.cast(wanted, TSQUERY))
        joined = _TERMS.join(MESSAGE, MESSAGE.c.id == _TERMS.c.message_row)
        in_chat = MESSAGE.c.chat_key == chat_key
        return sa.select(MESSAGE).select_from(joined).where(matches, in_chat).order_by(MESSAGE.c.id.desc())
