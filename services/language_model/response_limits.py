"""Limit what a model server may send: the bytes of a body, and the origin it may come from."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Final
from urllib.parse import urlsplit

import httpx2

from services.language_model.answer import refuse_oversized
from services.language_model.failures import EndpointFailed

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
