"""Send requests through the `openai` SDK, which is imported only when a model is used.

The SDK keeps what it is good at: connections, authentication, proxies, timeouts and error classes. Its own retries
are off, because it cannot see a malformed or cut answer, nor how long the person in the chat is willing to wait.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from email.utils import parsedate_to_datetime
from importlib.util import find_spec
from typing import Final, cast
from urllib.parse import parse_qsl, urlsplit, urlunsplit

import httpx2
import openai
from openai import AsyncStream

from services.kernel.errors import ModelUnavailable
from services.kernel.network import trusted_certificates
from services.language_model.answer import read_answer, refuse_oversized
from services.language_model.failures import (
    EndpointFailed,
    ServerErrorDetail,
    clean,
    detail_of,
    failure_of,
    read_error,
    redact,
)
from services.language_model.ports import Completion, CompletionRequest, TextListener, Timeouts
from services.language_model.request_body import BodyForm, body_bytes
from services.language_model.stream import DONE, StreamedAnswer, event_data, is_event_stream, read_events

_PATH = "/chat/completions"
_AZURE = (".azure.com", ".azure-api.net")  # which wants its key in a header of its own
_NO_KEY = "none"  # servers without authentication ignore it, and the SDK insists on one
_LONGEST_END = 1.0  # seconds between the last event and the end of the body
# Omit the headers in which the SDK describes this machine.
_HEADERS: Mapping[str, str | openai.Omit] = {
    "Content-Type": "application/json",
    **{
        f"X-Stainless-{name}": openai.omit
        for name in (
            "Lang",
            "Package-Version",
            "OS",
            "Arch",
            "Runtime",
            "Runtime-Version",
            "Async",
            "Retry-Count",
            "Read-Timeout",
        )
    },
}


class Transport:
    """Sends the body as bytes and reads the answer as plain data, so the SDK does not walk every tool schema."""

    def __init__(self, base_url: str, api_key: str, timeouts: Timeouts) -> None:
        self._client = _make_client(base_url, api_key, timeouts)
        # Whole, for the SDK and its HTTP client would each put a relative one together anew for every request.
        self._url = f"{str(self._client.base_url).rstrip('/')}{_PATH}"
        self._secret = api_key

    async def send(self, model: str, request: CompletionRequest, form: BodyForm) -> Completion:
        """Send `request` once, in the `form` that the server wants.

        Raises:
            ModelUnavailable: there was no usable answer.
        """
        body = body_bytes(model, request, form)
        with _our_errors(self._secret):
            if request.on_text is not None:
                return await self._streamed(body, request.on_text)
            response = await self._client.post(
                self._url, cast_to=httpx2.Response, content=body, options={"headers": _HEADERS}
            )
            return _read_whole(response.content)

    async def _streamed(self, body: bytes, on_text: TextListener) -> Completion:
        # asked for the bare response, the SDK hands it over before its stream class would read it
        opened = await self._client.post(
            self._url,
            cast_to=httpx2.Response,
            content=body,
            options={"headers": _HEADERS},
            stream=True,
            stream_cls=AsyncStream[object],
        )
        response = cast("httpx2.Response", opened)
        try:
            return await _read_stream(response, on_text)
        finally:
            await response.aclose()

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def _make_client(base_url: str, api_key: str, timeouts: Timeouts) -> openai.AsyncOpenAI:
    # aiohttp, where it is installed, halves the cost of a request and keeps it flat with many in flight
    kind = openai.DefaultAsyncHttpxClient if find_spec("aiohttp") is None else openai.DefaultAioHttpClient
    address = urlsplit(base_url)
    is_azure = (address.hostname or "").endswith(_AZURE)
    return openai.AsyncOpenAI(
        base_url=urlunsplit(address._replace(path=address.path.rstrip("/").removesuffix(_PATH), query="")),
        default_query=dict(parse_qsl(address.query)),  # Azure's api-version
        default_headers={"api-key": api_key} if is_azure and api_key else None,
        api_key=api_key or _NO_KEY,
        http_client=kind(verify=trusted_certificates(), event_hooks=response_hooks(base_url)),
        max_retries=0,
        timeout=openai.Timeout(timeouts.silence, connect=timeouts.connect, pool=timeouts.total),
    )


@contextmanager
def _our_errors(secret: str) -> Iterator[None]:
    try:
        yield
    except openai.OpenAIError as error:
        # the SDK's error carries the request with its key, and maybe the key in the server's message: do not chain it
        raise translate(error, secret) from None
    except ModelUnavailable as failure:  # reported in an answer with status 200
        raise redact(failure, secret) from None
    except httpx2.HTTPError as error:
        is_late = isinstance(error, httpx2.TimeoutException)
        detail = "the answer paused for too long" if is_late else "the connection broke before the answer ended"
        raise EndpointFailed("timeout" if is_late else "connection", detail) from None


async def _read_stream(response: httpx2.Response, on_text: TextListener) -> Completion:
    if "event-stream" not in response.headers.get("content-type", "event-stream"):
        return await _read_unstreamed(response, on_text)
    answer = StreamedAnswer()
    events = event_data(response.aiter_bytes())
    async for data in events:
        if data == DONE:
            answer.end()
            await _read_out(events)
            break
        if text := answer.add_event(data):
            await on_text(text)
        if answer.is_full:
            break
    return answer.completion()


async def _read_out(events: AsyncIterator[bytes]) -> None:
    """Read to the end of the body, for only then can the connection be used again; a server may dawdle there."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_LONGEST_END):
            async for _ in events:
                pass


