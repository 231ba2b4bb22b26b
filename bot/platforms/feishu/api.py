"""Call Feishu's open API over HTTP: bot account, messages and files."""

from collections.abc import Mapping
from typing import Final

import httpx

from bot.config.platform_catalog import FeishuSettings
from bot.platforms.kit.events import mapping
from bot.platforms.kit.json_api import JsonApi, TokenAuth, code_in
from services.kernel.chat import SentFile
from services.kernel.clock import Clock
from services.kernel.errors import DeliveryFailed
from services.kernel.network import parse_retry_after

_TOKEN: Final = "/open-apis/auth/v3/tenant_access_token/internal"  # noqa: S105 - a path
_TOKEN_INVALID: Final = {99991661, 99991663, 99991668, 99991677}
_LIMITED: Final = {99991400, 230020, 11232, 11233, 11247}
# Limits the app; the other codes limit a chat or a person.
_LIMITED_APP: Final = 99991400
_BUSY: Final = {2200, 230050, 55001}
_DEFAULT_RETRY_AFTER: Final = 1.0


class FeishuApi(JsonApi):
    """Calls Feishu in the name of one app."""

    def __init__(self, settings: FeishuSettings, clock: Clock) -> None:
        super().__init__("feishu", settings.domain, _check)
        self._settings = settings
        self._auth = TokenAuth(
            self._fetch_token,
            clock,
            add=_add_token,
            is_refused=lambda response: code_in(response, "code") in _TOKEN_INVALID,
        )

    async def ask(self, method: str, path: str, body: Mapping[str, object] | None = None) -> Mapping[str, object]:
        """Make a request with the tenant's token."""
        return await self.request(method, path, auth=self._auth, json=body)

    async def upload(self, path: str, fields: Mapping[str, str], name: str, file: SentFile) -> Mapping[str, object]:
        """Upload `file` as the field `name` of a form, and return its key."""
        content = {name: (file.name, file.content, file.media_type)}
        answer = await self.request("POST", path, auth=self._auth, data=dict(fields), files=content)
        return mapping(answer.get("data"))

    async def _fetch_token(self) -> tuple[str, float]:
        secrets = {"app_id": self._settings.app_id, "app_secret": self._settings.app_secret.get_secret_value()}
        answer = await self.request("POST", _TOKEN, json=secrets)
        return str(answer["tenant_access_token"]), float(str(answer["expire"]))


def _add_token(request: httpx.Request, token: str) -> None:
    request.headers["Authorization"] = f"Bearer {token}"


def _check(response: httpx.Response, answer: Mapping[str, object]) -> None:
    """Raise the failure that `answer` reports by a code other than zero."""
    code = answer.get("code", -1)
    if code == 0:
        return
    reason = f"feishu: {code} {answer.get('msg', response.status_code)}"
    if response.status_code == 429 or code in _LIMITED:
        reset = response.headers.get("x-ogw-ratelimit-reset", "")
        wish = parse_retry_after(response.headers) or _DEFAULT_RETRY_AFTER
        seconds = float(reset) if reset.isdecimal() else wish
        raise DeliveryFailed(reason, retry_after=seconds, is_global=code == _LIMITED_APP)
    is_permanent = response.status_code < 500 and code not in _BUSY | _TOKEN_INVALID
    raise DeliveryFailed(reason, is_permanent=is_permanent)
