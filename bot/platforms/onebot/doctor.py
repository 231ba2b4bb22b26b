"""Check the connection to a OneBot client."""

import errno
import socket

from bot.config.platform_catalog import OneBotSettings
from bot.config.settings import Settings
from bot.platforms.kit.doctor import Finding, Prober, good, problem
from bot.platforms.onebot.wire import NAME


async def examine(settings: Settings, prober: Prober) -> list[Finding]:
    """Request the account from the client, or check that it could connect."""
    own = settings.platforms.group(NAME, OneBotSettings)
    if own.mode == "reverse":
        return [_examine_port(own)]
    if not own.url:
        return [problem("onebot", "onebot_no_url", "onebot_url", mode=own.mode)]
    return [await _client(own, prober)]


async def _client(own: OneBotSettings, prober: Prober) -> Finding:
    """Request the account by http; a WebSocket address at least answers that it expects another protocol."""
    token = own.token.get_secret_value()
    if own.mode == "http":
        answer = await prober.ask("POST", f"{own.url.rstrip('/')}/get_login_info", {}, token=token)
    else:
        answer = await prober.ask("GET", own.url.replace("ws", "http", 1), token=token)
    if answer.problem:
        return problem("onebot", "unreachable", "onebot_client", reason=f"{own.url}: {answer.problem}")
    if answer.status in {401, 403}:
        return problem("onebot token", "refused", "onebot_token", reason=answer.status)
    data = answer.body.get("data")
    name = f" ({data.get('nickname')})" if isinstance(data, dict) else ""
    return good("onebot", "answers", name=f"{own.url}{name}")


def _examine_port(own: OneBotSettings) -> Finding:
    with socket.socket() as trial:
        try:
            trial.bind((own.host, own.port))
        except PermissionError:
            return problem("onebot", "port_forbidden", "onebot_port", port=own.port)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:  # most likely by the bot itself
                return good("onebot", "port_used", port=own.port)
            return problem("onebot", f"{own.host}:{own.port}: {error.strerror}", "onebot_host")
    return good("onebot", "port_free", port=own.port)
