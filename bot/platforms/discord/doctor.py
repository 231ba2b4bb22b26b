"""Check the Discord application: its token, the message content intent and the permissions in guilds.

Source: https://discord.com/developers/docs/topics/permissions
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Final

from bot.config.platform_catalog import DiscordSettings
from bot.config.settings import Settings
from bot.platforms.discord.wire import NAME
from bot.platforms.kit.doctor import Finding, Prober, good, problem, refusal

_API = "https://discord.com/api/v10"
_READS_CONTENT = (1 << 18) | (1 << 19)
_ABOUT: Final = "discord permissions"
_ADMINISTRATOR: Final = 1 << 3
_NEEDED: Final = {
    "View Channels": 1 << 10,
    "Send Messages": 1 << 11,
    "Send Messages in Threads": 1 << 38,
    "Attach Files": 1 << 15,
    "Read Message History": 1 << 16,
}
_MAX_GUILDS: Final = 5


async def examine_rights(api_url: str, headers: Mapping[str, str], prober: Prober) -> list[Finding]:
    """Report the permissions that the bot lacks in its servers; nothing if Discord does not list them."""
    guilds = await prober.ask("GET", f"{api_url}/users/@me/guilds", headers=headers)
    if not guilds.is_ok:
        return []
    if not guilds.listed:
        return [good(_ABOUT, "discord_nowhere")]
    lacking = []
    for guild in [each for each in guilds.listed if _list_missing(_bits(each.get("permissions")))][:_MAX_GUILDS]:
        channels = await prober.ask("GET", f"{api_url}/guilds/{guild.get('id')}/channels", headers=headers)
        granted = reduce(or_, _exceptions(channels.listed), _bits(guild.get("permissions")))
        missing = _list_missing(granted) if channels.is_ok else []
        lacking += [f"{guild.get('name')}: {', '.join(missing)}"] if missing else []
    if lacking:
        return [problem(_ABOUT, "missing", "discord_roles", names="; ".join(lacking))]
    return [good(_ABOUT, "discord_complete", count=len(guilds.listed))]


def _list_missing(bits: int) -> list[str]:
    return [] if bits & _ADMINISTRATOR else [name for name, bit in _NEEDED.items() if not bits & bit]


def _exceptions(channels: Sequence[Mapping[str, object]]) -> Iterator[int]:
    """Yield the permissions that channels add to those of the server, for anyone: the bot may be among them."""
    for channel in channels:
        exceptions = channel.get("permission_overwrites")
        for each in exceptions if isinstance(exceptions, list) else []:
            yield _bits(each.get("allow") if isinstance(each, dict) else None)


def _bits(value: object) -> int:
    """Return permissions, which Discord writes as decimal text; any other value counts as all of them."""
    return int(value) if isinstance(value, str) and value.isdecimal() else _ADMINISTRATOR


async def examine(settings: Settings, prober: Prober, *, api_url: str = _API) -> list[Finding]:
    """Request the application with its flags, and the servers that it is in."""
    token = settings.platforms.group(NAME, DiscordSettings).token.get_secret_value()
    if not token:
        return [problem("discord token", "absent", "discord_token")]
    headers = {"Authorization": f"Bot {token}"}
    answer = await prober.ask("GET", f"{api_url}/oauth2/applications/@me", headers=headers)
    if not answer.is_ok:
        return [refusal(answer, "discord token", "discord_again", "message")]
    found = good("discord token", "works", name=answer.body.get("name"))
    intent = _intent(answer.body.get("flags"), listens_to_all=settings.router.listen != "addressed")
    return [found, intent, *await examine_rights(api_url, headers, prober)]


def _intent(flags: object, *, listens_to_all: bool) -> Finding:
    about = "discord message content"
    if isinstance(flags, int) and flags & _READS_CONTENT:
        return good(about, "intent_on")
    if not listens_to_all:
        return good(about, "intent_fits")
    return problem(about, "intent_off", "intent_enable")
