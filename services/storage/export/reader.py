"""Read all data of some chats and people as lines of an export."""

import json
from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import Any, Final

import sqlalchemy as sa

from services.people.model import GROUP, account_scope, group_scope
from services.reminders.exchange.model import to_portable
from services.reminders.exchange.record import record_of
from services.reminders.model import ReminderState
from services.storage.engine.readonly import Readable
from services.storage.engine.rows import from_micros, from_micros_or_none
from services.storage.export.lines import (
    AccountShape,
    AccountsLine,
    ExportScope,
    Line,
    MemoryLine,
    MessageLine,
    OptOutLine,
    QuietLine,
    ReminderLine,
    RetentionLine,
    ScopedLine,
    StateLine,
)
from services.storage.export.record_lines import call_line, turn_line
from services.storage.messages.consent import is_out, opted_out
from services.storage.reminders.rows import reminder_of
from services.storage.tables import CALL, MEMORY, MESSAGE, OPT_OUT, QUIET, REMINDER, RETENTION, SCOPE, STATE, TURN

_BATCH: Final = 1000
_NAMES_OF_CHATS: Final = "places"
_STATE_OF_A_CHAT: Final = ("tools.off", "web.extras")
"""What is switched off, and the buttons and reactions of the web room; other state is over before it is missed."""


class TransferReader:
    """Reads while other connections write."""

    def __init__(self, database: Readable) -> None:
        self._database = database

    async def lines(self, wanted: ExportScope) -> AsyncIterator[Line]:
        """Yield all lines, opt-outs first, and messages and records last, in pages."""
        for each in await self._database.read(lambda connection: list(_settings(connection, wanted))):
            yield each
        for read in (_messages, _turns, _calls):
            last: int | None = 0
            while last is not None:
                lines, last = await self._database.read(partial(read, wanted=wanted, after=last))
                for line in lines:
                    yield line


def _settings(connection: sa.Connection, wanted: ExportScope) -> Iterator[Line]:
    yield from _opt_outs(connection, wanted)
    yield from _rules(connection, wanted)
    yield from _scoped(connection, wanted)
    yield from _state(connection, wanted)
    yield from _accounts(connection, wanted)
    is_kept = REMINDER.c.state != ReminderState.CANCELLED.value
    reminders = sa.select(REMINDER).where(_theirs(REMINDER.c.chat_key, REMINDER.c.creator_id, wanted), is_kept)
    for row in connection.execute(reminders.order_by(REMINDER.c.id)).mappings():
        yield ReminderLine(chat=row["chat_key"], reminder=record_of(to_portable(reminder_of(row))))
    memories = sa.select(MEMORY).where(_theirs(MEMORY.c.chat_key, MEMORY.c.person_id, wanted))
    for row in connection.execute(memories.order_by(MEMORY.c.id)).mappings():
        yield MemoryLine(
            chat=row["chat_key"],
            person_id=row["person_id"],
            person_name=row["person_name"],
            is_shared=bool(row["is_shared"]),
            text=row["text"],
            created_at=from_micros(row["created_at"]),
        )


def _theirs(
    chat_key: sa.ColumnElement[str], person_id: sa.ColumnElement[str], wanted: ExportScope
) -> sa.ColumnElement[bool]:
    """Return whether a row belongs to one of the chats, or to one of the people."""
    of_people = [
        sa.and_(person_id == person, chat_key.startswith(f"{platform}:", autoescape=True))
        for platform, _, person in (each.partition(":") for each in wanted.people)
    ]
    return sa.or_(chat_key.in_(wanted.chats), *of_people)


def _opt_outs(connection: sa.Connection, wanted: ExportScope) -> Iterator[OptOutLine]:
    for row in connection.execute(sa.select(OPT_OUT)):
        if row.place in wanted.chats or wanted.has_person(row.place, row.person_id):
            yield OptOutLine(place=row.place, person_id=row.person_id, since=from_micros(row.since))


def _rules(connection: sa.Connection, wanted: ExportScope) -> Iterator[QuietLine | RetentionLine]:
    keys = [*(f"chat:{each}" for each in wanted.chats), *(f"person:{each}" for each in wanted.people)]
    for row in connection.execute(sa.select(QUIET).where(QUIET.c.key.in_(keys))):
        yield QuietLine(key=row.key, starts=row.starts, ends=row.ends, zone=row.zone)
    for row in connection.execute(sa.select(RETENTION).where(RETENTION.c.chat_key.in_(wanted.chats))):
        yield RetentionLine(chat=row.chat_key, keep_days=row.keep_days)