async def _read_unstreamed(response: httpx2.Response, on_text: TextListener) -> Completion:
    """Return the answer of a server that was asked to stream and sent it in one piece."""
    completion = _read_whole(await response.aread())
    if completion.text:
        await on_text(completion.text)
    return completion


def _read_whole(body: bytes) -> Completion:
    """Return an answer that was waited for as a whole; some proxies stream it all the same, or misname a stream."""
    return read_events(body) if is_event_stream(body) else read_answer(body)


MAX_BODY_BYTES: Final = 32_000_000
"""Bytes of one answer as sent; a streamed one has some 300 for each token."""
_COMPRESSION_RATIO: Final = 50  # a compressed answer may be that much smaller; a bomb is a thousand times smaller

EventHooks = Mapping[str, list[Callable[..., Awaitable[None]]]]


def response_hooks(base_url: str) -> EventHooks:
    """Return httpx hooks that refuse redirects to another origin and bound the body of every response.

    Error bodies and redirects count too, which the SDK reads by itself.
    """
    own = _origin(base_url)

    async def refuse_other_origins(request: httpx2.Request) -> None:
        if _origin(str(request.url)) != own:
            raise EndpointFailed("refused", "the server redirects to another origin", is_passing=False)

    async def bound_body(response: httpx2.Response) -> None:
        encoding = response.headers.get("content-encoding", "identity").strip().lower()
        limit = MAX_BODY_BYTES if encoding == "identity" else MAX_BODY_BYTES // _COMPRESSION_RATIO
        response.stream = _BoundedStream(response.stream, limit)

    return {"request": [refuse_other_origins], "response": [bound_body]}


class _BoundedStream(httpx2.AsyncByteStream):
    """A response body that fails once it is longer than `limit` bytes."""

    def __init__(self, stream: httpx2.SyncByteStream | httpx2.AsyncByteStream, limit: int) -> None:
        self._stream = stream
        self._left = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the body as it arrives."""
        if not isinstance(self._stream, httpx2.AsyncByteStream):
            raise TypeError("an asynchronous client gave a synchronous stream")
        async for piece in self._stream:
            self._left -= len(piece)
            if self._left < 0:
                refuse_oversized()
            yield piece

    async def aclose(self) -> None:
        """Close the connection's stream."""
        if isinstance(self._stream, httpx2.AsyncByteStream):
            await self._stream.aclose()


def _origin(url: str) -> tuple[str, str, int | None]:
    """Return scheme, host and port of `url`, the port by its scheme where it names none."""
    parts = urlsplit(url)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, (parts.hostname or "").lower(), port


_LONGEST_MESSAGE = 2000  # characters in which a reason is looked for


def translate(error: openai.OpenAIError, secret: str) -> ModelUnavailable:
    """Translate an error of the SDK; `secret` is removed from the text of the server."""
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
        moment = parsedate_to_datetime(headers[header])
    except (KeyError, ValueError):
        return None
    return None if moment.tzinfo is None else moment


def _by_status(error: openai.APIStatusError, secret: str) -> ModelUnavailable:
    detail = read_error(error.body) or ServerErrorDetail(message="")
    is_page = detail.message.lstrip().startswith("<")  # of a proxy that stands before the server
    message = "" if is_page else clean(detail.message, secret)[:_LONGEST_MESSAGE]
    if "insufficient_quota" in (error.code, detail.code):  # sent with 429, but no wait will help
        return EndpointFailed("refused", detail_of(error.status_code, message), is_passing=False)
    wait = retry_after(error.response.headers)
    return failure_of(error.status_code, message, retry_after=wait, generation=detail.generation)


def _was_refused(error: BaseException) -> bool:
    """Return whether a connection was refused; the SDK's aiohttp transport reports that as a timeout of connecting."""
    cause = error.__cause__
    while cause is not None:
        if isinstance(cause, OSError) and not isinstance(cause, TimeoutError):
            return True
        cause = cause.__cause__
    return False
