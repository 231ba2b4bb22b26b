"""Choose the full-text index of a database, and make it where it is missing or old."""

import sqlalchemy as sa

from services.history.terms import VERSION
from services.storage.message_extras import searched_row_text
from services.storage.message_index import Indexed, MessageIndex
from services.storage.message_index_sqlite import SqliteMessageIndex
from services.storage.tables import MESSAGE, META

_BATCH = 2_000
_META_KEY = "message_index"

IS_INDEXED = sa.and_(
    MESSAGE.c.deleted_at.is_(None),
    sa.not_(MESSAGE.c.sender_is_bot),
    sa.or_(MESSAGE.c.text != "", MESSAGE.c.attachments != ""),
)
"""Messages that are found by their words: a bot's answers would be found by the question that led to them.

Exactly these are in the index; taking out of SQLite's what never came in would make it unsound.
"""


def index_of(connection: sa.Connection) -> MessageIndex:
    """The index of the database behind `connection`."""
    return index_for(connection.dialect.name)


def index_for(dialect: str) -> MessageIndex:
    """The index of a kind of database."""
    if dialect == "postgresql":
        from services.storage.message_index_postgres import PostgresMessageIndex

        return PostgresMessageIndex()
    return SqliteMessageIndex()


def ensure_index(connection: sa.Connection) -> None:
    """Make the index out of the stored messages where there is none, or one whose terms were cut in another way."""
    found = connection.scalar(sa.select(META.c.value).where(META.c.key == _META_KEY))
    if found == str(VERSION):
        return
    index = index_of(connection)
    index.create(connection)
    last = 0
    while rows := indexed_rows(connection, sa.and_(IS_INDEXED, MESSAGE.c.id > last), limit=_BATCH):
        index.add(connection, rows)
        last = rows[-1].row_id
    connection.execute(META.delete().where(META.c.key == _META_KEY))
    connection.execute(META.insert().values(key=_META_KEY, value=str(VERSION)))


def indexed_rows(
    connection: sa.Connection, wanted: sa.ColumnElement[bool], *, limit: int | None = None
) -> list[Indexed]:
    """What the index knows, or is to know, of these messages, oldest row first."""
    columns = sa.select(MESSAGE.c.id, MESSAGE.c.chat_key, MESSAGE.c.text, MESSAGE.c.attachments)
    rows = connection.execute(columns.where(wanted).order_by(MESSAGE.c.id).limit(limit)).all()
    return [Indexed(row.id, row.chat_key, searched_row_text(row.text, row.attachments)) for row in rows]
