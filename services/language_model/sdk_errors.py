"""Translate the SDK's errors into ours, with secrets removed."""

from collections.abc import Mapping

import openai

from services.errors import ModelUnavailable
from services.language_model.failures import EndpointFailed, RequestRejected

_LONGEST_DETAIL = 300
_PASSING = frozenset({408, 409, 429})
_ABOUT_THE_REQUEST = frozenset({400, 413, 415, 422})


def translate(error: openai.OpenAIError, secret: str) -> ModelUnavailable:
    """What `error` means for us; `secret` is struck out of whatever the server wrote."""
    if isinstance(error, openai.APIStatusError):
        detail = f"HTTP {error.status_code} {_detail(error, secret)}".strip()
        if error.code == "insufficient_quota":  # sent with 429, but no wait will help
            return EndpointFailed("refused", detail, is_passing=False)
        return _by_status(error.status_code, detail, retry_after(error.response.headers))
    if isinstance(error, openai.APITimeoutError) and not _was_refused(error):
        return EndpointFailed("timeout", "the server did not answer in time")
    if isinstance(error, openai.APIConnectionError):
        return EndpointFailed("connection", "the server could not be reached or hung up")
    return EndpointFailed("malformed", _clean(type(error).__name__, secret))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait; None when it names none, or names a date, which is rare and not for us."""
    for header, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[header]) / unit)
        except (KeyError, ValueError):
            continue
    return None


def _by_status(status: int, detail: str, wait: float | None) -> ModelUnavailable:
    if status in _ABOUT_THE_REQUEST:
        return RequestRejected(detail, status=status)
    if status == 429:
        return EndpointFailed("rate_limited", detail, retry_after=wait)
    if status >= 500 or status in _PASSING:
        return EndpointFailed("server_error", detail, retry_after=wait)
    return EndpointFailed("refused", detail, is_passing=False)


def _was_refused(error: BaseException) -> bool:
    """Whether a connection was refused; the SDK's aiohttp transport reports that as a timeout of connecting."""
    cause = error.__cause__
    while cause is not None:
        if isinstance(cause, OSError) and not isinstance(cause, TimeoutError):
            return True
        cause = cause.__cause__
    return False


def _detail(error: openai.APIStatusError, secret: str) -> str:
    body = error.body
    message = body.get("message") if isinstance(body, dict) else None
    return _clean(message if isinstance(message, str) else "", secret)


def _clean(text: str, secret: str) -> str:
    shown = text.replace(secret, "***") if secret else text
    return " ".join(shown.split())[:_LONGEST_DETAIL]
