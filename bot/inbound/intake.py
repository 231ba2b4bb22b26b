"""Record messages as they arrive, before they wait for their turn in their chat."""

from msgspec.structs import replace

from bot.inbound.middleware import Next
from bot.inbound.middleware.access import Access
from bot.inbound.storage_retry import AWAY, StorageRetry
from services.history.service import HistoryService, record_once
from services.kernel.chat import ChatMessage


class Intake:
    """Writes messages to the history and retries while the database is away.

    A platform moves its position (sync token, update offset, acknowledgement) after `record` has returned, so a message
    of an outage is either recorded or delivered again.
    """

    def __init__(self, history: HistoryService, access: Access, retry: StorageRetry) -> None:
        self._history = history
        self._access = access
        self._retry = retry

    async def record(self, message: ChatMessage) -> ChatMessage:
        """Return `message` once it is committed, marked as recorded if it is new.

        A message that is known, or that `Access` stops, is returned unmarked: the middlewares stop it.
        """
        if message.is_recorded or not self._access.admits(message):
            return message
        may_be_committed = False

        async def write() -> bool:
            nonlocal may_be_committed
            try:
                # A commit whose answer was lost makes the next attempt find the message; nothing has handled it yet.
                return await record_once(self._history, message) or may_be_committed
            except AWAY:
                may_be_committed = True
                raise

        return replace(message, is_recorded=True) if await self._retry.run(write) else message


class RetryHandling:
    """Handles a message again when the database went away before its answer, in its turn in the chat."""

    def __init__(self, retry: StorageRetry) -> None:
        self._retry = retry

    async def __call__(self, message: ChatMessage, call_next: Next) -> None:
        """Pass `message` on until that succeeds; call ids come from the message, so no change is made twice."""
        await self._retry.run(lambda: call_next(message))
