"""Where a person can be told something that no chat can: the private chat in which they last wrote to the bot."""

import sqlalchemy as sa

from services.chat import ChatAddress
from services.storage.reminder_rows import address_of
from services.storage.tables import MESSAGE
from services.storage.view import Readable


class PrivateChats:
    """Finds private chats in the history."""

    def __init__(self, database: Readable) -> None:
        self._database = database

    async def of(self, platform: str, person_id: str) -> ChatAddress | None:
        """The private chat of a person on a platform; None where they never wrote in one."""
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
        row = await self._database.read(lambda connection: connection.execute(query).one_or_none())
        return None if row is None else address_of(row.chat_key, row.thread_id)
