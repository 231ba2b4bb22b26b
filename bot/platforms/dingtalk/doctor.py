"""Check the DingTalk app: its secret, and the robot's permission to send."""

from typing import Final

from bot.config.platform_catalog import DingTalkSettings
from bot.config.settings import Settings
from bot.platforms.dingtalk.wire import NAME
from bot.platforms.kit.doctor import Finding, Prober, good, problem

_FORBIDDEN: Final = "Forbidden."
_NOT_GRANTED: Final = "Forbidden.AccessDenied.AccessTokenPermissionDenied"


async def examine(settings: Settings, prober: Prober) -> list[Finding]:
    """Ask for an access token, which needs a right ID and secret, then for something that the robot may do with it."""
    own = settings.platforms.group(NAME, DingTalkSettings)
    secret = own.client_secret.get_secret_value()
    step = "open-dev.dingtalk.com, the app, Credentials: copy Client ID and Client Secret again"
    if not own.client_id or not secret:
        return [problem("dingtalk app", "client ID or secret is missing", step)]
    body = {"appKey": own.client_id, "appSecret": secret}
    answer = await prober.ask("POST", f"{own.api_url}/v1.0/oauth2/accessToken", body)
    if answer.problem:
        return [problem("dingtalk", f"cannot be reached ({answer.problem})", "check the network")]
    token = answer.body.get("accessToken")
    if token is None:
        return [problem("dingtalk app", f"refused ({answer.body.get('code', answer.status)})", step)]
    return [good("dingtalk app", "client ID and secret work"), await _permission(own, str(token), prober)]


async def _permission(own: DingTalkSettings, token: str, prober: Prober) -> Finding:
    """Return whether the robot may send of its own accord.

    No request tells what an app may do. One for a file that does not exist needs the same permission as sending, does
    nothing, and is denied for want of it before DingTalk looks for the file.
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
        step = "open-dev.dingtalk.com, the app, Permissions (权限管理): ask for it, then publish a version"
        return problem(about, f"missing: {missing}, so reminders cannot come out of the blue", step)
    if code.startswith(_FORBIDDEN):
        step = "open-dev.dingtalk.com, the app, Security settings (安全设置): allow the address of this machine"
        return problem(about, f"refused ({code}: {answer.body.get('message')})", step)
    return good(about, "the robot may send" if answer.body else "DingTalk does not tell")
