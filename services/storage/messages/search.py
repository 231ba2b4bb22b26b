"""Find messages of people in a chat by their words."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from services.history.terms import NEWEST_OF_A_TERM, best_first, indexed_terms
from services.kernel.chat import ChatAddress, ChatMessage
from services.storage.message_index.index import MessageIndex
from services.storage.message_index.indexing import IS_INDEXED, index_of
from services.storage.message_index.rows import IS_SHOWN, MESSAGE_COLUMNS, in_thread, messages_of, searched_row_text
from services.storage.messages.consent import is_consented
from services.storage.tables import MESSAGE


def search(
    connection: sa.Connection, address: ChatAddress, terms: Sequence[str], limit: int
) -> tuple[ChatMessage, ...]:
    """Return at most `limit` messages of people with all of `terms`, latest first, then those with most of them."""
    index = index_of(connection)
    shown = sa.and_(in_thread(address), is_consented(address), IS_SHOWN)
    waiting = _waiting(connection, index, address, shown)
    found = [row for row, has in waiting if has.issuperset(terms)]
    found += connection.execute(_with_columns(index.newest(address.key, terms)).where(shown).limit(limit))
    if len(found) < limit and len(terms) > 1:
        by_term = [
            _with_columns(index.newest(address.key, [term])).where(shown).limit(NEWEST_OF_A_TERM) for term in terms
        ]
        rows = {row.id: row for query in by_term for row in connection.execute(query)}
        newest_first = waiting + [(rows[key], _terms(rows[key])) for key in sorted(rows, reverse=True)]
        complete = {row.id for row in found}
        found += best_first((each for each in newest_first if each[0].id not in complete), terms, limit - len(found))
    return tuple(messages_of(found[:limit]))


def _waiting(
    connection: sa.Connection, index: MessageIndex, address: ChatAddress, shown: sa.ColumnElement[bool]
) -> list[tuple[sa.Row[*tuple[Any, ...]], frozenset[str]]]:
    """Return the messages of the chat that are not in the index yet, newest first, with their terms."""
    if index.newest_row is None:
        return []
    # The unary plus keeps SQLite from reading the whole chat by its index.
    in_chat = sa.literal_column("+message.chat_key") == address.key
    after = sa.and_(MESSAGE.c.id > index.newest_row, in_chat, IS_INDEXED, shown)
    rows = connection.execute(sa.select(*MESSAGE_COLUMNS).where(after).order_by(MESSAGE.c.id.desc()))
    return [(row, _terms(row)) for row in rows]


def _with_columns(select: sa.Select[tuple[object, ...]]) -> sa.Select[tuple[object, ...]]:
    return select.with_only_columns(*MESSAGE_COLUMNS)


def _terms(row: sa.Row[*tuple[Any, ...]]) -> frozenset[str]:
    return frozenset(indexed_terms(searched_row_text(row.text, row.attachments)))
