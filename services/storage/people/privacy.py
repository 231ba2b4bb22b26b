"""Store opt-outs and retention in SQL, and export and delete the data of a person."""

import json
from collections.abc import Mapping
from datetime import datetime

import sqlalchemy as sa

from services.kernel.chat import ChatAddress
from services.kernel.state import to_json
from services.people.privacy import DataScope, DeletedMessage, Erasure, PersonData
from services.storage.database import Database
from services.storage.engine.rows import to_micros
from services.storage.message_index.rows import IS_SHOWN, MESSAGE_COLUMNS, messages_of, parse_attachments
from services.storage.message_index.updates import remove_from_index
from services.storage.messages.consent import BLANK_MESSAGE, BLANK_TURN
from services.storage.people.memories import memory_of
from services.storage.tables import CALL, MEMORY, MESSAGE, OPT_OUT, RETENTION, SCOPE, STATE, TURN


def is_in_scope(chat_key: sa.ColumnElement[str], scope: DataScope) -> sa.ColumnElement[bool]:
    """Return the condition for rows of the chat of `scope`, or of all chats of its platform."""
    if scope.is_everywhere:
        return chat_key.startswith(f"{scope.address.platform}:", autoescape=True)
    return chat_key == scope.address.key


def messages_to_delete(connection: sa.Connection, condition: sa.ColumnElement[bool]) -> tuple[DeletedMessage, ...]:
    """Return the messages that will be deleted, oldest first."""
    columns = sa.select(MESSAGE.c.chat_key, MESSAGE.c.message_id, MESSAGE.c.attachments)
    return tuple(
        DeletedMessage(
            address=ChatAddress.of_key(row.chat_key),
            message_id=row.message_id,
            files=tuple(attachment.url for attachment in parse_attachments(row.attachments) if attachment.url),
        )
        for row in connection.execute(columns.where(condition).order_by(MESSAGE.c.id))
    )


def of_person(scope: DataScope) -> tuple[sa.ColumnElement[bool], sa.ColumnElement[bool]]:
    """Return the conditions for the person's messages and for the bot's answers to them."""
    here = is_in_scope(MESSAGE.c.chat_key, scope)
    asked = MESSAGE.alias("asked")
    is_answer = sa.exists().where(
        asked.c.chat_key == MESSAGE.c.chat_key,
        asked.c.message_id == MESSAGE.c.reply_to,
        asked.c.sender_id == scope.person.id,
    )
    return (
        sa.and_(here, MESSAGE.c.sender_id == scope.person.id, sa.not_(MESSAGE.c.sender_is_bot)),
        sa.and_(here, MESSAGE.c.sender_is_bot, IS_SHOWN, is_answer),
    )


def erase_messages(
    connection: sa.Connection, scope: DataScope, at: int
) -> tuple[tuple[DeletedMessage, ...], tuple[DeletedMessage, ...]]:
    """Blank the person's messages and the bot's answers to them; return both."""
    mine, answers = of_person(scope)
    messages, replies = messages_to_delete(connection, mine), messages_to_delete(connection, answers)
    connection.execute(MESSAGE.update().where(answers).values(text="", deleted_at=at))
    remove_from_index(connection, mine)
    connection.execute(MESSAGE.update().where(mine).values(BLANK_MESSAGE | {"deleted_at": at}))
    return messages, replies


def erase_records(connection: sa.Connection, scope: DataScope) -> int:
    """Delete the calls and the text of the turns; their usage stays, so that budgets are not reset."""
    calls = sa.and_(is_in_scope(CALL.c.session_id, scope), CALL.c.person_id == scope.person.id)
    turns = sa.and_(is_in_scope(TURN.c.chat_key, scope), TURN.c.person_id == scope.person.id, TURN.c.text != "")
    connection.execute(CALL.delete().where(calls))
    return connection.execute(TURN.update().where(turns).values(BLANK_TURN)).rowcount


_WEB = "web"
# The purposes of other keys, which may end like `#<person>`, such as `zone:irc:#ann`.
_OTHER_PURPOSES = frozenset(
    ("chat", "chat.preferences", "reminders.feeds", "tools.off", "user", "web.extras", "welcomed", "zone")
)


