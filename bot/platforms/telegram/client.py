"""Convert Telegram's errors, send files and cache administrators."""

from collections.abc import Collection
from datetime import datetime, timedelta

from aiogram import Bot
from aiogram.exceptions import (
    AiogramError,
    TelegramAPIError,
    TelegramBadRequest,
    TelegramForbiddenError,
    TelegramNetworkError,
    TelegramNotFound,
    TelegramRetryAfter,
    TelegramUnauthorizedError,
)
from aiogram.types import BufferedInputFile
from aiohttp import ClientConnectorError
from loguru import logger

from bot.platforms.telegram import requests
from bot.platforms.telegram.wire import NAME
from services.kernel.bounded import BoundedDict
from services.kernel.chat import ChatAddress, SentFile
from services.kernel.clock import Clock
from services.kernel.errors import DeliveryFailed

_PERMANENT = (TelegramBadRequest, TelegramForbiddenError, TelegramNotFound, TelegramUnauthorizedError)

_TRUSTED_FOR = timedelta(minutes=10)
_REMEMBERED_CHATS = 10_000


def delivery_failed(error: AiogramError) -> DeliveryFailed:
    """Convert an error of a request to the failure of a delivery."""
    if not isinstance(error, TelegramAPIError):
        # The answer is that of a proxy: the request may have been carried out.
        return DeliveryFailed(f"telegram: undecodable answer ({type(error).__name__})", is_unknown=True)
    reason = f"telegram: {error.message}"
    if isinstance(error, TelegramRetryAfter):
        return DeliveryFailed(reason, retry_after=float(error.retry_after))
    if isinstance(error, TelegramNetworkError):
        # Nothing was sent if there was no connection; otherwise the message may have arrived.
        return DeliveryFailed(reason, is_unknown=not isinstance(error.__cause__, ClientConnectorError))
    return DeliveryFailed(reason, is_permanent=isinstance(error, _PERMANENT))


async def send_file(bot: Bot, address: ChatAddress, file: SentFile) -> str:
    """Send `file` and return the id of its message."""
    chat_id = int(address.chat_id)
    thread = None if address.thread_id is None else int(address.thread_id)
    upload = BufferedInputFile(file.content, filename=file.name)
    try:
        if requests.is_photo(file):
            try:
                return str((await bot.send_photo(chat_id, upload, message_thread_id=thread)).message_id)
            except TelegramBadRequest:
                pass  # not accepted as a picture, such as for its size; sent as a document
        return str((await bot.send_document(chat_id, upload, message_thread_id=thread)).message_id)
    except AiogramError as error:
        raise delivery_failed(error) from error


class Administrators:
    """Caches the administrators of each chat for ten minutes, and longer while Telegram does not answer."""

    def __init__(self, bot: Bot, clock: Clock) -> None:
        self._bot = bot
        self._clock = clock
        self._known: BoundedDict[int, tuple[datetime, Collection[str]]] = BoundedDict(_REMEMBERED_CHATS)

    async def fetch(self, chat_id: int) -> Collection[str]:
        """Return the ids of the administrators of `chat_id`; private chats have none."""
        if chat_id > 0:
            return ()
        asked_at, known = self._known.get(chat_id, (None, ()))
        if asked_at is None or not timedelta() <= self._clock.now() - asked_at <= _TRUSTED_FOR:
            try:
                members = await self._bot.get_chat_administrators(chat_id)
                known = frozenset(str(member.user.id) for member in members)
            except AiogramError as error:
                logger.bind(chat=f"{NAME}:{chat_id}").debug("could not fetch the administrators: {}", error)
            self._known[chat_id] = (self._clock.now(), known)
        return known
