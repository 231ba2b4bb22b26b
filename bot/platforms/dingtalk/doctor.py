"""What DingTalk says of the robot's app."""

from bot.findings.asking import Asking
from bot.findings.finding import Finding, good, problem
from bot.platforms.dingtalk.settings import DingTalkSettings
from bot.platforms.dingtalk.wire import NAME
from bot.settings import Settings


async def examine(settings: Settings, asking: Asking) -> list[Finding]:
    """Ask for an access token, which needs a right ID and secret."""
    own = settings.platforms.group(NAME, DingTalkSettings)
    secret = own.client_secret.get_secret_value()
    step = "open-dev.dingtalk.com, the app, Credentials: copy Client ID and Client Secret again"
    if not own.client_id or not secret:
        return [problem("dingtalk app", "client ID or secret is missing", step)]
    body = {"appKey": own.client_id, "appSecret": secret}
    answer = await asking.ask("POST", f"{own.api_url}/v1.0/oauth2/accessToken", body)
    if answer.problem:
        return [problem("dingtalk", f"cannot be reached ({answer.problem})", "check the network")]
    if "accessToken" not in answer.body:
        return [problem("dingtalk app", f"refused ({answer.body.get('code', answer.status)})", step)]
    return [good("dingtalk app", "client ID and secret work")]
