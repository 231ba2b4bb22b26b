"""Report the progress of a long answer in one line, edited in place if the platform can."""

from datetime import datetime, timedelta
from functools import partial

from msgspec.structs import replace

from bot.outbound.outbox import Outbox
from function_calls.tools.context import CallContext
from services.kernel.chat import ChatAddress
from services.kernel.clock import Clock

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


def connected(outbox: Outbox, clock: Clock, context: CallContext) -> CallContext:
    """`context` with a way to tell progress in its chat, links to the messages there, and its members."""
    chat = context.chat
    return replace(
        context,
        progress=ProgressLine(outbox, chat, clock),
        link_of=partial(outbox.link, chat),
        members=partial(outbox.members, chat),
    )
