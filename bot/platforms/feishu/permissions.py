"""Check the permissions of the app in Feishu.

Source: https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/application-v6/scope/list
"""

from collections.abc import Iterator, Mapping
from typing import Final

from bot.platforms.kit.doctor.asking import Asking
from bot.platforms.kit.doctor.finding import Finding, good, problem

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
    "react": ("im:message.reactions:write_only", "im:message"),
    "know who is in a group": (
        "im:chat.members:read",
        "im:chat:readonly",
        "im:chat",
        "im:chat.group_info:readonly",
    ),
}


async def examine_permissions(
    domain: str, headers: Mapping[str, str], asking: Asking, *, listens_to_all: bool
) -> list[Finding]:
    """Return which permissions the app lacks; nothing where Feishu does not tell."""
    answer = await asking.ask("GET", f"{domain}/open-apis/application/v6/scopes", headers=headers)
    data = answer.body.get("data")
    scopes = data.get("scopes") if isinstance(data, dict) else None
    if not isinstance(scopes, list):
        return []
    granted = {str(each.get("scope_name")) for each in scopes if isinstance(each, dict) and _is_of_the_app(each)}
    missing = list(_missing({**_NEEDED, **(_HEAR_ALL if listens_to_all else _HEAR_CALLS)}, granted))
    if missing:
        return [problem(_ABOUT, f"missing: {', '.join(missing)}", _STEP)]
    left_out = ", ".join(_missing(_BESIDES, granted))
    return [good(_ABOUT, f"the bot hears and speaks; not granted: {left_out}" if left_out else "nothing is missing")]


def _is_of_the_app(scope: Mapping[str, object]) -> bool:
    """Granted, and to the app itself: some are granted for what it does in the name of a person."""
    return scope.get("grant_status") == _GRANTED and scope.get("scope_type", "tenant") == "tenant"


def _missing(wanted: Mapping[str, tuple[str, ...]], granted: set[str]) -> Iterator[str]:
    return (f"{enough[0]} (to {purpose})" for purpose, enough in wanted.items() if not granted & {*enough})
