"""Check the Telegram bot account: its token, privacy mode and webhook."""

from bot.config.platform_catalog import TelegramSettings
from bot.config.settings import Settings
from bot.platforms.kit.doctor import Finding, Prober, good, problem
from bot.platforms.telegram.wire import NAME


async def examine(settings: Settings, prober: Prober) -> list[Finding]:
    """Ask who the bot is, and whether messages can reach it."""
    own = settings.platforms.group(NAME, TelegramSettings)
    token = own.token.get_secret_value()
    if not token:
        step = "talk to @BotFather, /newbot, and set BUBBLES_PLATFORMS__TELEGRAM__TOKEN"
        return [problem("telegram token", "there is none", step)]
    base = f"{own.api_url.rstrip('/')}/bot{token}"
    answer = await prober.ask("GET", f"{base}/getMe")
    me = answer.body.get("result")
    if answer.problem:
        reason = answer.problem.replace(token, "…")
        return [
            problem("telegram", f"cannot be reached ({reason})", "check the network, or platforms.telegram.api_url")
        ]
    if not isinstance(me, dict):
        step = "copy the token again from @BotFather (/token)"
        return [problem("telegram token", f"refused ({answer.body.get('description', answer.status)})", step)]
    return [
        good("telegram token", f"works: @{me.get('username')}"),
        _privacy(me, listens_to_all=settings.router.listen != "addressed"),
        _groups(me),
        *await _webhook(own, base, prober),
    ]


def _privacy(me: dict[str, object], *, listens_to_all: bool) -> Finding:
    about = "telegram privacy mode"
    if me.get("can_read_all_group_messages"):
        return good(about, "off: the bot reads what is said in its groups")
    if not listens_to_all:
        return good(about, 'on, which fits router.listen = "addressed"')
    return problem(
        about,
        "on: in groups the bot sees only commands, replies and mentions",
        'send /setprivacy to @BotFather, Disable, add the bot to its groups again; or set router.listen = "addressed"',
    )


def _groups(me: dict[str, object]) -> Finding:
    if me.get("can_join_groups", True):
        return good("telegram groups", "the bot may be added to groups")
    return problem("telegram groups", "the bot cannot be added to groups", "send /setjoingroups to @BotFather, Enable")


async def _webhook(own: TelegramSettings, base: str, prober: Prober) -> list[Finding]:
    """With a webhook: whether Telegram can reach it."""
    if not own.webhook_url:
        return []
    found = (await prober.ask("GET", f"{base}/getWebhookInfo")).body.get("result")
    error = found.get("last_error_message") if isinstance(found, dict) else None
    pending = int(found.get("pending_update_count", 0)) if isinstance(found, dict) else 0
    if error and pending:
        step = f"see that {own.webhook_url} leads to port {own.webhook_port} of this machine, with a valid certificate"
        return [problem("telegram webhook", f"Telegram cannot deliver ({error}); {pending} messages wait", step)]
    return [good("telegram webhook", f"{pending} messages wait")]
