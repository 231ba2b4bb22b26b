"""Read the message history in pages, the chats of people, and the messages without an answer."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from msgspec import Struct

from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.storage.engine.readonly import Readable
from services.storage.engine.rows import from_micros, to_micros
from services.storage.message_index.rows import IS_SHOWN, MESSAGE_COLUMNS, messages_of
from services.storage.tables import MEMORY, MESSAGE, REMINDER, TURN

_COLUMNS = (*MESSAGE_COLUMNS, MESSAGE.c.edited_at)


class PagedMessage(Struct, frozen=True, kw_only=True):
    """A message with its position: `number` increases with every stored message of any chat."""

    number: int
    message: ChatMessage
    is_edited: bool


class ChatOverview(Struct, frozen=True, kw_only=True):
    """A chat with the number of its messages and the time of the last one."""

    address: ChatAddress
    message_count: int
    last_at: datetime


class Unread(Struct, frozen=True, kw_only=True):
    """The number of messages of a chat that a person has not seen, and of those that mention the person."""

    messages: int = 0
    mentions: int = 0


class MessageFilter(Struct, frozen=True, kw_only=True):
    """Filters messages by chat, person (id or name) and contained text; None or empty for all."""

    chat_key: str | None = None
    person: str | None = None
    text: str = ""


class MessagePages:
    """Reads messages while other connections write."""

    def __init__(self, database: Readable) -> None:
        self._database = database

    async def of_chat(self, chat: ChatAddress, *, before: str | None = None, limit: int) -> tuple[PagedMessage, ...]:
        """Return the last `limit` messages of a chat, or those before the message id `before`, oldest first."""
        query = sa.select(*_COLUMNS).where(MESSAGE.c.chat_key == chat.key, IS_SHOWN)
        if before is not None:
            this_message = sa.and_(MESSAGE.c.chat_key == chat.key, MESSAGE.c.message_id == before)
            place = sa.select(MESSAGE.c.sent_at, MESSAGE.c.id).where(this_message).subquery()
            query = query.where(sa.tuple_(MESSAGE.c.sent_at, MESSAGE.c.id) < sa.select(place).scalar_subquery())
        rows = await self._rows(query.order_by(MESSAGE.c.sent_at.desc(), MESSAGE.c.id.desc()).limit(limit))
        return tuple(reversed(_to_pages(rows)))

    async def one(self, chat: ChatAddress, message_id: str) -> PagedMessage | None:
        """Return one message of a chat; None if it is unknown or deleted."""
        condition = sa.and_(MESSAGE.c.chat_key == chat.key, MESSAGE.c.message_id == message_id, IS_SHOWN)
        return next(iter(_to_pages(await self._rows(sa.select(*_COLUMNS).where(condition)))), None)

    async def replies(self, chat: ChatAddress, message_ids: Sequence[str]) -> tuple[PagedMessage, ...]:
        """Return the bot's answers to these messages, oldest first."""
        condition = sa.and_(
            MESSAGE.c.chat_key == chat.key, MESSAGE.c.reply_to.in_(message_ids), MESSAGE.c.sender_is_bot, IS_SHOWN
        )
        return _to_pages(await self._rows(sa.select(*_COLUMNS).where(condition).order_by(MESSAGE.c.id)))

    async def chats(self, platform: str | None = None, limit: int = 200) -> tuple[ChatOverview, ...]:
        """Return the chats (of a platform) with messages, most recently used first."""
        last = sa.func.max(MESSAGE.c.sent_at)
        query = sa.select(MESSAGE.c.chat_key, sa.func.count().label("count"), last.label("last")).where(IS_SHOWN)
        if platform is not None:
            query = query.where(MESSAGE.c.chat_key.startswith(f"{platform}:", autoescape=True))
        query = query.group_by(MESSAGE.c.chat_key).order_by(last.desc()).limit(limit)
        rows = await self._rows(query)
        return tuple(
            ChatOverview(address=ChatAddress.of_key(row[0]), message_count=int(row[1]), last_at=from_micros(row[2]))
            for row in rows
        )

    async def unread(
        self, since: Mapping[ChatAddress, datetime], person: Person, mentions: Sequence[str]
    ) -> dict[str, Unread]:
        """Count messages of other people after a moment by chat key; `mentions` are texts that mention the person."""
        if not since:
            return {}
        is_new = [
            sa.and_(MESSAGE.c.chat_key == chat.key, MESSAGE.c.sent_at > to_micros(at)) for chat, at in since.items()
        ]
        of_others = sa.and_(IS_SHOWN, MESSAGE.c.sender_id != person.id, sa.or_(*is_new))
        counts = await self._rows(
            sa.select(MESSAGE.c.chat_key, sa.func.count()).where(of_others).group_by(MESSAGE.c.chat_key)
        )
        may_mention = sa.or_(*(MESSAGE.c.text.icontains(text, autoescape=True) for text in mentions))
        texts = await self._rows(sa.select(MESSAGE.c.chat_key, MESSAGE.c.text).where(of_others, may_mention))
        pattern = _mention_pattern(mentions)
        mentioned = Counter(chat_key for chat_key, text in texts if pattern.search(text))
        return {chat_key: Unread(messages=int(count), mentions=mentioned[chat_key]) for chat_key, count in counts}

    async def latest(
        self, criteria: MessageFilter, *, before: int | None = None, limit: int
    ) -> tuple[PagedMessage, ...]:
        """Return messages of all chats, latest first; `before` is the last number of the previous page."""
        conditions: list[sa.ColumnElement[bool]] = [IS_SHOWN]
        if criteria.chat_key is not None:
            conditions.append(MESSAGE.c.chat_key == criteria.chat_key)
        if criteria.person is not None:
            conditions.append(sa.or_(MESSAGE.c.sender_id == criteria.person, MESSAGE.c.sender_name == criteria.person))
        if criteria.text:
            conditions.append(MESSAGE.c.text.icontains(criteria.text, autoescape=True))
        if before is not None:
            conditions.append(MESSAGE.c.id < before)
        query = sa.select(*_COLUMNS).where(*conditions).order_by(MESSAGE.c.id.desc()).limit(limit)
        return _to_pages(await self._rows(query))

    async def _rows(self, query: sa.Select[*tuple[Any, ...]]) -> Sequence[sa.Row[*tuple[Any, ...]]]:
        return await self._database.read(lambda connection: connection.execute(query).all())


