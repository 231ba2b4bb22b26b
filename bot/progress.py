"""One line that tells how far a long answer is, changed in place where the platform can do that."""

from datetime import datetime, timedelta

from bot.outbox import Outbox
from services.chat import ChatAddress
from services.clock import Clock

_CHANGED_EVERY = timedelta(seconds=3)


class ProgressLine:
    """Tells progress in one chat: one message, changed at most every three seconds."""

    def __init__(self, outbox: Outbox, address: ChatAddress, clock: Clock) -> None:
        self._outbox = outbox
        self._address = address
        self._clock = clock
        self._message_id: str | None = None
        self._told_at: datetime | None = None

    async def __call__(self, text: str) -> None:
        """Tell `text`, unless something was told a moment ago."""
        now = self._clock.now()
        if self._told_at is not None and (self._message_id is None or now - self._told_at < _CHANGED_EVERY):
            return
        self._told_at = now
        self._message_id = await self._outbox.progress(self._address, text, self._message_id)
