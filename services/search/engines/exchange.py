"""Make HTTP requests to search engines, and convert failures to reasons."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ValidationError

from services.kernel.network import parse_retry_after, trusted_certificates
from services.search.model import SearchUnavailable

if TYPE_CHECKING:
    import httpx

_MAX_BYTES = 2 * 1024 * 1024
_CONNECT_SECONDS = 10.0
_READ_SECONDS = 60.0

Body = TypeVar("Body", bound=BaseModel)


def open_client(*, trust_environment: bool = True) -> "httpx.AsyncClient":
    """Return a client for the engines, for use as `async with`. Redirects are not followed.

    `trust_environment` uses the proxies of the environment.
    """
    import httpx

    return httpx.AsyncClient(
        timeout=httpx.Timeout(_READ_SECONDS, connect=_CONNECT_SECONDS),
        follow_redirects=False,
        trust_env=trust_environment,
        verify=trusted_certificates(trust_environment=trust_environment),
    )


@asynccontextmanager
async def exchange(
    client: "httpx.AsyncClient", request: "httpx.Request", *, engine: str
) -> AsyncIterator["httpx.Response"]:
    """Send `request` and yield the successful response with an unread body.

    Raises:
        SearchUnavailable: also for failures while the caller reads the body.
    """
    import httpx

    try:
        response = await client.send(request, stream=True)
        try:
            _check(response, engine)
            yield response
        finally:
            await response.aclose()
    except httpx.TimeoutException as error:
        raise SearchUnavailable("timeout", engine=engine) from error
    except httpx.RemoteProtocolError as error:
        raise SearchUnavailable("cut", engine=engine) from error
    except httpx.TransportError as error:
        raise SearchUnavailable("connection", engine=engine) from error
    except (httpx.DecodingError, httpx.StreamError) as error:
        raise SearchUnavailable("malformed", engine=engine) from error


async def fetch(client: "httpx.AsyncClient", request: "httpx.Request", form: type[Body], *, engine: str) -> Body:
    """Send `request` and parse the JSON answer as `form`.

    Raises:
        SearchUnavailable: no answer, or one in another form.
    """
    async with exchange(client, request, engine=engine) as response:
        body = b"".join([piece async for piece in body_pieces(response, engine=engine)])
    return parse(body, form, engine=engine)


async def body_pieces(response: "httpx.Response", *, engine: str) -> AsyncIterator[bytes]:
    """Yield the body of `response` as it arrives.

    Raises:
        SearchUnavailable: `malformed`: it is longer than 2 MB.
    """
    left = _MAX_BYTES
    async for piece in response.aiter_bytes():
        left -= len(piece)
        if left < 0:
            raise SearchUnavailable("malformed", engine=engine)
        yield piece


def parse(body: bytes, form: type[Body], *, engine: str) -> Body:
    """Parse JSON as `form`; the error does not contain the body.

    Raises:
        SearchUnavailable: `malformed`.
    """
    try:
        return form.model_validate_json(body)
    except ValidationError:
        raise SearchUnavailable("malformed", engine=engine) from None


def _check(response: "httpx.Response", engine: str) -> None:
    status = response.status_code
    if status == 429:
        raise SearchUnavailable("rate_limited", engine=engine, retry_after=parse_retry_after(response.headers))
    if 400 <= status < 500:
        raise SearchUnavailable("refused", engine=engine)
    if not 200 <= status < 300:
        raise SearchUnavailable("server_error", engine=engine)
