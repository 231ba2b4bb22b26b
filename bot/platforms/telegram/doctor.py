"""Check the Telegram bot account: its token, privacy mode and webhook."""

from bot.config.platform_catalog import TelegramSettings
from bot.config.settings import Settings
from bot.platforms.kit.doctor import Finding, Prober, good, problem
from bot.platforms.kit.events import mapping
from bot.platforms.telegram.wire import NAME


async def examine(settings: Settings, prober: Prober) -> list[Finding]:
    """Request the account, and check whether messages can reach it."""
    own = settings.platforms.group(NAME, TelegramSettings)
    token = own.token.get_secret_value()
    if not token:
        return [problem("telegram token", "absent", "telegram_token")]
    base = f"{own.api_url.rstrip('/')}/bot{token}"
    answer = await prober.ask("GET", f"{base}/getMe")
    me = answer.body.get("result")
    if answer.problem:
        reason = answer.problem.replace(token, "…")
        return [problem("telegram", "unreachable", "telegram_network", reason=reason)]
    if not isinstance(me, dict):
        why = answer.body.get("description", answer.status)
        return [problem("telegram token", "refused", "telegram_again", reason=why)]
    may_join = me.get("can_join_groups", True)
    groups = "telegram groups"
    return [
        good("telegram token", "works", name=f"@{me.get('username')}"),
        _privacy(me, listens_to_all=settings.router.listen != "addressed"),
        good(groups, "groups_allowed") if may_join else problem(groups, "groups_refused", "groups_enable"),
        *await _webhook(own, base, prober),
    ]


def _privacy(me: dict[str, object], *, listens_to_all: bool) -> Finding:
    about = "telegram privacy mode"
    if me.get("can_read_all_group_messages"):
        return good(about, "privacy_off")
    if not listens_to_all:
        return good(about, "privacy_fits")
    return problem(about, "privacy_on", "privacy_disable")


async def _webhook(own: TelegramSettings, base: str, prober: Prober) -> list[Finding]:
    """Check whether Telegram can reach the webhook, if there is one."""
    if not own.webhook_url:
        return []
    found = mapping((await prober.ask("GET", f"{base}/getWebhookInfo")).body.get("result"))
    error, pending = found.get("last_error_message"), int(str(found.get("pending_update_count", 0)))
    if error and pending:
        place = {"url": own.webhook_url, "port": own.webhook_port}
        return [problem("telegram webhook", "webhook_fails", "webhook_port", reason=error, count=pending, **place)]
    return [good("telegram webhook", "webhook_waits", count=pending)]
