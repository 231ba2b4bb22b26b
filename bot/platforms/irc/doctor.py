"""Check the IRC network: connection, nickname and account."""

import asyncio
import ssl
from typing import Final

from bot.config.platform_catalog import IrcSettings
from bot.config.settings import Settings
from bot.platforms.irc.login import Login, read_line
from bot.platforms.irc.wire import NAME
from bot.platforms.kit.connection import ConnectionEnded, ConnectionRefusedForGood
from bot.platforms.kit.doctor import Finding, Prober, good, problem

_TIMEOUT_SECONDS: Final = 30.0
# Source: RFC 2811 section 2.1.
_CHANNEL_PREFIXES: Final = ("#", "&", "+", "!")


async def examine(settings: Settings, prober: Prober) -> list[Finding]:
    """Log in as the bot would, and leave at once; no channel is entered."""
    del prober  # IRC is no HTTP
    own = settings.platforms.group(NAME, IrcSettings)
    if not own.host:
        return [problem("irc", "no_address", "irc_host")]
    nick = own.nick or settings.bot.name
    try:
        async with asyncio.timeout(_TIMEOUT_SECONDS):
            return await _visit(own, nick)
    except ConnectionRefusedForGood as refusal:
        return [problem("irc", "refused", "irc_login", reason=refusal.reason)]
    except ConnectionEnded as end:
        return [problem("irc", "closed", "irc_wait", reason=end.reason)]
    except ssl.SSLError as error:
        return [problem("irc", "irc_no_tls", "irc_encrypted", reason=f"{own.host}:{own.port}: {error.reason}")]
    except OSError as error:  # a server that is silent, too: TimeoutError is an OSError
        reason = str(error) or f"{_TIMEOUT_SECONDS:.0f} s"
        return [problem("irc", "unreachable", "irc_server", reason=f"{own.host}:{own.port}: {reason}")]


async def _visit(own: IrcSettings, nick: str) -> list[Finding]:
    context = ssl.create_default_context() if own.encrypted else None
    reader, writer = await asyncio.open_connection(own.host, own.port, ssl=context)

    def write(line: str) -> None:
        writer.write(f"{line}\r\n".encode())

    login = Login(own, nick, write)
    try:
        login.start()
        while not login.is_welcome:
            login.handle(await read_line(reader))
        write("QUIT :Bubbles")
    finally:
        writer.close()
    return [good("irc", "works", name=f"{login.nick}, {own.host}"), _account(own, login), _channels(own)]


def _account(own: IrcSettings, login: Login) -> Finding:
    about = "irc account"
    if not own.account_password.get_secret_value():
        return good(about, "unused")
    if login.is_identified:
        return good(about, "works", name="SASL")
    if login.is_refused:
        return problem(about, "refused", "irc_account", reason="SASL")
    return good(about, "irc_untried")


def _channels(own: IrcSettings) -> Finding:
    about = "irc channels"
    names = [each.partition(" ")[0] for each in own.channels]
    wrong = [name for name in names if not name.startswith(_CHANNEL_PREFIXES)]
    if wrong:
        right = ", ".join(f"#{name}" for name in wrong)
        return problem(about, "irc_no_channel", "irc_channels", names=", ".join(wrong), right=right)
    if own.channels:
        return good(about, "rooms_joined", names=", ".join(names))
    return good(about, "rooms_none")
