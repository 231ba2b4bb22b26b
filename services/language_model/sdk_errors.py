"""Translate the SDK's errors into ours, with secrets removed."""

from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

import openai

from services.kernel.errors import ModelUnavailable
from services.language_model.error_parsing import ServerErrorDetail, read_error
from services.language_model.failures import EndpointFailed, clean, detail_of, failure_of

_LONGEST_TOLD = 2000  # characters in which a reason is looked for


def translate(error: openai.OpenAIError, secret: str) -> ModelUnavailable:
    """Return what `error` means for us; `secret` is struck out of whatever the server wrote."""
    if isinstance(error.__cause__, EndpointFailed):  # our limits on the answer, wrapped by the SDK
        return error.__cause__
    if isinstance(error, openai.APIStatusError):
        return _by_status(error, secret)
    if isinstance(error, openai.APITimeoutError) and not _was_refused(error):
        return EndpointFailed("timeout", "the server did not answer in time")
    if isinstance(error, openai.APIConnectionError):
        return EndpointFailed("connection", "the server could not be reached or hung up")
    return EndpointFailed("malformed", clean(type(error).__name__, secret))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait, given as a number or as a time of day; None without any."""
    for header, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[header]) / unit)
        except (KeyError, ValueError):
            continue
    until, now = _time(headers, "retry-after"), _time(headers, "date")
    return None if until is None or now is None else max(0.0, (until - now).total_seconds())


def _time(headers: Mapping[str, str], header: str) -> datetime | None:
    """Return the time in `header`, when it has a zone."""
    try:
        told = parsedate_to_datetime(headers[header])
    except (KeyError, ValueError):
        return None
    return None if told.tzinfo is None else told


def _by_status(error: openai.APIStatusError, secret: str) -> ModelUnavailable:
    told = read_error(error.body) or ServerErrorDetail(message="")
    is_page = told.message.lstrip().startswith("<")  # of a proxy that stands before the server
    said = "" if is_page else clean(told.message, secret)[:_LONGEST_TOLD]
    if "insufficient_quota" in (error.code, told.code):  # sent with 429, but no wait will help
        return EndpointFailed("refused", detail_of(error.status_code, said), is_passing=False)
    wait = retry_after(error.response.headers)
    return failure_of(error.status_code, said, retry_after=wait, generation=told.generation)


def _was_refused(error: BaseException) -> bool:
    """Return whether a connection was refused; the SDK's aiohttp transport reports that as a timeout of connecting."""
    cause = error.__cause__
    while cause is not None:
        if isinstance(cause, OSError) and not isinstance(cause, TimeoutError):
            return True
        cause = cause.__cause__
    return False
