"""Use of a chat as its rows show it: whether anything is kept of it, and who has written there."""

from collections.abc import Collection

import sqlalchemy as sa

from services.chat import ChatAddress
from services.storage.tables import MEMORY, MESSAGE, REMINDER
from services.storage.view import Readable


class RoomUse:
    """Reads the use of chats; withdrawn messages and reminders that are over count as well."""

    def __init__(self, database: Readable) -> None:
        self._database = database

    async def is_used(self, chat: ChatAddress) -> bool:
        """Return whether a message, a reminder or a memory of the chat is kept."""
        has_rows = [sa.exists().where(table.c.chat_key == chat.key) for table in (MESSAGE, REMINDER, MEMORY)]
        query = sa.select(sa.or_(*has_rows))
        return bool(await self._database.read(lambda connection: connection.scalar(query)))

    async def written_by(self, person_id: str, among: Collection[ChatAddress]) -> frozenset[ChatAddress]:
        """Return the chats of `among` in which the person has written."""
        by_key = {chat.key: chat for chat in among}
        is_own = sa.and_(MESSAGE.c.sender_id == person_id, ~MESSAGE.c.sender_is_bot)
        query = sa.select(MESSAGE.c.chat_key).where(MESSAGE.c.chat_key.in_(by_key), is_own).distinct()
        keys = await self._database.read(lambda connection: connection.scalars(query).all())
        return frozenset(by_key[key] for key in keys)
