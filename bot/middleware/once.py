"""Has this message been handled before? Platforms deliver again after a lost acknowledgement."""

from loguru import logger

from bot.middleware import Next
from services.chat import ChatMessage
from services.errors import StorageFull
from services.history.service import HistoryService


class Once:
    """Records a message in the history, which remembers ids over restarts, and stops one that is there already."""

    def __init__(self, history: HistoryService) -> None:
        self._history = history

    async def __call__(self, message: ChatMessage, call_next: Next) -> None:
        """Pass on what is new. History is written first, so nothing said in the chat is missed by a summary."""
        if message.is_recorded or await self._is_new(message):
            await call_next(message)

    async def _is_new(self, message: ChatMessage) -> bool:
        """What cannot be kept on a full disk is answered all the same: people can look things up, and hear why."""
        try:
            return await self._history.record(message)
        except StorageFull as error:
            logger.bind(chat=str(message.address), message=message.id).error(
                "a message is not in the history: {}", error
            )
            return True
