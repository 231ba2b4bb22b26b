"""Find messages of people without an answer in the history or a turn that ended in silence."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa

from services.kernel.chat import ChatAddress, ChatMessage
from services.storage.engine.column_values import to_micros
from services.storage.engine.readonly import Readable
from services.storage.message_index.rows import MESSAGE_COLUMNS, messages_of
from services.storage.tables import MESSAGE, TURN

_LOOKED_AT: Final = 5000
"""So many of the last messages are looked at, so that a long history costs a start nothing."""

_REPLY = MESSAGE.alias("reply")
_IS_REPLIED = sa.exists().where(
    _REPLY.c.chat_key == MESSAGE.c.chat_key,
    _REPLY.c.reply_to == MESSAGE.c.message_id,
    _REPLY.c.sent_at >= MESSAGE.c.sent_at,
    _REPLY.c.sender_is_bot,
)
# A turn is on record before its answer is said, so that one with words to say proves nothing.
_WAS_SILENT = sa.exists().where(
    TURN.c.message_id == MESSAGE.c.message_id, TURN.c.chat_key == MESSAGE.c.chat_key, TURN.c.reply == ""
)
_IS_OWED = sa.and_(
    MESSAGE.c.deleted_at.is_(None), sa.not_(MESSAGE.c.sender_is_bot), sa.not_(_IS_REPLIED), sa.not_(_WAS_SILENT)
)


class UnansweredMessages:
    """Reads the messages that a killed process had stored and not answered."""

    def __init__(self, database: Readable) -> None:
        self._database = database

    async def since(self, moment: datetime) -> tuple[ChatMessage, ...]:
        """Return the unanswered messages sent after `moment` (timezone-aware), oldest first."""
        newest = sa.select(sa.func.max(MESSAGE.c.id)).scalar_subquery()
        query = (
            sa.select(*MESSAGE_COLUMNS)
            .where(MESSAGE.c.id > newest - _LOOKED_AT, MESSAGE.c.sent_at > to_micros(moment), _IS_OWED)
            .order_by(MESSAGE.c.id)
        )
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return tuple(messages_of(rows))

    async def has(self, chat: ChatAddress, message_id: str, *, before: datetime) -> bool:
        """Return whether a message that was sent before a moment (timezone-aware) is owed an answer or a silence."""
        is_it = sa.and_(MESSAGE.c.chat_key == chat.key, MESSAGE.c.message_id == message_id)
        query = sa.select(sa.exists().where(is_it, MESSAGE.c.sent_at < to_micros(before), _IS_OWED))
        return bool(await self._database.read(lambda connection: connection.scalar(query)))
