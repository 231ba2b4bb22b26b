"""Check the connections of a running bot by its HTTP API."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bot.config.settings import HttpSettings
from bot.platforms.kit.doctor import Finding, Prober, good, problem

_ABOUT: Final = "running bot"
_WILDCARD_ADDRESSES: Final = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 - values of a setting


async def examine_running(settings: HttpSettings, prober: Prober, *, data_dir: Path) -> list[Finding]:
    """Request the state of the platforms from the bot of these settings, if it runs."""
    if not settings.enabled or settings.port == 0:
        return []
    address = f"http://{_WILDCARD_ADDRESSES.get(settings.host, settings.host)}:{settings.port}"
    token = settings.token.get_secret_value()
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = await prober.ask("GET", f"{address}/api/admin/adapters", headers=headers)
    found = answer.body.get("adapters")
    if not isinstance(found, list):
        if answer.problem:
            return [good(_ABOUT, "bot_none", address=address)]
        return [good(_ABOUT, "bot_silent", address=address, status=answer.status)]
    own, other = _absolute(data_dir), answer.body.get("data_dir")
    if other and other != own:
        return [problem(_ABOUT, "bot_other", "bot_port", address=address, other=other, own=own)]
    platforms = [each for each in found if isinstance(each, dict)]
    broken = [
        _describe_broken(each)
        for each in platforms
        if each.get("state") in {"deaf", "stopped"} or _has_partial_outage(each)
    ]
    if broken:
        return broken
    states = ", ".join(f"{each.get('name')} {each.get('state')}" for each in platforms)
    return [good(_ABOUT, "bot_platforms", names=states) if states else good(_ABOUT, "bot_no_platforms")]


def _absolute(folder: Path) -> str:
    return str(folder.resolve())


def _has_partial_outage(platform: Mapping[str, object]) -> bool:
    """Return whether a live connection reports a problem, such as a room that removed the bot."""
    return platform.get("state") == "live" and bool(platform.get("detail"))


def _describe_broken(platform: Mapping[str, object]) -> Finding:
    state, step = {
        "deaf": ("connection_stale", "connection_wait"),
        "live": ("connection_partial", "connection_rooms"),
    }.get(str(platform.get("state")), ("connection_stopped", "connection_start"))
    return problem(_ABOUT, state, step, name=platform.get("name"), reason=platform.get("detail") or "–")
