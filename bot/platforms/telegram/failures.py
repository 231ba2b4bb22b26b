"""Convert Telegram's errors to `DeliveryFailed`."""

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
from aiohttp import ClientConnectorError

from services.kernel.errors import DeliveryFailed

_HOPELESS = (TelegramBadRequest, TelegramForbiddenError, TelegramNotFound, TelegramUnauthorizedError)


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
    return DeliveryFailed(reason, is_permanent=isinstance(error, _HOPELESS))
