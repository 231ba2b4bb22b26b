"""Check the bot's permissions in Discord guilds.

Source: https://discord.com/developers/docs/topics/permissions
"""

from collections.abc import Iterator, Mapping
from functools import reduce
from operator import or_
from typing import Final

from bot.platforms.kit.doctor.asking import Asking
from bot.platforms.kit.doctor.finding import Finding, good, problem

_ABOUT: Final = "discord permissions"
_ADMINISTRATOR: Final = 1 << 3
_NEEDED: Final = {
    "View Channels": 1 << 10,
    "Send Messages": 1 << 11,
    "Send Messages in Threads": 1 << 38,
    "Attach Files": 1 << 15,
    "Read Message History": 1 << 16,
    "Add Reactions": 1 << 6,
}
_LOOKED_INTO: Final = 5


async def examine_rights(api_url: str, headers: Mapping[str, str], asking: Asking) -> list[Finding]:
    """Return which permissions the bot has nowhere in a server of its; nothing where Discord does not tell."""
    guilds = await asking.ask("GET", f"{api_url}/users/@me/guilds", headers=headers)
    if not guilds.is_ok:
        return []
    if not guilds.listed:
        return [good(_ABOUT, "the bot is in no server yet: OAuth2, URL Generator makes the address that adds it")]
    lacking = []
    for guild in [each for each in guilds.listed if _missing(_bits(each.get("permissions")))][:_LOOKED_INTO]:
        channels = await asking.ask("GET", f"{api_url}/guilds/{guild.get('id')}/channels", headers=headers)
        granted = reduce(or_, _exceptions(channels.listed), _bits(guild.get("permissions")))
        missing = _missing(granted) if channels.is_ok else []
        lacking += [f"{guild.get('name')}: {', '.join(missing)}"] if missing else []
    if lacking:
        step = "give the bot's role these permissions: the server's settings, Roles"
        return [problem(_ABOUT, f"missing in {'; '.join(lacking)}", step)]
    return [good(_ABOUT, f"nothing is missing in its servers, {len(guilds.listed)} in all")]


def _missing(bits: int) -> list[str]:
    return [] if bits & _ADMINISTRATOR else [name for name, bit in _NEEDED.items() if not bits & bit]


def _exceptions(channels: tuple[Mapping[str, object], ...]) -> Iterator[int]:
    """Yield what channels allow beyond the server, to whomever: the bot may be among them."""
    for channel in channels:
        exceptions = channel.get("permission_overwrites")
        for each in exceptions if isinstance(exceptions, list) else []:
            yield _bits(each.get("allow") if isinstance(each, dict) else None)


def _bits(told: object) -> int:
    """Permissions as Discord writes them, a number in a text; what is no such text permits everything."""
    return int(told) if isinstance(told, str) and told.isdigit() else _ADMINISTRATOR
