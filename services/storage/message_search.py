"""Find what people said in a chat by its words."""

from collections.abc import Sequence

import sqlalchemy as sa

from services.chat import ChatAddress, ChatMessage
from services.history.finding import NEWEST_OF_A_TERM, best_first
from services.history.terms import indexed_terms
from services.storage.consent import is_consented
from services.storage.indexing import index_of
from services.storage.message_extras import searched_row_text
from services.storage.message_rows import IS_SHOWN, MESSAGE_COLUMNS, in_thread, messages_of


def search(
    connection: sa.Connection, address: ChatAddress, terms: Sequence[str], limit: int
) -> tuple[ChatMessage, ...]:
    """At most `limit` messages of people that have all of `terms`, latest first, then those with most of them."""
    newest = index_of(connection).newest
    shown = sa.and_(in_thread(address), is_consented(address), IS_SHOWN)
    found = list(connection.execute(_with_columns(newest(address.key, terms)).where(shown).limit(limit)))
    if len(found) < limit and len(terms) > 1:
        by_term = [_with_columns(newest(address.key, [term])).where(shown).limit(NEWEST_OF_A_TERM) for term in terms]
        rows = {row.id: row for query in by_term for row in connection.execute(query)}
        newest_first = [rows[key] for key in sorted(rows.keys() - {row.id for row in found}, reverse=True)]
        found += best_first([(row, _terms(row)) for row in newest_first], terms, limit - len(found))
    return tuple(messages_of(found))


def _with_columns(select: sa.Select[tuple[object, ...]]) -> sa.Select[tuple[object, ...]]:
    return select.with_only_columns(*MESSAGE_COLUMNS)


def _terms(row: sa.Row[tuple[object, ...]]) -> frozenset[str]:
    return frozenset(indexed_terms(searched_row_text(row.text, row.attachments)))
