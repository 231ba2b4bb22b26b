"""Cache the administrators of groups."""

from collections.abc import Awaitable, Callable, Collection
from datetime import datetime, timedelta

from services.kernel.clock import Clock

_TRUSTED_FOR = timedelta(minutes=10)


class Administrators:
    """Remembers the answer of `ask` for ten minutes a chat; a chat that does not tell has none."""

    def __init__(self, ask: Callable[[int], Awaitable[Collection[str]]], clock: Clock) -> None:
        self._ask = ask
        self._clock = clock
        self._known: dict[int, tuple[datetime, Collection[str]]] = {}

    async def of(self, chat_id: int) -> Collection[str]:
        """Return the ids of the administrators of `chat_id`; private chats have none."""
        if chat_id > 0:
            return ()
        asked_at, known = self._known.get(chat_id, (None, ()))
        if asked_at is None or self._clock.now() - asked_at > _TRUSTED_FOR:
            known = await self._ask(chat_id)
            self._known[chat_id] = (self._clock.now(), known)
        return known
