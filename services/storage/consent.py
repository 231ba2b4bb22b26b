"""Keep and show no messages of people who want none kept: blanked before they are stored, left out when read."""

from collections.abc import Sequence

import sqlalchemy as sa

from services.chat import ChatAddress
from services.storage import sqlite
from services.storage.person_tables import OPT_OUT
from services.storage.tables import MESSAGE

Columns = dict[str, object]
_NOTHING_ELSE: Columns = {"mentions": "", "attachments": ""}

# Made once: every message that comes in asks this, and making the statement took as long as the answer.
_OPTED_OUT = sa.select(OPT_OUT.c.place, OPT_OUT.c.person_id).where(
    OPT_OUT.c.person_id.in_(sa.bindparam("senders", expanding=True))
)
# Of a message on its own, the usual case.
_HAS_OPTED_OUT = "SELECT place, person_id FROM opt_out WHERE person_id = ?"


def consented(connection: sa.Connection, rows: Sequence[Columns]) -> list[Columns]:
    """`rows` of the message table, those of people who opted out without person and text.

    Their id stays, so that a message delivered twice is handled once.
    """
    senders = {row["sender_id"] for row in rows if not row["sender_is_bot"]}
    if not senders:
        return list(rows)
    is_quick = len(senders) == 1 and connection.dialect.name == "sqlite"
    found = (
        sqlite.directly(connection, _HAS_OPTED_OUT, tuple(senders))
        if is_quick
        else connection.execute(_OPTED_OUT, {"senders": list(senders)})
    )
    out = {(place, person) for place, person in found}
    return [_blank(row) if out and _is_out(row, out) else row for row in rows]


def is_consented(address: ChatAddress) -> sa.ColumnElement[bool]:
    """Whether who wrote a message of the chat has not opted out since."""
    places = (address.key, address.platform)
    return MESSAGE.c.sender_id.not_in(sa.select(OPT_OUT.c.person_id).where(OPT_OUT.c.place.in_(places)))


def _is_out(row: Columns, out: set[tuple[str, str]]) -> bool:
    chat = str(row["chat_key"])
    places = (chat, chat.partition(":")[0])
    return not row["sender_is_bot"] and any((place, row["sender_id"]) in out for place in places)


def _blank(row: Columns) -> Columns:
    return (
        row
        | {"sender_id": "", "sender_name": "", "text": "", "reply_to": None, "deleted_at": row["sent_at"]}
        | _NOTHING_ELSE
    )