def _mention_pattern(texts: Sequence[str]) -> re.Pattern[str]:
    """Return a pattern of `texts` as whole words: "@Ada" is not in "@Adam". Chinese has no space between words."""
    edge = "[A-Za-z0-9_]"
    wholes = (
        rf"{f'(?<!{edge})' if text[0].isascii() else ''}{re.escape(text)}{f'(?!{edge})' if text[-1].isascii() else ''}"
        for text in texts
    )
    return re.compile("|".join(wholes), re.IGNORECASE)


def _to_pages(rows: Sequence[sa.Row[*tuple[Any, ...]]]) -> tuple[PagedMessage, ...]:
    return tuple(
        PagedMessage(number=row.id, message=message, is_edited=row.edited_at is not None)
        for row, message in zip(rows, messages_of(rows), strict=True)
    )


async def messages_before(
    database: Readable, address: ChatAddress, message_id: str, limit: int
) -> tuple[ChatMessage, ...]:
    """Return the last `limit` messages of the chat that were recorded before this one, oldest first."""
    in_chat = sa.and_(MESSAGE.c.chat_key == address.key, IS_SHOWN)
    this = sa.select(MESSAGE.c.id).where(MESSAGE.c.chat_key == address.key, MESSAGE.c.message_id == message_id)
    query = (
        sa.select(*MESSAGE_COLUMNS)
        .where(in_chat, MESSAGE.c.id < this.scalar_subquery())
        .order_by(MESSAGE.c.id.desc())
        .limit(limit)
    )
    rows = await database.read(lambda connection: connection.execute(query).all())
    return tuple(messages_of(reversed(rows)))


