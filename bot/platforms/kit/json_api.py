"""Call a platform's JSON API over HTTP, and classify its failures."""

from collections.abc import Mapping
from typing import Final

import httpx

from services.kernel.errors import DeliveryFailed

_SECONDS: Final = 20.0


class JsonApi:
    """Holds the connections to `base_url`; `platform` is named in every failure."""

    def __init__(self, platform: str, base_url: str) -> None:
        self._platform = platform
        self._base_url = base_url
        self.client = self._create_client()

    async def close(self) -> None:
        """Close the connections; who asks again opens new ones, as a worker does that is connected once more."""
        client, self.client = self.client, self._create_client()
        await client.aclose()

    async def answer(self, request: httpx.Request) -> tuple[httpx.Response, Mapping[str, object]]:
        """Return what is answered to `request`, and the object in it; empty where there is another value.

        Raises:
            DeliveryFailed: nobody was reached; `is_unknown` where the request may have been taken all the same.
        """
        try:
            response = await self.client.send(request)
            found = response.json()
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise DeliveryFailed(f"{self._platform}: {error}") from error
        except (httpx.HTTPError, ValueError) as error:
            raise DeliveryFailed(f"{self._platform}: {error}", is_unknown=True) from error
        return response, found if isinstance(found, dict) else {}

    def _create_client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(base_url=self._base_url, timeout=_SECONDS)
