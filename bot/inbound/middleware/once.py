"""Stop messages that were handled before: platforms redeliver after a lost acknowledgement."""

from bot.inbound.middleware import Next
from services.history.service import HistoryService, record_once
from services.kernel.chat import ChatMessage


class Once:
    """Records a message in the history, which remembers ids over restarts, and stops one that is there already."""

    def __init__(self, history: HistoryService) -> None:
        self._history = history

    async def __call__(self, message: ChatMessage, call_next: Next) -> None:
        """Pass on what is new. History is written first, so nothing said in the chat is missed by a summary."""
        if message.is_recorded or await record_once(self._history, message):
            await call_next(message)
