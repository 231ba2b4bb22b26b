"""Check the connections of a running bot by its HTTP API."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bot.config.settings import HttpSettings
from bot.platforms.kit.doctor import Finding, Prober, ProbeResult, good, problem

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
        return [good(_ABOUT, _explain_missing(address, answer))]
    own, other = _absolute(data_dir), answer.body.get("data_dir")
    if other and other != own:
        step = "set http.port of one of them to another port, or run the doctor with the settings of that bot"
        return [problem(_ABOUT, f"another bot answers at {address}: its data is in {other}, not in {own}", step)]
    platforms = [each for each in found if isinstance(each, dict)]
    broken = [
        _describe_broken(each)
        for each in platforms
        if each.get("state") in {"deaf", "stopped"} or _has_partial_outage(each)
    ]
    if broken:
        return broken
    states = ", ".join(f"{each.get('name')} {each.get('state')}" for each in platforms)
    return [good(_ABOUT, f"its platforms: {states}" if states else "it serves no platforms")]


def _absolute(folder: Path) -> str:
    return str(folder.resolve())


def _explain_missing(address: str, answer: ProbeResult) -> str:
    if answer.problem:
        return f"none answers at {address}"
    return f"{address} does not report the state of the platforms ({answer.status})"


def _has_partial_outage(platform: Mapping[str, object]) -> bool:
    """Return whether a live connection reports a problem, such as a room that removed the bot."""
    return platform.get("state") == "live" and bool(platform.get("detail"))


def _describe_broken(platform: Mapping[str, object]) -> Finding:
    name, detail = platform.get("name"), platform.get("detail") or "no reason given"
    if platform.get("state") == "deaf":
        step = f"the bot reconnects; if that does not help, check the network connection to {name}"
        return problem(_ABOUT, f"the connection to {name} is stale: {detail}", step)
    if platform.get("state") == "live":
        step = "the bot tries again; let an owner of the room admit the bot, or remove the room from the settings"
        return problem(_ABOUT, f"{name} is connected, but {detail}", step)
    return problem(_ABOUT, f"{name} has stopped: {detail}", "fix the problem, and start the bot again")
