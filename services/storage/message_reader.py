"""What was said before a message, for whoever only reads."""

import sqlalchemy as sa

from services.chat import ChatAddress, ChatMessage
from services.storage.message_rows import MESSAGE_COLUMNS, messages_of
from services.storage.tables import MESSAGE
from services.storage.view import Readable


async def messages_before(
    database: Readable, address: ChatAddress, message_id: str, limit: int
) -> tuple[ChatMessage, ...]:
    """The last `limit` messages of the chat that were recorded before this one, oldest first."""
    in_chat = sa.and_(MESSAGE.c.chat_key == address.key, MESSAGE.c.deleted_at.is_(None))
    this = sa.select(MESSAGE.c.id).where(MESSAGE.c.chat_key == address.key, MESSAGE.c.message_id == message_id)
    query = (
        sa.select(*MESSAGE_COLUMNS)
        .where(in_chat, MESSAGE.c.id < this.scalar_subquery())
        .order_by(MESSAGE.c.id.desc())
        .limit(limit)
    )
    rows = await database.read(lambda connection: connection.execute(query).all())
    return tuple(messages_of(reversed(rows)))