def _scoped(connection: sa.Connection, wanted: ExportScope) -> Iterator[ScopedLine]:
    for row in connection.execute(sa.select(SCOPE).order_by(SCOPE.c.scope, SCOPE.c.key)):
        value = json.loads(row.value)
        if wanted.has_scope(row.scope) or (row.scope == _NAMES_OF_CHATS and value in wanted.chats):
            yield ScopedLine(scope=row.scope, key=row.key, value=value)


def _accounts(connection: sa.Connection, wanted: ExportScope) -> Iterator[AccountsLine]:
    """Yield the accounts that people have linked, once where several of them are one person."""
    scopes = [account_scope(each) for each in wanted.people]
    own = sa.select(SCOPE.c.value).where(SCOPE.c.scope.in_(scopes), SCOPE.c.key == GROUP).distinct()
    for group in connection.scalars(own.order_by(SCOPE.c.value)):
        members = sa.select(SCOPE.c.key, SCOPE.c.value).where(SCOPE.c.scope == group_scope(json.loads(group)))
        accounts = {row.key: AccountShape.model_validate_json(row.value) for row in connection.execute(members)}
        if len(accounts) > 1:
            yield AccountsLine(accounts=accounts)


def _state(connection: sa.Connection, wanted: ExportScope) -> Iterator[StateLine]:
    keys = [f"{what}:{chat}" for what in _STATE_OF_A_CHAT for chat in wanted.chats]
    for row in connection.execute(sa.select(STATE).where(STATE.c.key.in_(keys))):
        ends = from_micros_or_none(row.expires_at)
        yield StateLine(key=row.key, value=json.loads(row.value), expires_at=ends)


def _messages(connection: sa.Connection, *, wanted: ExportScope, after: int) -> tuple[list[Line], int | None]:
    """Return the messages after a row that may be given out, and the row to go on after; None at the end."""
    rows, last = _page(connection, (MESSAGE.c.id, MESSAGE.c.chat_key, MESSAGE.c.sender_id), wanted, after)
    return [_message(row) for row in rows if row["deleted_at"] is None], last


def _turns(connection: sa.Connection, *, wanted: ExportScope, after: int) -> tuple[list[Line], int | None]:
    """Read the turns, as `_messages`."""
    rows, last = _page(connection, (TURN.c.id, TURN.c.chat_key, TURN.c.person_id), wanted, after)
    return [turn_line(row) for row in rows], last


def _calls(connection: sa.Connection, *, wanted: ExportScope, after: int) -> tuple[list[Line], int | None]:
    """Read the calls, as `_messages`."""
    rows, last = _page(connection, (CALL.c.number, CALL.c.session_id, CALL.c.person_id), wanted, after)
    return [call_line(row) for row in rows], last


def _page(
    connection: sa.Connection, columns: tuple[sa.Column[Any], ...], wanted: ExportScope, after: int
) -> tuple[list[sa.RowMapping], int | None]:
    """Read rows of a table by its columns of number, chat and person, without those of others who opted out."""
    number, chat, person = columns
    page = sa.select(number.table).where(number > after, _theirs(chat, person, wanted)).order_by(number).limit(_BATCH)
    rows = connection.execute(page).mappings().all()
    out = opted_out(connection, {row[person] for row in rows})
    shown = [
        row
        for row in rows
        if row.get("sender_is_bot")
        or not is_out(row[chat], row[person], out)
        or wanted.has_person(row[chat], row[person])
    ]
    return shown, rows[-1][number] if rows else None


def _message(row: sa.RowMapping) -> MessageLine:
    return MessageLine(
        chat=row["chat_key"],
        thread_id=row["thread_id"],
        id=row["message_id"],
        sender_id=row["sender_id"],
        sender_name=row["sender_name"],
        sender_username=row["sender_username"],
        is_bot=bool(row["sender_is_bot"]),
        text=row["text"].replace("\x00", ""),
        sent_at=from_micros(row["sent_at"]),
        edited_at=from_micros_or_none(row["edited_at"]),
        reply_to=row["reply_to"],
        is_addressed=bool(row["is_addressed"]),
        is_private=bool(row["is_private"]),
        mentions=json.loads(row["mentions"] or "[]"),
        attachments=json.loads(row["attachments"] or "[]"),
    )
