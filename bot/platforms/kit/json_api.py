"""Call a platform's JSON API over HTTP with an access token, and classify its failures."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import httpx

from bot.platforms.kit.events import mapping
from services.kernel.clock import Clock
from services.kernel.errors import DeliveryFailed

_SECONDS: Final = 20.0
_MARGIN: Final = timedelta(minutes=5)

FetchToken = Callable[[], Awaitable[tuple[str, float]]]
"""Requests an access token; returns it with its lifetime in seconds."""


Check = Callable[[httpx.Response, Mapping[str, object]], None]
"""Raises `DeliveryFailed` if a response and its JSON object report a failure."""


class JsonApi:
    """Sends requests to `base_url`; a failed one raises `DeliveryFailed` with the name `platform`.

    `check` recognises the failures that the platform reports in its responses.
    """

    def __init__(self, platform: str, base_url: str, check: Check) -> None:
        self._platform = platform
        self._base_url = base_url
        self._check = check
        self._client = self._create_client()

    async def close(self) -> None:
        """Close the connections; a later request opens new ones, as a worker may connect again."""
        client, self._client = self._client, self._create_client()
        await client.aclose()

    async def request(
        self, method: str, url: str, *, auth: httpx.Auth | None = None, **content: Any
    ) -> Mapping[str, object]:
        """Send a request with `content` as httpx takes it; return the JSON object of the response, or an empty one.

        Raises:
            DeliveryFailed: it was refused, or the server was not reached; `is_unknown` where it may have been taken.
        """
        request = self._client.build_request(method, url, **content)
        try:
            response = await self._client.send(request, auth=auth)
            found = response.json()
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise DeliveryFailed(f"{self._platform}: {error}") from error
        except (httpx.HTTPError, ValueError) as error:
            raise DeliveryFailed(f"{self._platform}: {error}", is_unknown=True) from error
        answer = mapping(found)
        self._check(response, answer)
        return answer

    def _create_client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(base_url=self._base_url, timeout=_SECONDS)


class TokenAuth(httpx.Auth):
    """Authorises requests by an access token, and fetches a new one before it expires or when it is refused."""

    def __init__(
        self,
        fetch: FetchToken,
        clock: Clock,
        *,
        add: Callable[[httpx.Request, str], None],
        is_refused: Callable[[httpx.Response], bool],
    ) -> None:
        """`add` adds the token to a request, `is_refused` recognises the response to an invalid token."""
        self._fetch = fetch
        self._clock = clock
        self._add = add
        self._is_refused = is_refused
        self._token = ""
        self._ends_at = datetime.min.replace(tzinfo=UTC)

    async def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        """Send `request` with a valid token, once more with a new one where the first is refused."""
        self._add(request, await self._valid_token())
        response = yield request
        await response.aread()
        if self._is_refused(response):
            self._token = ""
            self._add(request, await self._valid_token())
            yield request

    async def _valid_token(self) -> str:
        if not self._token or self._clock.now() >= self._ends_at:
            self._token, seconds = await self._fetch()
            self._ends_at = self._clock.now() + timedelta(seconds=seconds) - _MARGIN
        return self._token


def code_in(response: httpx.Response, *names: str) -> object:
    """Return the first non-empty field of these names in the JSON object of `response`; None where there is none."""
    try:
        found = mapping(response.json())
    except ValueError:
        return None
    return next((found[name] for name in names if found.get(name)), None)
