"""Send requests over the HTTP client of the `openai` SDK, which is imported only when a model is used.

Connections, authentication, proxies and timeouts are those of the SDK. Its retries are not used, because it does not
recognise a malformed or truncated answer, and does not know how long the person in the chat will wait.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import Final
from urllib.parse import urlsplit, urlunsplit

import httpx2
import msgspec
import openai

from services.kernel.errors import ModelUnavailable
from services.kernel.network import parse_retry_after, trusted_certificates
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
_AZURE = (".azure.com", ".azure-api.net")  # these require the key in another header
_NO_KEY = "none"  # the SDK requires a key; servers without authentication ignore it
_MAX_END_SECONDS = 1.0  # between the last event and the end of the body
_MACHINE = "X-Stainless-"  # headers in which the SDK describes this machine


class Transport:
    """Sends the body as bytes over the HTTP client of the SDK, and reads the answer as plain data.

    The methods of the SDK walk every tool schema and build URL, headers and options for each request, which takes
    longer than all the rest of a request.
    """

    def __init__(self, base_url: str, api_key: str, timeouts: Timeouts) -> None:
        # aiohttp, where it is installed, halves the cost of a request and keeps it flat with many in flight
        kind = openai.DefaultAsyncHttpxClient if find_spec("aiohttp") is None else openai.DefaultAioHttpClient
        self._client = kind(
            verify=trusted_certificates(),
            event_hooks=response_hooks(base_url),
            timeout=openai.Timeout(timeouts.silence, connect=timeouts.connect, pool=timeouts.total),
        )
        address = urlsplit(base_url)
        path = address.path.rstrip("/").removesuffix(_PATH).rstrip("/")
        self._url = httpx2.URL(urlunsplit(address._replace(path=path + _PATH)))
        self._headers = _headers(base_url, api_key, self._client)
        self._headers["Host"] = self._url.netloc.decode("ascii")
        self._secret = api_key

    async def send(self, model: str, request: CompletionRequest, form: BodyForm) -> Completion:
        """Send `request` once, in the `form` that the server accepts.

        Raises:
            ModelUnavailable: there was no usable answer.
        """
        body = body_bytes(model, request, form)
        with _convert_errors(self._secret):
            if request.on_text is None:
                return _read_whole((await self._post(body)).content)
            response = await self._post(body, is_streamed=True)
            try:
                return await _read_stream(response, request.on_text)
            finally:
                await response.aclose()

    async def _post(self, body: bytes, *, is_streamed: bool = False) -> httpx2.Response:
        """Return the response of a server that accepted the request; its body is read unless it `is_streamed`."""
        # `build_request` of the client merges URL, headers and cookies, which takes four times as long.
        request = httpx2.Request("POST", self._url, stream=httpx2.ByteStream(body), headers=self._headers)
        request.headers["Content-Length"] = str(len(body))
        request.read()
        try:
            response = await self._client.send(request, stream=is_streamed)
        except ModelUnavailable:  # our limits on the answer
            raise
        except Exception as error:  # noqa: BLE001 - the client passes on errors of aiohttp that it does not know
            raise _error_of(error) from None
        if response.is_success:
            return response
        try:
            raise _refusal_of(response.status_code, await response.aread(), response.headers, self._secret)
        finally:
            await response.aclose()

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()


def _headers(base_url: str, api_key: str, client: httpx2.AsyncClient) -> httpx2.Headers:
    """Return the headers of every request: the client's and the SDK's, with the organisation and project if set."""
    is_azure = (urlsplit(base_url).hostname or "").endswith(_AZURE)
    sdk = openai.AsyncOpenAI(
        base_url=base_url,
        default_headers={"api-key": api_key} if is_azure and api_key else None,
        api_key=api_key or _NO_KEY,
        http_client=client,
    )
    sent = {name: text for name, text in sdk.default_headers.items() if isinstance(text, str)}
    headers = httpx2.Headers(client.headers)
    headers.update(sdk.auth_headers | {name: text for name, text in sent.items() if not name.startswith(_MACHINE)})
    return headers


@contextmanager
def _convert_errors(secret: str) -> Iterator[None]:
    try:
        yield
    except ModelUnavailable as failure:
        raise redact(failure, secret) from None
    except RecursionError:
        raise EndpointFailed("malformed", "the answer is nested too deeply") from None
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
            await _read_to_end(events)
            break
        if text := answer.add_event(data):
            await on_text(text)
        if answer.is_full:
            break
    return answer.completion()


async def _read_to_end(events: AsyncIterator[bytes]) -> None:
    """Read the body to its end, so that the connection can be used again, but not longer than a second."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_MAX_END_SECONDS):
            async for _ in events:
                pass


async def _read_unstreamed(response: httpx2.Response, on_text: TextListener) -> Completion:
    """Return the answer of a server that did not stream it as requested."""
    completion = _read_whole(await response.aread())
    if completion.text:
        await on_text(completion.text)
    return completion


def _read_whole(body: bytes) -> Completion:
    """Return the answer in a whole body; some proxies stream it without a request, or with another content type."""
    return read_events(body) if is_event_stream(body) else read_answer(body)


MAX_BODY_BYTES: Final = 32_000_000
"""Bytes of one answer as sent; a streamed one has some 300 for each token."""
_COMPRESSION_RATIO: Final = 50  # of ordinary answers at most; that of a decompression bomb is a thousand

EventHooks = Mapping[str, list[Callable[..., Awaitable[None]]]]


def response_hooks(base_url: str) -> EventHooks:
    """Return httpx hooks that refuse redirects to another origin and bound the body of every response.

    Error bodies and redirects count too, which the SDK reads by itself.
    """
    own = _origin(httpx2.URL(base_url))

    async def refuse_other_origins(request: httpx2.Request) -> None:
        if _origin(request.url) != own:
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


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    """Return scheme, host and port of `url`; None for the port of its scheme."""
    return url.scheme, url.host, url.port


_MAX_MESSAGE_LENGTH = 2000  # characters of an error that are searched for its reason


def _error_of(error: Exception) -> EndpointFailed:
    """Return the failure of a request without a response; the client's error has the key, so it is not chained."""
    if isinstance(error, httpx2.TimeoutException) and not _was_refused(error):
        return EndpointFailed("timeout", "the server did not answer in time")
    return EndpointFailed("connection", "the server could not be reached or hung up")


def _refusal_of(status: int, body: bytes, headers: Mapping[str, str], secret: str) -> ModelUnavailable:
    """Return the failure of a refused request by its response; `secret` is removed from its text."""
    detail = read_error(_json_or_text(body)) or ServerErrorDetail(message="")
    is_page = detail.message.lstrip().startswith("<")  # of a proxy
    message = "" if is_page else clean(detail.message, secret)[:_MAX_MESSAGE_LENGTH]
    if detail.code == "insufficient_quota":  # sent with 429, but permanent
        return EndpointFailed("refused", detail_of(status, message), is_passing=False)
    return failure_of(status, message, retry_after=parse_retry_after(headers), generation=detail.generation)


def _json_or_text(body: bytes) -> object:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return body.decode(errors="replace").strip()


def _was_refused(error: BaseException) -> bool:
    """Return whether a connection was refused; the SDK's aiohttp transport reports that as a timeout of connecting."""
    cause = error.__cause__
    while cause is not None:
        if isinstance(cause, OSError) and not isinstance(cause, TimeoutError):
            return True
        cause = cause.__cause__
    return False
