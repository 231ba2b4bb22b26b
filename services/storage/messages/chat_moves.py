"""Change the chat of stored rows after a platform gave the chat a new id."""

from collections.abc import Iterator
from typing import Any, Final

import sqlalchemy as sa

from services.kernel.chat import ChatMoved
from services.kernel.state import to_json
from services.storage.database import Database
from services.storage.message_index.updates import move_in_index
from services.storage.tables import (
    CALL,
    DELIVERY,
    MEMORY,
    MESSAGE,
    OPT_OUT,
    QUIET,
    REMINDER,
    RETENTION,
    SCOPE,
    STATE,
    TURN,
)

_Column = sa.Column[Any]

_CHATS: Final[tuple[tuple[_Column, tuple[_Column, ...]], ...]] = (
    (MESSAGE.c.chat_key, (MESSAGE.c.message_id, MESSAGE.c.reply_to)),
    (TURN.c.chat_key, (TURN.c.message_id,)),
    (CALL.c.session_id, (CALL.c.message_id,)),
    (DELIVERY.c.chat_key, (DELIVERY.c.platform_message_id,)),
    (REMINDER.c.chat_key, ()),
    (MEMORY.c.chat_key, ()),
)
"""The columns of chats, each with the columns that have ids of messages of the chat."""

_CHOICES: Final = (OPT_OUT.c.place, RETENTION.c.chat_key)
"""Columns with chats that are parts of primary keys."""

_KEYS: Final = (STATE.c.key, SCOPE.c.scope, QUIET.c.key)
"""Columns of keys like `<purpose>:<chat>` and `<purpose>:<chat>#<person>`."""

_OF_MESSAGES: Final = frozenset(("taken_up",))
"""The purposes of keys like `<purpose>:<chat>#<message>`; they expire soon."""

_VALUES: Final = (STATE.c.value, SCOPE.c.value)


async def move_chat(database: Database, moved: ChatMoved) -> None:
    """Change the chat of all rows of `moved.previous` in one transaction.

    Messages get the id `<previous chat>/<id>`, because the platform may give their ids to new messages. Where the new
    chat has a choice or state of its own, that of the previous one is deleted.
    """
    before, after = moved.previous.key, moved.address.key
    prefix = sa.literal(f"{moved.previous.chat_id}/")

    def work(connection: sa.Connection) -> None:
        move_in_index(connection, MESSAGE.c.chat_key == before, after)
        for chat, message_ids in _CHATS:
            values = {chat: after} | {column: prefix + column for column in message_ids}
            connection.execute(chat.table.update().where(chat == before).values(values))
        for column in _CHOICES:
            _replace_key(connection, column, before, after)
        for column in _KEYS:
            for key in _find_keys(connection, column, before):
                _replace_key(connection, column, key, key.replace(before, after, 1))
        for column in _VALUES:
            old, new = to_json(before), to_json(after)
            has_chat = column.contains(old, autoescape=True)
            replaced = sa.func.replace(column, old, new)
            connection.execute(column.table.update().where(has_chat).values({column: replaced}))

    await database.run(work)


def _find_keys(connection: sa.Connection, column: _Column, chat_key: str) -> Iterator[str]:
    """Yield the keys of a chat and of people in it."""
    similar = sa.or_(
        column.endswith(f":{chat_key}", autoescape=True), column.contains(f":{chat_key}#", autoescape=True)
    )
    for key in connection.scalars(sa.select(column).where(similar).distinct()).all():
        purpose, _, rest = key.partition(":")
        if purpose not in _OF_MESSAGES and (rest == chat_key or rest.startswith(f"{chat_key}#")):
            yield key


def _replace_key(connection: sa.Connection, column: _Column, before: str, after: str) -> None:
    """Change a part of primary keys, and delete rows whose new key exists."""
    table, other = column.table, column.table.alias()
    same = [other.c[each.name] == each for each in table.primary_key if each is not column]
    is_taken = sa.exists().where(other.c[column.name] == after, *same)
    connection.execute(table.delete().where(column == before, is_taken))
    connection.execute(table.update().where(column == before).values({column: after}))
