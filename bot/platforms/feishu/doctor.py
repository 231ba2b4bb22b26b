"""Check the Feishu app, its bot and its permissions.

Source: https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/application-v6/scope/list
"""

from collections.abc import Iterator, Mapping
from typing import Final

from bot.config.platform_catalog import FeishuSettings
from bot.config.settings import Settings
from bot.platforms.feishu.wire import NAME
from bot.platforms.kit.doctor import Finding, Prober, good, problem, refusal
from bot.platforms.kit.events import mapping, mappings

_ABOUT: Final = "feishu permissions"
_GRANTED: Final = 1
# A purpose, and the permissions of which one is enough for it, the narrowest first.
_EVERYTHING: Final = ("im:message.group_msg", "im:message.group_msg.include_bot:read")
_NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "send messages": ("im:message:send_as_bot", "im:message", "im:message:send"),
    "receive private messages": ("im:message.p2p_msg:readonly", "im:message.p2p_msg"),
}
_ALL_MESSAGES: Final = {"receive messages of groups": _EVERYTHING}
_MENTIONS: Final = {
    "receive its mentions": ("im:message.group_at_msg:readonly", "im:message.group_at_msg", *_EVERYTHING)
}
_OPTIONAL: Final[Mapping[str, tuple[str, ...]]] = {
    "send files": ("im:resource:upload", "im:resource"),
    "list the members of a group": (
        "im:chat.members:read",
        "im:chat:readonly",
        "im:chat",
        "im:chat.group_info:readonly",
    ),
}


async def examine_permissions(domain: str, token: str, prober: Prober, *, listens_to_all: bool) -> list[Finding]:
    """Report the permissions that the app lacks; nothing if Feishu does not list them."""
    answer = await prober.ask("GET", f"{domain}/open-apis/application/v6/scopes", token=token)
    data = mapping(answer.body.get("data"))
    if not isinstance(data.get("scopes"), list):
        return []
    # Others are granted only for requests in the name of a person.
    of_app = [each for each in mappings(data["scopes"]) if each.get("scope_type", "tenant") == "tenant"]
    granted = {str(each.get("scope_name")) for each in of_app if each.get("grant_status") == _GRANTED}
    missing = list(_list_missing({**_NEEDED, **(_ALL_MESSAGES if listens_to_all else _MENTIONS)}, granted))
    if missing:
        return [problem(_ABOUT, "missing", "feishu_scopes", names=", ".join(missing))]
    left_out = ", ".join(_list_missing(_OPTIONAL, granted))
    return [good(_ABOUT, "feishu_left_out", names=left_out) if left_out else good(_ABOUT, "complete")]


def _list_missing(wanted: Mapping[str, tuple[str, ...]], granted: set[str]) -> Iterator[str]:
    return (f"{enough[0]} (to {purpose})" for purpose, enough in wanted.items() if not granted & {*enough})


async def examine(settings: Settings, prober: Prober) -> list[Finding]:
    """Ask for a token, then for the bot's identity and its permissions."""
    own = settings.platforms.group(NAME, FeishuSettings)
    secret = own.app_secret.get_secret_value()
    if not own.app_id or not secret:
        return [problem("feishu app", "absent", "feishu_again")]
    body = {"app_id": own.app_id, "app_secret": secret}
    answer = await prober.ask("POST", f"{own.domain}/open-apis/auth/v3/tenant_access_token/internal", body)
    token = str(answer.body.get("tenant_access_token") or "")
    if not token:
        return [refusal(answer, "feishu app", "feishu_again", "msg", network="feishu_network")]
    listens_to_all = settings.router.listen != "addressed"
    return [
        good("feishu app", "works", name=own.app_id),
        await _bot(own.domain, token, prober),
        *await examine_permissions(own.domain, token, prober, listens_to_all=listens_to_all),
    ]


async def _bot(domain: str, token: str, prober: Prober) -> Finding:
    answer = await prober.ask("GET", f"{domain}/open-apis/bot/v3/info", token=token)
    bot = mapping(answer.body.get("bot"))
    if bot.get("open_id"):
        return good("feishu bot", "works", name=bot.get("app_name"))
    return problem("feishu bot", "absent", "feishu_bot")
