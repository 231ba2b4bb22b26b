"""Call Feishu's open API over HTTP: tenant token, bot account and messages."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

import httpx

from bot.platforms.kit.json_api import JsonApi
from services.kernel.chat import SentFile
from services.kernel.clock import Clock
from services.kernel.errors import DeliveryFailed

_MARGIN: Final = timedelta(minutes=5)
_TOKEN_INVALID: Final = {99991661, 99991663, 99991668, 99991677}
_LIMITED: Final = {99991400, 230020, 11232, 11233, 11247}
# Of the whole app, and not of one chat or person.
_LIMITED_APP: Final = 99991400
_BUSY: Final = {2200, 230050, 55001}
_DEFAULT_PATIENCE: Final = 1.0


class TokenInvalid(DeliveryFailed):
    """The tenant's token is not valid any more."""


class FeishuApi:
    """Asks Feishu in the name of one app."""

    def __init__(self, domain: str, app_id: str, app_secret: str, clock: Clock) -> None:
        self._api = JsonApi("feishu", domain)
        self._app_id = app_id
        self._app_secret = app_secret
        self._clock = clock
        self._token = ""
        self._token_ends = datetime.min.replace(tzinfo=UTC)

    async def close(self) -> None:
        """Close the connections; who asks again opens new ones."""
        await self._api.close()

    async def ask(self, method: str, path: str, body: Mapping[str, object] | None = None) -> Mapping[str, object]:
        """Make a request with the tenant's token, fetching a new one where the old one is refused.

        Raises:
            DeliveryFailed: Feishu did not take it.
        """
        try:
            return await self._ask(method, path, body, await self._headers())
        except TokenInvalid:
            self._token = ""
        return await self._ask(method, path, body, await self._headers())

    async def upload(self, path: str, fields: Mapping[str, str], name: str, file: SentFile) -> Mapping[str, object]:
        """Upload `file` as the field `name` of a form, and return what it is known by.

        Raises:
            DeliveryFailed: Feishu did not take it.
        """
        content = {name: (file.name, file.content, file.media_type)}
        answer = await self._request(
            self._api.client.build_request(
                "POST", path, data=dict(fields), files=content, headers=await self._headers()
            )
        )
        data = answer.get("data")
        return data if isinstance(data, dict) else {}

    async def _headers(self) -> dict[str, str]:
        if not self._token or self._clock.now() >= self._token_ends:
            path = "/open-apis/auth/v3/tenant_access_token/internal"
            secrets = {"app_id": self._app_id, "app_secret": self._app_secret}
            answer = await self._ask("POST", path, secrets, {})
            self._token = str(answer["tenant_access_token"])
            self._token_ends = self._clock.now() + timedelta(seconds=float(str(answer["expire"]))) - _MARGIN
        return {"Authorization": f"Bearer {self._token}"}

    async def _ask(
        self, method: str, path: str, body: Mapping[str, object] | None, headers: Mapping[str, str]
    ) -> Mapping[str, object]:
        return await self._request(self._api.client.build_request(method, path, json=body, headers=dict(headers)))

    async def _request(self, request: httpx.Request) -> Mapping[str, object]:
        response, found = await self._api.answer(request)
        _check(response, found)
        return found


def _check(response: httpx.Response, answer: Mapping[str, object]) -> None:
    """Raise what the answer means, where its code is not zero."""
    code = answer.get("code", -1)
    if code == 0:
        return
    reason = f"feishu: {code} {answer.get('msg', response.status_code)}"
    if response.status_code == 429 or code in _LIMITED:
        wish = response.headers.get("x-ogw-ratelimit-reset") or response.headers.get("Retry-After")
        patience = float(wish or _DEFAULT_PATIENCE)
        raise DeliveryFailed(reason, retry_after=patience, is_global=code == _LIMITED_APP)
    if code in _TOKEN_INVALID:
        raise TokenInvalid(reason)
    raise DeliveryFailed(reason, is_permanent=response.status_code < 500 and code not in _BUSY)
