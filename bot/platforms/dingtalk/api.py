"""Call DingTalk's HTTP API: connection ticket, messages and file uploads."""

from collections.abc import Mapping
from typing import Final, Literal

import httpx

from bot.config.platform_catalog import DingTalkSettings
from bot.platforms.kit.json_api import JsonApi, TokenAuth, code_in
from services.kernel.chat import SentFile
from services.kernel.clock import Clock
from services.kernel.errors import DeliveryFailed
from services.kernel.network import parse_retry_after

_DEFAULT_RETRY_AFTER: Final = 60.0
_LIMITED: Final = {"Throttling", "Throttling.User", "Throttling.Api", "QpsLimitForApi", "130101", "90018"}
# Limits one group; the other codes limit the app.
_LIMITED_GROUP: Final = "130101"
_TRANSIENT: Final = {"-1", "ServiceUnavailable", "InternalError", "SystemError"}
# The older API, which takes files, answers these codes to a token that is wrong, or too old.
_TOKEN_INVALID: Final = {"40014", "42001"}
_UPLOAD: Final = "/media/upload"


class DingTalkApi(JsonApi):
    """Calls DingTalk in the name of one app."""

    def __init__(self, settings: DingTalkSettings, clock: Clock) -> None:
        super().__init__("dingtalk", settings.api_url, _check)
        self._settings = settings
        self._auth = TokenAuth(self._fetch_token, clock, add=_add_token, is_refused=_is_refused)

    async def open_connection(self, topics: list[str]) -> tuple[str, str]:
        """Return the address of the gateway and the ticket for it."""
        body = {
            "clientId": self._settings.client_id,
            "clientSecret": self._settings.client_secret.get_secret_value(),
            "subscriptions": [{"type": "CALLBACK", "topic": topic} for topic in topics],
            "ua": "bubbles",
        }
        answer = await self.post_to("/v1.0/gateway/connections/open", body)
        return str(answer["endpoint"]), str(answer["ticket"])

    async def post(self, path: str, body: Mapping[str, object]) -> Mapping[str, object]:
        """Post with the access token."""
        return await self.request("POST", path, auth=self._auth, json=body)

    async def post_to(self, url: str, body: Mapping[str, object]) -> Mapping[str, object]:
        """Post to an address that needs no token."""
        return await self.request("POST", url, json=body)

    async def upload(self, file: SentFile, kind: Literal["image", "file"]) -> str:
        """Upload `file` and return the id by which messages show it.

        Source: https://open.dingtalk.com/document/orgapp/upload-media-files.
        """
        url, content = f"{self._settings.media_url}{_UPLOAD}", {"media": (file.name, file.content, file.media_type)}
        answer = await self.request("POST", url, auth=self._auth, params={"type": kind}, files=content)
        return str(answer.get("media_id", ""))

    async def _fetch_token(self) -> tuple[str, float]:
        own = self._settings
        secrets = {"appKey": own.client_id, "appSecret": own.client_secret.get_secret_value()}
        answer = await self.post_to("/v1.0/oauth2/accessToken", secrets)
        return str(answer["accessToken"]), float(str(answer["expireIn"]))


def _add_token(request: httpx.Request, token: str) -> None:
    request.headers["x-acs-dingtalk-access-token"] = token
    if request.url.path.endswith(_UPLOAD):  # the older API
        request.url = request.url.copy_set_param("access_token", token)


def _is_refused(response: httpx.Response) -> bool:
    return response.status_code == 401 or str(code_in(response, "code", "errcode")) in _TOKEN_INVALID


def _check(response: httpx.Response, answer: Mapping[str, object]) -> None:
    """Raise the failure that `answer` reports; older parts of the API answer 200 with an `errcode`."""
    code = str(answer.get("code") or answer.get("errcode") or "")
    if response.is_success and code in {"", "0"}:
        return
    reason = f"dingtalk: {code} {answer.get('message') or answer.get('errmsg') or response.status_code}"
    if response.status_code == 429 or code in _LIMITED:
        seconds = parse_retry_after(response.headers) or _DEFAULT_RETRY_AFTER
        raise DeliveryFailed(reason, retry_after=seconds, is_global=code != _LIMITED_GROUP)
    raise DeliveryFailed(reason, is_permanent=response.status_code < 500 and code not in _TRANSIENT)
