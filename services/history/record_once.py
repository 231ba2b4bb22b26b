"""Record incoming messages before anything else processes them."""

from loguru import logger

from services.history.service import HistoryService
from services.kernel.chat import ChatMessage
from services.kernel.errors import StorageFull


async def record_once(history: HistoryService, message: ChatMessage) -> bool:
    """Record `message`; False when it is there already.

    What cannot be kept on a full disk counts as new: people can look things up, and hear why nothing else works.
    """
    try:
        return await history.record(message)
    except StorageFull as error:
        log = logger.bind(chat=str(message.address), message=message.id)
        log.warning("could not record a message in the history: {}", error)
        return True
