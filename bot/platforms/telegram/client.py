"""Convert Telegram's errors, send files, receive by a webhook and cache administrators."""

import hmac
from collections.abc import Awaitable, Callable, Collection
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
from aiohttp import ClientConnectorError, web

from bot.platforms.telegram import requests
from services.kernel.chat import ChatAddress, SentFile
from services.kernel.clock import Clock
from services.kernel.errors import DeliveryFailed

_PERMANENT = (TelegramBadRequest, TelegramForbiddenError, TelegramNotFound, TelegramUnauthorizedError)

_TRUSTED_FOR = timedelta(minutes=10)

PATH = "/telegram"

_SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - the name of the header


def delivery_failed(error: AiogramError) -> DeliveryFailed:
    """Return the failure that `error` stands for when a message was being sent."""
    if not isinstance(error, TelegramAPIError):
        # A gateway answered with a page of its own: the request behind it may have been carried out.
        return DeliveryFailed(f"telegram: undecodable answer ({type(error).__name__})", is_unknown=True)
    reason = f"telegram: {error.message}"
    if isinstance(error, TelegramRetryAfter):
        return DeliveryFailed(reason, retry_after=float(error.retry_after))
    if isinstance(error, TelegramNetworkError):
        # Without a connection nothing has been sent; with one that broke, the message may have arrived.
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
                pass  # too long, too wide or no picture at all: as a document it can be had all the same
        return str((await bot.send_document(chat_id, upload, message_thread_id=thread)).message_id)
    except AiogramError as error:
        raise delivery_failed(error) from error


class Administrators:
    """Caches the result of `ask` for ten minutes for each chat."""

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


class Webhook:
    """Hands updates that carry the secret to `take` as JSON; others are refused with 403.

    Telegram is answered when `take` has returned: where it raises, Telegram delivers the update again.
    """

    def __init__(self, take: Callable[[bytes], Awaitable[None]], *, secret: str) -> None:
        self._take = take
        self._secret = secret.encode()

    def routes(self, router: web.UrlDispatcher) -> None:
        """Add the route at which Telegram posts."""
        router.add_post(PATH, self._handle)

    async def _handle(self, request: web.Request) -> web.Response:
        given = request.headers.get(_SECRET_HEADER, "").encode()
        if not hmac.compare_digest(given, self._secret):
            return web.Response(status=403)
        await self._take(await request.read())
        return web.Response()
