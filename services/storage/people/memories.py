"""Store memories in SQL."""

from collections.abc import Sequence

import sqlalchemy as sa

from services.kernel.chat import ChatAddress, Person
from services.people.memory import Memory, MemoryViewer, NewMemory
from services.people.model import Account
from services.storage.database import Database
from services.storage.engine.rows import from_micros, to_micros
from services.storage.tables import MEMORY


class SqlMemoryStore:
    """A `MemoryStore` over a `Database`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, memory: NewMemory) -> Memory:
        """Store it durably; return it with its id."""
        columns = {
            "chat_key": memory.address.key,
            "person_id": memory.person.id,
            "person_name": memory.person.name,
            "is_shared": memory.is_shared,
            "text": memory.text,
            "created_at": to_micros(memory.created_at),
        }
        insert = MEMORY.insert().values(columns).returning(*MEMORY.c)
        return memory_of(await self._database.run(lambda connection: connection.execute(insert).mappings().one()))

    async def visible_to(self, viewer: MemoryViewer) -> tuple[Memory, ...]:
        """Return all memories that `viewer` may see, latest first."""
        is_own = MEMORY.c.person_id == viewer.person.id
        condition = sa.and_(MEMORY.c.chat_key == viewer.address.key, sa.or_(MEMORY.c.is_shared, is_own))
        if viewer.is_private:
            accounts = (Account.of(viewer.address, viewer.person), *viewer.others)
            own_anywhere = sa.or_(*map(_is_of_account, accounts))
            condition = sa.or_(condition, sa.and_(own_anywhere, sa.not_(MEMORY.c.is_shared)))
        query = sa.select(MEMORY).where(condition).order_by(MEMORY.c.id.desc())
        rows = await self._database.read(lambda connection: connection.execute(query).mappings().all())
        return tuple(memory_of(row) for row in rows)

    async def count(self, address: ChatAddress, person_id: str | None = None) -> int:
        """Return the number of memories of a chat, or of one person in it."""
        query = sa.select(sa.func.count()).select_from(MEMORY).where(MEMORY.c.chat_key == address.key)
        if person_id is not None:
            query = query.where(MEMORY.c.person_id == person_id)
        return await self._database.read(lambda connection: connection.scalar(query)) or 0

    async def remove(self, ids: Sequence[str]) -> int:
        """Delete these."""
        delete = MEMORY.delete().where(MEMORY.c.id.in_([int(memory_id.removeprefix("m")) for memory_id in ids]))
        return await self._database.run(lambda connection: connection.execute(delete).rowcount)


def _is_of_account(account: Account) -> sa.ColumnElement[bool]:
    on_platform = MEMORY.c.chat_key.startswith(f"{account.platform}:", autoescape=True)
    return sa.and_(MEMORY.c.person_id == account.person_id, on_platform)


def memory_of(row: sa.RowMapping) -> Memory:
    """Return the memory of a row."""
    return Memory(
        id=f"m{row['id']}",
        address=ChatAddress.of_key(row["chat_key"]),
        person=Person(id=row["person_id"], name=row["person_name"]),
        text=row["text"],
        is_shared=bool(row["is_shared"]),
        created_at=from_micros(row["created_at"]),
    )
