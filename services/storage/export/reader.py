"""Read the data of chats and people as lines of an export."""

import json
from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import Final

import sqlalchemy as sa

from services.people.model import GROUP, account_scope, group_scope
from services.reminders.exchange.model import to_portable
from services.reminders.exchange.record import record_of
from services.reminders.model import ReminderState
from services.storage.engine.readonly import Readable
from services.storage.export.lines import ROW_KINDS, AccountsLine, ExportScope, Line, LinkedAccount, ReminderLine
from services.storage.messages.consent import has_opted_out, read_opt_outs
from services.storage.reminders.rows import reminder_of
from services.storage.tables import MEMORY, MESSAGE, OPT_OUT, QUIET, REMINDER, RETENTION, SCOPE, STATE

_BATCH: Final = 1000
_CHAT_ALIASES: Final = "places"
_STATE_OF_A_CHAT: Final = ("tools.off", "web.extras")
"""Disabled tools, and buttons and reactions of the web chat; other state expires soon."""


async def stored_lines(database: Readable, scope: ExportScope) -> AsyncIterator[Line]:
    """Yield all lines of an export, opt-outs first, and messages and records last, in pages."""
    for setting in await database.read(lambda connection: list(_settings(connection, scope))):
        yield setting
    for kind, chat, person in (
        ("message", "chat_key", "sender_id"),
        ("turn", "chat_key", "person_id"),
        ("call", "session_id", "person_id"),
    ):
        read = partial(_page, kind=kind, chat=chat, person=person, scope=scope)
        last: int | None = 0
        while last is not None:
            lines, last = await database.read(partial(read, after=last))
            for line in lines:
                yield line


async def find_unknown(database: Readable, scope: ExportScope) -> list[str]:
    """Return the chats and people of `scope` that nothing is stored of."""
    single = [(key, ExportScope(chats=(key,))) for key in scope.chats]
    single += [(key, ExportScope(people=(key,))) for key in scope.people]
    return [key for key, of_key in single if await anext(stored_lines(database, of_key), None) is None]


def stored_chats(connection: sa.Connection, limit: int) -> list[str]:
    """Return the first chats that have messages or reminders, in the order of their keys."""
    keys = sa.union(sa.select(MESSAGE.c.chat_key), sa.select(REMINDER.c.chat_key)).subquery()
    return list(connection.scalars(sa.select(keys.c.chat_key).order_by(keys.c.chat_key).limit(limit)))


def _settings(connection: sa.Connection, scope: ExportScope) -> Iterator[Line]:
    """Yield all lines except messages and records."""
    for row in connection.execute(sa.select(OPT_OUT)).mappings():
        if row["place"] in scope.chats or scope.has_person(row["place"], row["person_id"]):
            yield ROW_KINDS["opt_out"].line_of(row)
    quiet = [*(f"chat:{chat}" for chat in scope.chats), *(f"person:{person}" for person in scope.people)]
    yield from _rows(connection, "quiet_hours", QUIET.c.key.in_(quiet))
    yield from _rows(connection, "retention", RETENTION.c.chat_key.in_(scope.chats))
    for row in connection.execute(sa.select(SCOPE).order_by(SCOPE.c.scope, SCOPE.c.key)).mappings():
        is_alias = row["scope"] == _CHAT_ALIASES and json.loads(row["value"]) in scope.chats
        if is_alias or scope.has_scope(row["scope"]):
            yield ROW_KINDS["scoped"].line_of(row)
    keys = [f"{name}:{chat}" for name in _STATE_OF_A_CHAT for chat in scope.chats]
    yield from _rows(connection, "state", STATE.c.key.in_(keys))
    yield from _accounts(connection, scope)
    is_kept = REMINDER.c.state != ReminderState.CANCELLED.value
    reminders = sa.select(REMINDER).where(_is_in_scope(REMINDER.c.chat_key, REMINDER.c.creator_id, scope), is_kept)
    for row in connection.execute(reminders.order_by(REMINDER.c.id)).mappings():
        yield ReminderLine(chat=row["chat_key"], reminder=record_of(to_portable(reminder_of(row))))
    yield from _rows(connection, "memory", _is_in_scope(MEMORY.c.chat_key, MEMORY.c.person_id, scope))


def _rows(connection: sa.Connection, kind: str, condition: sa.ColumnElement[bool]) -> Iterator[Line]:
    table = ROW_KINDS[kind].table
    query = sa.select(table).where(condition).order_by(*table.primary_key)
    yield from map(ROW_KINDS[kind].line_of, connection.execute(query).mappings())


def _is_in_scope(
    chat_key: sa.ColumnElement[str], person_id: sa.ColumnElement[str], scope: ExportScope
) -> sa.ColumnElement[bool]:
    """Return the condition for rows of the chats and people."""
    of_people = [
        sa.and_(person_id == person, chat_key.startswith(f"{platform}:", autoescape=True))
        for platform, _, person in (person.partition(":") for person in scope.people)
    ]
    return sa.or_(chat_key.in_(scope.chats), *of_people)


def _accounts(connection: sa.Connection, scope: ExportScope) -> Iterator[AccountsLine]:
    """Yield the linked accounts, each group once."""
    scopes = [account_scope(person) for person in scope.people]
    own = sa.select(SCOPE.c.value).where(SCOPE.c.scope.in_(scopes), SCOPE.c.key == GROUP).distinct()
    for group in connection.scalars(own.order_by(SCOPE.c.value)):
        members = sa.select(SCOPE.c.key, SCOPE.c.value).where(SCOPE.c.scope == group_scope(json.loads(group)))
        accounts = {row.key: LinkedAccount.model_validate_json(row.value) for row in connection.execute(members)}
        if len(accounts) > 1:
            yield AccountsLine(accounts=accounts)


def _page(
    connection: sa.Connection, *, kind: str, chat: str, person: str, scope: ExportScope, after: int
) -> tuple[list[Line], int | None]:
    """Read the rows after a number, without deleted rows and those of people who opted out.

    Returns:
        The lines, and the number to continue after; None at the end.
    """
    table = ROW_KINDS[kind].table
    [number] = table.primary_key
    theirs = _is_in_scope(table.c[chat], table.c[person], scope)
    page = sa.select(table).where(number > after, theirs).order_by(number).limit(_BATCH)
    rows = connection.execute(page).mappings().all()
    out = read_opt_outs(connection, {row[person] for row in rows})
    lines: list[Line] = [
        ROW_KINDS[kind].line_of(row)
        for row in rows
        if row.get("deleted_at") is None
        and (
            row.get("sender_is_bot")
            or not has_opted_out(row[chat], row[person], out)
            or scope.has_person(row[chat], row[person])
        )
    ]
    return lines, rows[-1][number] if rows else None
