"""Check the Slack app: its tokens and their scopes."""

from bot.config.platform_catalog import SlackSettings
from bot.config.settings import Settings
from bot.platforms.kit.doctor import Finding, Prober, good, problem
from bot.platforms.slack.wire import NAME

_SCOPES = {"chat:write": "speaks", "users:read": "knows names"}
_READING = {"channels:history", "groups:history", "im:history", "mpim:history", "app_mentions:read"}
_STEP = "api.slack.com/apps, OAuth & Permissions: add the scope, then install the app again"


async def examine(settings: Settings, prober: Prober) -> list[Finding]:
    """Try both tokens, or the one and the signing secret."""
    own = settings.platforms.group(NAME, SlackSettings)
    found = await _bot_token(own, prober)
    if own.mode == "socket":
        return [*found, await _app_token(own, prober)]
    if own.signing_secret.get_secret_value():
        return [*found, good("slack signing secret", "is set")]
    step = "api.slack.com/apps, Basic Information: copy it to BUBBLES_PLATFORMS__SLACK__SIGNING_SECRET"
    return [*found, problem("slack signing secret", "there is none", step)]


async def _bot_token(own: SlackSettings, prober: Prober) -> list[Finding]:
    token = own.bot_token.get_secret_value()
    if not token:
        step = "api.slack.com/apps, OAuth & Permissions: copy it to BUBBLES_PLATFORMS__SLACK__BOT_TOKEN"
        return [problem("slack bot token", "there is none", step)]
    answer = await prober.ask("POST", f"{own.api_url}auth.test", {}, {"Authorization": f"Bearer {token}"})
    if answer.problem:
        return [problem("slack", f"cannot be reached ({answer.problem})", "check the network")]
    if not answer.body.get("ok"):
        step = "copy it again from api.slack.com/apps, OAuth & Permissions"
        return [problem("slack bot token", f"refused ({answer.body.get('error', answer.status)})", step)]
    works = good("slack bot token", f"works: {answer.body.get('user')} in {answer.body.get('team', 'the workspace')}")
    scopes = {scope.strip() for scope in answer.headers.get("x-oauth-scopes", "").split(",")} - {""}
    return [works, *_permissions(scopes)]


def _permissions(scopes: set[str]) -> list[Finding]:
    if not scopes:
        return []  # Slack did not say; what it does not say is nothing to be alarmed about
    missing = [scope for scope in _SCOPES if scope not in scopes]
    if not scopes & _READING:
        missing.append("channels:history")
    if missing:
        return [problem("slack permissions", f"missing: {', '.join(missing)}", _STEP)]
    return [good("slack permissions", "the bot reads, speaks and knows names")]


async def _app_token(own: SlackSettings, prober: Prober) -> Finding:
    token = own.app_token.get_secret_value()
    if not token:
        step = "api.slack.com/apps, Basic Information, App-Level Tokens: one with connections:write"
        return problem("slack app token", "there is none", step)
    answer = await prober.ask("POST", f"{own.api_url}apps.connections.open", {}, {"Authorization": f"Bearer {token}"})
    if answer.body.get("ok"):
        return good("slack app token", "works: Socket Mode is open")
    why = answer.problem or str(answer.body.get("error", answer.status))
    return problem(
        "slack app token", f"refused ({why})", "switch on Socket Mode, and make a token with connections:write"
    )
