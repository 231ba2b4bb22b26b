"""Check the Feishu app, its bot and its permissions.

Source: https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/application-v6/scope/list
"""

from collections.abc import Iterator, Mapping
from typing import Final

from bot.config.platform_catalog import FeishuSettings
from bot.config.settings import Settings
from bot.platforms.feishu.wire import NAME
from bot.platforms.kit.doctor import Finding, Prober, good, problem

_ABOUT: Final = "feishu permissions"
_STEP: Final = "open.feishu.cn, the app, Permissions (权限管理): add them, then publish a version"
_GRANTED: Final = 1
# What the bot does, and the permissions each of which is enough for it; the first one asks for the least.
_EVERYTHING: Final = ("im:message.group_msg", "im:message.group_msg.include_bot:read")
_NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "speak": ("im:message:send_as_bot", "im:message", "im:message:send"),
    "hear private chats": ("im:message.p2p_msg:readonly", "im:message.p2p_msg"),
}
_HEAR_ALL: Final = {"hear its groups": _EVERYTHING}
_HEAR_CALLS: Final = {
    "hear its mentions": ("im:message.group_at_msg:readonly", "im:message.group_at_msg", *_EVERYTHING)
}
_BESIDES: Final[Mapping[str, tuple[str, ...]]] = {
    "send files": ("im:resource:upload", "im:resource"),
    "know who is in a group": (
        "im:chat.members:read",
        "im:chat:readonly",
        "im:chat",
        "im:chat.group_info:readonly",
    ),
}


async def examine_permissions(
    domain: str, headers: Mapping[str, str], prober: Prober, *, listens_to_all: bool
) -> list[Finding]:
    """Return the permissions that the app lacks; nothing where Feishu does not report them."""
    answer = await prober.ask("GET", f"{domain}/open-apis/application/v6/scopes", headers=headers)
    data = answer.body.get("data")
    scopes = data.get("scopes") if isinstance(data, dict) else None
    if not isinstance(scopes, list):
        return []
    granted = {str(each.get("scope_name")) for each in scopes if isinstance(each, dict) and _is_of_the_app(each)}
    missing = list(_list_missing({**_NEEDED, **(_HEAR_ALL if listens_to_all else _HEAR_CALLS)}, granted))
    if missing:
        return [problem(_ABOUT, f"missing: {', '.join(missing)}", _STEP)]
    left_out = ", ".join(_list_missing(_BESIDES, granted))
    return [good(_ABOUT, f"the bot hears and speaks; not granted: {left_out}" if left_out else "nothing is missing")]


def _is_of_the_app(scope: Mapping[str, object]) -> bool:
    """Granted, and to the app itself: some are granted for what it does in the name of a person."""
    return scope.get("grant_status") == _GRANTED and scope.get("scope_type", "tenant") == "tenant"


def _list_missing(wanted: Mapping[str, tuple[str, ...]], granted: set[str]) -> Iterator[str]:
    return (f"{enough[0]} (to {purpose})" for purpose, enough in wanted.items() if not granted & {*enough})


async def examine(settings: Settings, prober: Prober) -> list[Finding]:
    """Ask for a token, then for the bot's identity and its permissions."""
    own = settings.platforms.group(NAME, FeishuSettings)
    secret = own.app_secret.get_secret_value()
    step = "open.feishu.cn, the app, Credentials: copy App ID and App Secret again"
    if not own.app_id or not secret:
        return [problem("feishu app", "app ID or secret is missing", step)]
    body = {"app_id": own.app_id, "app_secret": secret}
    answer = await prober.ask("POST", f"{own.domain}/open-apis/auth/v3/tenant_access_token/internal", body)
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
        await _bot(own.domain, headers, prober),
        *await examine_permissions(own.domain, headers, prober, listens_to_all=listens_to_all),
    ]


async def _bot(domain: str, headers: Mapping[str, str], prober: Prober) -> Finding:
    answer = await prober.ask("GET", f"{domain}/open-apis/bot/v3/info", headers=headers)
    bot = answer.body.get("bot")
    if isinstance(bot, dict) and bot.get("open_id"):
        return good("feishu bot", f"works: {bot.get('app_name')}")
    step = "open.feishu.cn, the app, Add features: Bot; then publish a version"
    return problem("feishu bot", "the app has no bot", step)
