"""Send requests through the `openai` SDK, which is imported only when a model is used.

The SDK keeps what it is good at: connections, authentication, proxies, timeouts and error classes. Its own retries
are off, because it cannot see a malformed or cut answer, nor how long the person in the chat is willing to wait.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import cast
from urllib.parse import parse_qsl, urlsplit, urlunsplit

import httpx2
import openai
from openai import AsyncStream

from services.kernel.certificates import trusted_certificates
from services.kernel.errors import ModelUnavailable
from services.language_model.answer import read_answer
from services.language_model.failures import EndpointFailed, redact
from services.language_model.ports import Completion, CompletionRequest, TextListener
from services.language_model.request_body import BodyForm, body_bytes
from services.language_model.response_limits import response_hooks
from services.language_model.retry import Timeouts
from services.language_model.sdk_errors import translate
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
        # the SDK's error carries the request with its key, and maybe the key in the server's words: it ends here
        raise translate(error, secret) from None
    except ModelUnavailable as failure:  # told in an answer with status 200
        raise redact(failure, secret) from None
    except httpx2.HTTPError as error:
        is_late = isinstance(error, httpx2.TimeoutException)
        told = "the answer paused for too long" if is_late else "the connection broke before the answer ended"
        raise EndpointFailed("timeout" if is_late else "connection", told) from None


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
