"""Check the connection to a OneBot client."""

import errno
import socket

from bot.config.platform_catalog import OneBotSettings
from bot.config.settings import Settings
from bot.platforms.kit.doctor import Finding, Prober, good, problem
from bot.platforms.onebot.wire import NAME


async def examine(settings: Settings, prober: Prober) -> list[Finding]:
    """Ask the client who it is, or see that it could come to us."""
    own = settings.platforms.group(NAME, OneBotSettings)
    if own.mode == "reverse":
        return [_place_to_listen(own)]
    if not own.url:
        return [problem("onebot", f"mode {own.mode} needs the address of the client", "set platforms.onebot.url")]
    return [await _client(own, prober)]


async def _client(own: OneBotSettings, prober: Prober) -> Finding:
    """Over http it says who it is; at a WebSocket address it at least answers that it wants one."""
    token = own.token.get_secret_value()
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    if own.mode == "http":
        answer = await prober.ask("POST", f"{own.url.rstrip('/')}/get_login_info", {}, headers)
    else:
        answer = await prober.ask("GET", own.url.replace("ws", "http", 1), headers=headers)
    if answer.problem:
        return problem(
            "onebot", f"{own.url} cannot be reached ({answer.problem})", "start the client, or correct the url"
        )
    if answer.status in {401, 403}:
        return problem("onebot token", "the client refuses it", "give both the same: BUBBLES_PLATFORMS__ONEBOT__TOKEN")
    data = answer.body.get("data")
    name = f", {data.get('nickname')}" if isinstance(data, dict) else ""
    return good("onebot", f"{own.url} answers{name}")


def _place_to_listen(own: OneBotSettings) -> Finding:
    with socket.socket() as trial:
        try:
            trial.bind((own.host, own.port))
        except PermissionError:
            return problem("onebot", f"port {own.port} needs more rights", "set platforms.onebot.port above 1023")
        except OSError as error:
            if error.errno == errno.EADDRINUSE:  # most likely by the bot itself
                return good("onebot", f"port {own.port} is being listened on, by the bot if it runs")
            return problem("onebot", f"{own.host}:{own.port}: {error.strerror}", "correct platforms.onebot.host")
    return good("onebot", f"port {own.port} is free; let the client connect to /onebot/v11/ws there")