_CHAT_DIALOGUES = "dialogue.chat:"


def erase_state(connection: sa.Connection, scope: DataScope) -> None:
    """Delete state and scoped values of the person, with keys `<purpose>:<chat>#<person>` or `user:…`.

    The state of the dialogues in the chats, which may be of this person, is deleted as well.
    """
    of_chats = STATE.c.key.startswith(f"{_CHAT_DIALOGUES}{scope.address.platform}:", autoescape=True)
    of_chat = STATE.c.key == f"{_CHAT_DIALOGUES}{scope.address.key}"
    connection.execute(STATE.delete().where(of_chats if scope.is_everywhere else of_chat))
    of_user = f"user:{scope.address.platform}:{scope.person.id}"
    for table, column in ((STATE, STATE.c.key), (SCOPE, SCOPE.c.scope)):
        similar = sa.select(column).where(column.endswith(f"#{scope.person.id}", autoescape=True)).distinct()
        mine = [key for key in connection.scalars(similar) if _is_of(key, scope)]
        connection.execute(table.delete().where(column.in_([*mine, of_user] if scope.is_everywhere else mine)))
    if scope.address.platform == _WEB:
        _erase_web_state(connection, scope)


def _erase_web_state(connection: sa.Connection, scope: DataScope) -> None:
    """Delete up to where the person has read a room; with all rooms, also to which they belong.

    In a single room the person still belongs to it, because they could not enter it again.
    """
    this = STATE.c.key == f"http.read:{scope.person.id}"
    if scope.is_everywhere:
        connection.execute(STATE.delete().where(sa.or_(this, STATE.c.key == f"http.rooms:{scope.person.id}")))
        return
    places = json.loads(connection.scalar(sa.select(STATE.c.value).where(this)) or "{}")
    if places.pop(scope.address.chat_id, None) is not None:
        connection.execute(STATE.update().where(this).values(value=to_json(places)))


def _is_of(key: str, scope: DataScope) -> bool:
    purpose, _, conversation = key.partition(":")
    chat = conversation.removesuffix(f"#{scope.person.id}")
    platform = chat.partition(":")[0]
    is_here = platform == scope.address.platform if scope.is_everywhere else chat == scope.address.key
    return is_here and chat != conversation and purpose not in _OTHER_PURPOSES


