"""Check the Feishu app and its bot."""

from collections.abc import Mapping

from bot.config.settings import Settings
from bot.platforms.feishu.permissions import examine_permissions
from bot.platforms.feishu.settings import FeishuSettings
from bot.platforms.feishu.wire import NAME
from bot.platforms.kit.doctor.asking import Asking
from bot.platforms.kit.doctor.finding import Finding, good, problem


async def examine(settings: Settings, asking: Asking) -> list[Finding]:
    """Ask for a token, then who the bot is, and what it may do."""
    own = settings.platforms.group(NAME, FeishuSettings)
    secret = own.app_secret.get_secret_value()
    step = "open.feishu.cn, the app, Credentials: copy App ID and App Secret again"
    if not own.app_id or not secret:
        return [problem("feishu app", "app ID or secret is missing", step)]
    body = {"app_id": own.app_id, "app_secret": secret}
    answer = await asking.ask("POST", f"{own.domain}/open-apis/auth/v3/tenant_access_token/internal", body)
    token = answer.body.get("tenant_access_token")
    if answer.problem:
        return [
            problem("feishu", f"cannot be reached ({answer.problem})", "check the network, or platforms.feishu.domain")
        ]
    if not token:
        return [problem("feishu app", f"refused ({answer.body.get('msg', answer.status)})", step)]
    headers = {"Authorization": f"Bearer {token}"}
    listens_to_all = settings.router.listen != "addressed"
    return [
        good("feishu app", "app ID and secret work"),
        await _bot(own.domain, headers, asking),
        *await examine_permissions(own.domain, headers, asking, listens_to_all=listens_to_all),
    ]


async def _bot(domain: str, headers: Mapping[str, str], asking: Asking) -> Finding:
    answer = await asking.ask("GET", f"{domain}/open-apis/bot/v3/info", headers=headers)
    bot = answer.body.get("bot")
    if isinstance(bot, dict) and bot.get("open_id"):
        return good("feishu bot", f"works: {bot.get('app_name')}")
    step = "open.feishu.cn, the app, Add features: Bot; then publish a version"
    return problem("feishu bot", "the app has no bot", step)
