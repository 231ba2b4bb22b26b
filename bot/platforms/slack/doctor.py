"""Check the Slack app: its tokens and their scopes."""

from bot.config.platform_catalog import SlackSettings
from bot.config.settings import Settings
from bot.platforms.kit.doctor import Finding, Prober, good, problem, refusal
from bot.platforms.slack.wire import NAME

_SCOPES = ("chat:write", "users:read")
_READING = {"channels:history", "groups:history", "im:history", "mpim:history", "app_mentions:read"}


async def examine(settings: Settings, prober: Prober) -> list[Finding]:
    """Check the bot token, and the app token or the signing secret."""
    own = settings.platforms.group(NAME, SlackSettings)
    found = await _bot_token(own, prober)
    if own.mode == "socket":
        return [*found, await _app_token(own, prober)]
    if own.signing_secret.get_secret_value():
        return [*found, good("slack signing secret", "present")]
    return [*found, problem("slack signing secret", "absent", "slack_secret")]


async def _bot_token(own: SlackSettings, prober: Prober) -> list[Finding]:
    token = own.bot_token.get_secret_value()
    if not token:
        return [problem("slack bot token", "absent", "slack_token")]
    answer = await prober.ask("POST", f"{own.api_url}auth.test", {}, token=token)
    if not answer.body.get("ok"):
        return [refusal(answer, "slack bot token", "slack_again", "error")]
    works = good("slack bot token", "works", name=f"{answer.body.get('user')} @ {answer.body.get('team', 'Slack')}")
    scopes = {scope.strip() for scope in answer.headers.get("x-oauth-scopes", "").split(",")} - {""}
    return [works, *_permissions(scopes)]


def _permissions(scopes: set[str]) -> list[Finding]:
    if not scopes:
        return []  # Slack did not report the scopes
    missing = [scope for scope in _SCOPES if scope not in scopes]
    if not scopes & _READING:
        missing.append("channels:history")
    if missing:
        return [problem("slack permissions", "missing", "slack_scopes", names=", ".join(missing))]
    return [good("slack permissions", "complete")]


async def _app_token(own: SlackSettings, prober: Prober) -> Finding:
    token = own.app_token.get_secret_value()
    if not token:
        return problem("slack app token", "absent", "slack_app_token")
    answer = await prober.ask("POST", f"{own.api_url}apps.connections.open", {}, token=token)
    if answer.body.get("ok"):
        return good("slack app token", "works", name="Socket Mode")
    why = answer.problem or str(answer.body.get("error", answer.status))
    return problem("slack app token", "refused", "slack_socket", reason=why)
