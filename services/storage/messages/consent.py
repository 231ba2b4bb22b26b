"""Exclude the text of people who opted out from storage and reads."""

from collections.abc import Collection, Sequence

import sqlalchemy as sa

from services.kernel.chat import ChatAddress
from services.storage.engine import sqlite
from services.storage.tables import MESSAGE, OPT_OUT

Columns = dict[str, object]
BLANK_MESSAGE: Columns = {
    **dict.fromkeys(("sender_id", "sender_name", "sender_username", "text", "mentions", "attachments"), ""),
    "reply_to": None,
}
"""The columns of a message without its author and its text."""
BLANK_TURN: Columns = {"text": "", "reply": "", "error": "", "person_name": "", "completions": "[]"}
"""The columns of a turn without its text."""
_BLANK_CALL: Columns = {
    "user_message": "",
    "arguments": "{}",
    "result": None,
    "error": None,
    "repairs": "[]",
    "said": "",
    "receipts": "[]",
    "spawn_task": None,
}

# Built once: every incoming message needs it, and building took as long as running.
_OPTED_OUT = sa.select(OPT_OUT.c.place, OPT_OUT.c.person_id).where(
    OPT_OUT.c.person_id.in_(sa.bindparam("senders", expanding=True))
)
# For a single message, the usual case.
_HAS_OPTED_OUT = "SELECT place, person_id FROM opt_out WHERE person_id = ?"


def read_opt_outs(connection: sa.Connection, people: Collection[object]) -> set[tuple[object, object]]:
    """Return pairs of place and person for those of `people` who opted out."""
    is_quick = len(people) == 1 and connection.dialect.name == "sqlite"
    found = (
        sqlite.driver_of(connection).execute(_HAS_OPTED_OUT, tuple(people)).fetchall()
        if is_quick
        else connection.execute(_OPTED_OUT, {"senders": list(people)})
    )
    return {(place, person) for place, person in found}


def has_opted_out(chat: str, person: object, out: Collection[tuple[object, object]]) -> bool:
    """Return whether `person` opted out in `chat` or on its platform."""
    return any((place, person) in out for place in (chat, chat.partition(":")[0]))


def blank_opted_out(connection: sa.Connection, rows: Sequence[Columns]) -> list[Columns]:
    """Blank person and text of people who opted out; ids stay, so that a repeated delivery is recognised."""
    senders = {row["sender_id"] for row in rows if not row["sender_is_bot"]}
    out = read_opt_outs(connection, senders) if senders else set()
    if not out:
        return list(rows)
    return [
        row | BLANK_MESSAGE | {"deleted_at": row["sent_at"]}
        if not row["sender_is_bot"] and has_opted_out(str(row["chat_key"]), row["sender_id"], out)
        else row
        for row in rows
    ]


def recordable_turns(connection: sa.Connection, rows: Sequence[Columns]) -> list[Columns]:
    """Return `rows` of the turns, without the text of people who opted out; the usage stays."""
    out = read_opt_outs(connection, {row["person_id"] for row in rows})
    return [row | BLANK_TURN if has_opted_out(str(row["chat_key"]), row["person_id"], out) else row for row in rows]


def recordable_calls(connection: sa.Connection, rows: Sequence[Columns]) -> list[Columns]:
    """Return `rows` of the calls, without text in those of people who opted out; the name of the function stays."""
    out = read_opt_outs(connection, {row["person_id"] for row in rows})
    return [row | _BLANK_CALL if has_opted_out(str(row["session_id"]), row["person_id"], out) else row for row in rows]


def is_consented(address: ChatAddress) -> sa.ColumnElement[bool]:
    """Return the condition that the author of a message has not opted out since; a person may have the bot's id."""
    places = (address.key, address.platform)
    has_consented = MESSAGE.c.sender_id.not_in(sa.select(OPT_OUT.c.person_id).where(OPT_OUT.c.place.in_(places)))
    return sa.or_(MESSAGE.c.sender_is_bot, has_consented)