class SqlPrivacyStore:
    """A `PrivacyStore` over a `Database`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def opt_out(self, scope: DataScope, at: datetime) -> bool:
        """Stop storing messages of the person; return False if they had opted out."""
        row = {"place": scope.place, "person_id": scope.person.id, "since": to_micros(at)}

        def work(connection: sa.Connection) -> bool:
            if connection.scalar(sa.select(OPT_OUT.c.since).where(_is_opt_out(scope))) is not None:
                return False
            connection.execute(OPT_OUT.insert(), row)
            return True

        return await self._database.run(work)

    async def opt_in(self, scope: DataScope) -> bool:
        """Store messages of the person again; return False if they had not opted out."""
        mine = _is_opt_out(scope)
        if scope.is_everywhere:
            in_a_chat = is_in_scope(OPT_OUT.c.place, scope)
            mine = sa.and_(OPT_OUT.c.person_id == scope.person.id, sa.or_(OPT_OUT.c.place == scope.place, in_a_chat))
        delete = OPT_OUT.delete().where(mine)
        return await self._database.run(lambda connection: connection.execute(delete).rowcount > 0)

    async def messages_to_erase(self, scope: DataScope) -> tuple[DeletedMessage, ...]:
        """Return the messages and answers that `erase` deletes."""
        condition = sa.or_(*of_person(scope))
        return await self._database.read(lambda connection: messages_to_delete(connection, condition))

    async def erase(self, scope: DataScope, at: datetime) -> Erasure:
        """Delete the person's messages, the answers to them, the memories and the records."""
        moment = to_micros(at)
        of_person = sa.and_(is_in_scope(MEMORY.c.chat_key, scope), MEMORY.c.person_id == scope.person.id)

        def work(connection: sa.Connection) -> Erasure:
            messages, replies = erase_messages(connection, scope, moment)
            memories = connection.execute(MEMORY.delete().where(of_person)).rowcount
            records = erase_records(connection, scope)
            erase_state(connection, scope)
            return Erasure(
                messages=len(messages),
                replies=len(replies),
                memories=memories,
                records=records,
                deleted=(*messages, *replies),
            )

        return await self._database.run(work)

    async def export(self, scope: DataScope, limit: int) -> PersonData:
        """Return the stored data of the person, with the latest `limit` messages."""
        mine, _ = of_person(scope)
        shown = sa.and_(mine, IS_SHOWN)
        latest = sa.select(*MESSAGE_COLUMNS).where(shown).order_by(MESSAGE.c.sent_at.desc(), MESSAGE.c.id.desc())
        memories = sa.and_(is_in_scope(MEMORY.c.chat_key, scope), MEMORY.c.person_id == scope.person.id)
        records = sa.and_(is_in_scope(TURN.c.chat_key, scope), TURN.c.person_id == scope.person.id, TURN.c.text != "")
        out = sa.or_(_is_opt_out(scope), _is_opt_out(scope, place=scope.address.platform))

        def work(connection: sa.Connection) -> PersonData:
            rows = connection.execute(latest.limit(limit)).all()
            memory_rows = connection.execute(sa.select(MEMORY).where(memories).order_by(MEMORY.c.id)).mappings().all()
            return PersonData(
                messages=tuple(messages_of(list(reversed(rows)))),
                message_count=connection.scalar(sa.select(sa.func.count()).where(shown)) or 0,
                memories=tuple(memory_of(row) for row in memory_rows),
                record_count=connection.scalar(sa.select(sa.func.count()).where(records)) or 0,
                is_opted_out=connection.scalar(sa.select(OPT_OUT.c.since).where(out).limit(1)) is not None,
            )

        return await self._database.read(work)

    async def set_retention(self, chat_key: str, keep_days: int | None) -> None:
        """Set the retention of a chat in days (0: for ever); None restores that of the settings."""

        def work(connection: sa.Connection) -> None:
            connection.execute(RETENTION.delete().where(RETENTION.c.chat_key == chat_key))
            if keep_days is not None:
                connection.execute(RETENTION.insert().values(chat_key=chat_key, keep_days=keep_days))

        await self._database.run(work)

    async def retention(self) -> Mapping[str, int]:
        """Return the days of retention of chats with their own value, by chat key."""
        rows = await self._database.read(lambda connection: connection.execute(sa.select(RETENTION)).all())
        return {row.chat_key: row.keep_days for row in rows}

    async def chats(self) -> tuple[str, ...]:
        """Return the keys of all chats with stored messages."""
        query = sa.select(MESSAGE.c.chat_key).distinct()
        return tuple(await self._database.read(lambda connection: connection.scalars(query).all()))

    async def with_files(self, chat_key: str, before: datetime) -> tuple[DeletedMessage, ...]:
        """Return the messages of the chat with files, sent before `before`."""
        is_old = sa.and_(MESSAGE.c.chat_key == chat_key, MESSAGE.c.sent_at < to_micros(before))
        condition = sa.and_(is_old, MESSAGE.c.attachments != "")
        return await self._database.read(lambda connection: messages_to_delete(connection, condition))

    async def purge(self, chat_key: str, before: datetime, limit: int) -> int:
        """Delete at most `limit` messages of the chat sent before `before`; return their number."""
        is_old = sa.and_(MESSAGE.c.chat_key == chat_key, MESSAGE.c.sent_at < to_micros(before))
        oldest = sa.select(MESSAGE.c.id).where(is_old).order_by(MESSAGE.c.sent_at).limit(limit)

        def work(connection: sa.Connection) -> int:
            ids = connection.scalars(oldest).all()
            remove_from_index(connection, MESSAGE.c.id.in_(ids))
            return connection.execute(MESSAGE.delete().where(MESSAGE.c.id.in_(ids))).rowcount

        return await self._database.run(work, is_durable=False)


def _is_opt_out(scope: DataScope, *, place: str | None = None) -> sa.ColumnElement[bool]:
    return sa.and_(OPT_OUT.c.place == (place or scope.place), OPT_OUT.c.person_id == scope.person.id)
