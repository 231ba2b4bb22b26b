"""Call DingTalk's HTTP API: connection ticket, access token, messages and file uploads."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

import httpx

from bot.config.platform_catalog import DingTalkSettings
from bot.platforms.kit.json_api import JsonApi
from services.kernel.chat import SentFile
from services.kernel.clock import Clock
from services.kernel.errors import DeliveryFailed

_MARGIN: Final = timedelta(minutes=5)
_DEFAULT_PATIENCE: Final = 60.0
_LIMITED: Final = {"Throttling", "Throttling.User", "Throttling.Api", "QpsLimitForApi", "130101", "90018"}
# Of one group; the others are of the whole app.
_LIMITED_GROUP: Final = "130101"
_PASSING: Final = {"-1", "ServiceUnavailable", "InternalError", "SystemError"}
# What the older API, which takes files, says of a token that is wrong, or too old.
_TOKEN_INVALID: Final = {"40014", "42001"}


class Unauthorised(DeliveryFailed):
    """The access token is not valid any more."""


class DingTalkApi:
    """Asks DingTalk in the name of one app."""

    def __init__(self, settings: DingTalkSettings, clock: Clock) -> None:
        self._settings = settings
        self._api = JsonApi("dingtalk", settings.api_url)
        self._clock = clock
        self._token = ""
        self._token_ends = datetime.min.replace(tzinfo=UTC)

    async def close(self) -> None:
        """Close the connections; who asks again opens new ones."""
        await self._api.close()

    async def open_connection(self, topics: list[str]) -> tuple[str, str]:
        """Ask for a place at the gateway; return its address and the ticket.

        Raises:
            DeliveryFailed: DingTalk refused, for good where the app's secret is wrong.
        """
        body = {
            "clientId": self._settings.client_id,
            "clientSecret": self._settings.client_secret.get_secret_value(),
            "subscriptions": [{"type": "CALLBACK", "topic": topic} for topic in topics],
            "ua": "bubbles",
        }
        answer = await self.post_to("/v1.0/gateway/connections/open", body)
        return str(answer["endpoint"]), str(answer["ticket"])

    async def post(self, path: str, body: Mapping[str, object]) -> Mapping[str, object]:
        """Post with the access token.

        Raises:
            DeliveryFailed: DingTalk did not take it.
        """
        return await self._authorised(
            lambda token: self._api.client.build_request(
                "POST", path, json=dict(body), headers={"x-acs-dingtalk-access-token": token}
            )
        )

    async def post_to(self, url: str, body: Mapping[str, object]) -> Mapping[str, object]:
        """Post to an address that needs no token.

        Raises:
            DeliveryFailed: DingTalk did not take it.
        """
        return await self._answered(self._api.client.build_request("POST", url, json=dict(body)))

    async def upload(self, file: SentFile, kind: Literal["image", "file"]) -> str:
        """Give `file` to DingTalk and return the id by which messages show it.

        Source: https://open.dingtalk.com/document/orgapp/upload-media-files.

        Raises:
            DeliveryFailed: DingTalk did not take it.
        """
        content = {"media": (file.name, file.content, file.media_type)}
        answer = await self._authorised(
            lambda token: self._api.client.build_request(
                "POST",
                f"{self._settings.media_url}/media/upload",
                params={"access_token": token, "type": kind},
                files=content,
            )
        )
        return str(answer.get("media_id", ""))

    async def _authorised(self, request: Callable[[str], httpx.Request]) -> Mapping[str, object]:
        """Return what is answered to a request with the access token, a new one where the old one is refused."""
        try:
            return await self._answered(request(await self._valid_token()))
        except Unauthorised:
            self._token = ""
        return await self._answered(request(await self._valid_token()))

    async def _valid_token(self) -> str:
        if not self._token or self._clock.now() >= self._token_ends:
            own = self._settings
            secrets = {"appKey": own.client_id, "appSecret": own.client_secret.get_secret_value()}
            answer = await self.post_to("/v1.0/oauth2/accessToken", secrets)
            self._token = str(answer["accessToken"])
            self._token_ends = self._clock.now() + timedelta(seconds=float(str(answer["expireIn"]))) - _MARGIN
        return self._token

    async def _answered(self, request: httpx.Request) -> Mapping[str, object]:
        response, found = await self._api.answer(request)
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
    if response.status_code == 401 or code in _TOKEN_INVALID:
        raise Unauthorised(reason, is_permanent=True)
    raise DeliveryFailed(reason, is_permanent=response.status_code < 500 and code not in _PASSING)