async def find_private_chat(database: Readable, platform: str, person_id: str) -> ChatAddress | None:
    """Return the private chat of a person on a platform from the history; None if they never wrote in one."""
    query = (
        sa.select(MESSAGE.c.chat_key, MESSAGE.c.thread_id)
        .where(
            MESSAGE.c.sender_id == person_id,
            MESSAGE.c.is_private,
            MESSAGE.c.chat_key.startswith(f"{platform}:", autoescape=True),
        )
        .order_by(MESSAGE.c.id.desc())
        .limit(1)
    )
    row = await database.read(lambda connection: connection.execute(query).one_or_none())
    return None if row is None else ChatAddress.of_key(row.chat_key, row.thread_id)


class ChatUse:
    """Reads which chats were used, including those with only deleted messages and finished reminders."""

    def __init__(self, database: Readable) -> None:
        self._database = database

    async def is_used(self, chat: ChatAddress) -> bool:
        """Return whether a message, a reminder or a memory of the chat is stored."""
        has_rows = [sa.exists().where(table.c.chat_key == chat.key) for table in (MESSAGE, REMINDER, MEMORY)]
        query = sa.select(sa.or_(*has_rows))
        return bool(await self._database.read(lambda connection: connection.scalar(query)))

    async def chats_of_writer(self, person_id: str, among: Collection[ChatAddress]) -> frozenset[ChatAddress]:
        """Return the chats of `among` in which the person has written."""
        by_key = {chat.key: chat for chat in among}
        is_own = sa.and_(MESSAGE.c.sender_id == person_id, ~MESSAGE.c.sender_is_bot)
        query = sa.select(MESSAGE.c.chat_key).where(MESSAGE.c.chat_key.in_(by_key), is_own).distinct()
        keys = await self._database.read(lambda connection: connection.scalars(query).all())
        return frozenset(by_key[key] for key in keys)


_MAX_SEARCHED: Final = 5000
"""The number of last messages that are searched, so that a long history does not delay the start."""

_REPLY = MESSAGE.alias("reply")
_IS_REPLIED = sa.exists().where(
    _REPLY.c.chat_key == MESSAGE.c.chat_key,
    _REPLY.c.reply_to == MESSAGE.c.message_id,
    _REPLY.c.sent_at >= MESSAGE.c.sent_at,
    _REPLY.c.sender_is_bot,
)
# A turn is recorded before its answer is sent, so a turn with a reply does not prove that it was sent.
_WAS_SILENT = sa.exists().where(
    TURN.c.message_id == MESSAGE.c.message_id, TURN.c.chat_key == MESSAGE.c.chat_key, TURN.c.reply == ""
)
_IS_UNANSWERED = sa.and_(IS_SHOWN, sa.not_(MESSAGE.c.sender_is_bot), sa.not_(_IS_REPLIED), sa.not_(_WAS_SILENT))


class UnansweredMessages:
    """Reads messages that a killed process stored and did not answer."""

    def __init__(self, database: Readable) -> None:
        self._database = database

    async def since(self, moment: datetime) -> tuple[ChatMessage, ...]:
        """Return the unanswered messages sent after `moment` (timezone-aware), oldest first."""
        newest = sa.select(sa.func.max(MESSAGE.c.id)).scalar_subquery()
        query = (
            sa.select(*MESSAGE_COLUMNS)
            .where(MESSAGE.c.id > newest - _MAX_SEARCHED, MESSAGE.c.sent_at > to_micros(moment), _IS_UNANSWERED)
            .order_by(MESSAGE.c.id)
        )
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return tuple(messages_of(rows))

    async def has(self, chat: ChatAddress, message_id: str, *, before: datetime) -> bool:
        """Return whether a message sent before a moment (timezone-aware) is unanswered."""
        is_it = sa.and_(MESSAGE.c.chat_key == chat.key, MESSAGE.c.message_id == message_id)
        query = sa.select(sa.exists().where(is_it, MESSAGE.c.sent_at < to_micros(before), _IS_UNANSWERED))
        return bool(await self._database.read(lambda connection: connection.scalar(query)))
