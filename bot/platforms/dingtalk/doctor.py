"""Check the DingTalk app: its secret, and the robot's permission to send."""

from typing import Final

from bot.config.platform_catalog import DingTalkSettings
from bot.config.settings import Settings
from bot.platforms.dingtalk.wire import NAME
from bot.platforms.kit.doctor import Finding, Prober, good, problem, refusal

_FORBIDDEN: Final = "Forbidden."
_NOT_GRANTED: Final = "Forbidden.AccessDenied.AccessTokenPermissionDenied"


async def examine(settings: Settings, prober: Prober) -> list[Finding]:
    """Request an access token, which checks ID and secret, and check the permission of the robot."""
    own = settings.platforms.group(NAME, DingTalkSettings)
    secret = own.client_secret.get_secret_value()
    if not own.client_id or not secret:
        return [problem("dingtalk app", "absent", "dingtalk_again")]
    body = {"appKey": own.client_id, "appSecret": secret}
    answer = await prober.ask("POST", f"{own.api_url}/v1.0/oauth2/accessToken", body)
    token = answer.body.get("accessToken")
    if token is None:
        return [refusal(answer, "dingtalk app", "dingtalk_again", "code")]
    return [good("dingtalk app", "works", name=own.client_id), await _permission(own, str(token), prober)]


async def _permission(own: DingTalkSettings, token: str, prober: Prober) -> Finding:
    """Return whether the robot may send messages outside of a session.

    DingTalk does not report permissions. The request for a file that does not exist needs the same permission as
    sending, and is denied without it before DingTalk looks for the file.
    Source: https://open-dingtalk.github.io/developerpedia/docs/develop/best-practices/permission-deny
    """
    about = "dingtalk permissions"
    body = {"downloadCode": "bubbles-doctor", "robotCode": own.robot_code or own.client_id}
    headers = {"x-acs-dingtalk-access-token": token}
    answer = await prober.ask("POST", f"{own.api_url}/v1.0/robot/messageFiles/download", body, headers)
    code = str(answer.body.get("code", ""))
    if code == _NOT_GRANTED:
        detail = answer.body.get("accessdenieddetail")
        scopes = detail.get("requiredScopes") if isinstance(detail, dict) else None
        missing = ", ".join(map(str, scopes)) if isinstance(scopes, list) else "qyapi_robot_sendmsg"
        return problem(about, "missing", "dingtalk_scopes", names=missing)
    if code.startswith(_FORBIDDEN):
        return problem(about, "refused", "dingtalk_address", reason=f"{code}: {answer.body.get('message')}")
    return good(about, "complete" if answer.body else "unknown")
