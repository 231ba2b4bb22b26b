"""DingTalk's API over HTTP: the gateway's ticket, the access token, and sending."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

import httpx

from services.clock import Clock
from services.errors import DeliveryFailed

_MARGIN: Final = timedelta(minutes=5)
_DEFAULT_PATIENCE: Final = 60.0
_LIMITED: Final = {"Throttling", "Throttling.User", "Throttling.Api", "QpsLimitForApi", "130101", "90018"}
# Of one group; the others are of the whole app.
_LIMITED_GROUP: Final = "130101"
_PASSING: Final = {"-1", "ServiceUnavailable", "InternalError", "SystemError"}


class Unauthorised(DeliveryFailed):
    """The access token is not valid any more."""


class DingTalkApi:
    """Asks DingTalk in the name of one app."""

    def __init__(self, api_url: str, client_id: str, client_secret: str, clock: Clock) -> None:
        self._api_url = api_url
        self._http = self._made()
        self._client_id = client_id
        self._client_secret = client_secret
        self._clock = clock
        self._token = ""
        self._token_ends = datetime.min.replace(tzinfo=UTC)

    async def close(self) -> None:
        """Close the connections; who asks again opens new ones, as a worker does that is connected once more."""
        http, self._http = self._http, self._made()
        await http.aclose()

    def _made(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(base_url=self._api_url, timeout=20.0)

    async def open_connection(self, topics: list[str]) -> tuple[str, str]:
        """Ask for a place at the gateway; return its address and the ticket.

        Raises:
            DeliveryFailed: DingTalk refused, for good where the app's secret is wrong.
        """
        body = {
            "clientId": self._client_id,
            "clientSecret": self._client_secret,
            "subscriptions": [{"type": "CALLBACK", "topic": topic} for topic in topics],
            "ua": "bubbles",
        }
        answer = await self._post("/v1.0/gateway/connections/open", body, {})
        return str(answer["endpoint"]), str(answer["ticket"])

    async def post(self, path: str, body: Mapping[str, object]) -> Mapping[str, object]:
        """Post with the access token, fetching a new one where the old one is refused.

        Raises:
            DeliveryFailed: DingTalk did not take it.
        """
        try:
            return await self._post(path, body, await self._headers())
        except Unauthorised:
            self._token = ""
        return await self._post(path, body, await self._headers())

    async def post_to(self, url: str, body: Mapping[str, object]) -> Mapping[str, object]:
        """Post to an address that needs no token.

        Raises:
            DeliveryFailed: DingTalk did not take it.
        """
        return await self._post(url, body, {})

    async def _headers(self) -> dict[str, str]:
        if not self._token or self._clock.now() >= self._token_ends:
            secrets = {"appKey": self._client_id, "appSecret": self._client_secret}
            answer = await self._post("/v1.0/oauth2/accessToken", secrets, {})
            self._token = str(answer["accessToken"])
            self._token_ends = self._clock.now() + timedelta(seconds=float(str(answer["expireIn"]))) - _MARGIN
        return {"x-acs-dingtalk-access-token": self._token}

    async def _post(self, url: str, body: Mapping[str, object], headers: Mapping[str, str]) -> Mapping[str, object]:
        try:
            response = await self._http.post(url, json=dict(body), headers=dict(headers))
            answer = response.json()
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise DeliveryFailed(f"dingtalk: {error}") from error
        except (httpx.HTTPError, ValueError) as error:
            raise DeliveryFailed(f"dingtalk: {error}", is_unknown=True) from error
        found: Mapping[str, object] = answer if isinstance(answer, dict) else {}
        _check(response, found)
        return found


def _check(response: httpx.Response, answer: Mapping[str, object]) -> None:
    """Raise what the answer means, where it is a refusal; older parts of the API answer 200 with an `errcode`."""
    code = str(answer.get("code") or answer.get("errcode") or "")
    if response.is_success and code in {"", "0"}:
        return
    reason = f"dingtalk: {code} {answer.get('message') or answer.get('errmsg') or response.status_code}"
    if response.status_code == 429 or code in _LIMITED:
        patience = float(response.headers.get("Retry-After", _DEFAULT_PATIENCE))
        raise DeliveryFailed(reason, retry_after=patience, is_global=code != _LIMITED_GROUP)
    if response.status_code == 401:
        raise Unauthorised(reason, is_permanent=True)
    raise DeliveryFailed(reason, is_permanent=response.status_code < 500 and code not in _PASSING)
