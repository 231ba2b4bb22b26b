"""Claim messages for one of the processes that share a PostgreSQL.

A claim is made in the transaction that stores the message, and deleted when the message is handled. The successor of a
dead or frozen process takes its claims. An answer is sent only with a claim, so a process that continues after a freeze
sends nothing.
"""

from collections.abc import Collection, Sequence

import sqlalchemy as sa

from services.storage.database import Database
from services.storage.tables import TURN_CLAIM

Key = tuple[str, str]
"""A message: the key of its chat, and its id."""

_KEYS = "unnest(CAST(:chats AS text[]), CAST(:messages AS text[])) AS key (chat_key, message_id)"
_MAKE = sa.text(
    f"INSERT INTO turn_claim (chat_key, message_id, owner) SELECT chat_key, message_id, :owner FROM {_KEYS} "  # noqa: S608 - constants
    "ON CONFLICT (chat_key, message_id) DO UPDATE SET owner = excluded.owner"
)
_TAKE = (
    "UPDATE turn_claim SET owner = :owner "
    "WHERE owner <> :owner AND split_part(chat_key, ':', 1) = :platform{condition} RETURNING chat_key, message_id"
)
_TAKE_ALL = sa.text(_TAKE.format(condition=""))
_TAKE_DEAD = sa.text(_TAKE.format(condition=" AND owner NOT IN (SELECT owner FROM worker)"))
_RELEASE = sa.text(
    f"DELETE FROM turn_claim AS claim USING {_KEYS} WHERE claim.owner = :owner "  # noqa: S608 - constants
    "AND claim.chat_key = key.chat_key AND claim.message_id = key.message_id"
)


class TurnClaims:
    """The claims of one process, `owner`, which must be registered as alive."""

    def __init__(self, database: Database, owner: str) -> None:
        self._database = database
        self._owner = owner
        self._held: set[Key] = set()
        self._completed: set[Key] = set()

    def make(self, connection: sa.Connection, keys: Sequence[Key]) -> None:
        """Claim messages in the caller's transaction; call `hold` after the commit."""
        if keys:
            connection.execute(_MAKE, self._values(keys))

    def hold(self, keys: Collection[Key]) -> None:
        """Remember claimed messages; answers to other messages need no claim."""
        self._held.update(keys)

    async def is_ours(self, key: Key) -> bool:
        """Return whether this process still has the claim on a message."""
        if key not in self._held:
            return True
        is_it = sa.and_(TURN_CLAIM.c.chat_key == key[0], TURN_CLAIM.c.message_id == key[1])
        query = sa.select(TURN_CLAIM.c.owner).where(is_it)
        return await self._database.read(lambda connection: connection.scalar(query)) == self._owner

    async def take(self, platform: str, *, only_dead: bool) -> frozenset[Key]:
        """Take the claims of other processes on messages of a platform, or those of dead processes."""
        values = {"owner": self._owner, "platform": platform}
        take = _TAKE_DEAD if only_dead else _TAKE_ALL

        def work(connection: sa.Connection) -> frozenset[Key]:
            return frozenset((row.chat_key, row.message_id) for row in connection.execute(take, values))

        taken = await self._database.run(work, is_durable=False)
        self.hold(taken)
        return taken

    def complete(self, keys: Collection[Key]) -> None:
        """Mark messages as handled; `release_completed` deletes their claims."""
        done = self._held.intersection(keys)
        self._held -= done
        self._completed |= done

    async def release_completed(self) -> None:
        """Delete the claims on handled messages."""
        if not self._completed:
            return
        keys = tuple(self._completed)
        values = self._values(keys)
        await self._database.run(lambda connection: connection.execute(_RELEASE, values).close(), is_durable=False)
        self._completed.difference_update(keys)

    def _values(self, keys: Sequence[Key]) -> dict[str, object]:
        chats, messages = zip(*keys, strict=True)
        return {"owner": self._owner, "chats": list(chats), "messages": list(messages)}
