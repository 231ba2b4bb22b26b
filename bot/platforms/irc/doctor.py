"""Check the IRC network: connection, nickname and account."""

import asyncio
import ssl
from typing import Final

from bot.config.platform_catalog import IrcSettings
from bot.config.settings import Settings
from bot.platforms.irc.login import Login
from bot.platforms.irc.wire import NAME, parse_line
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
        return [problem("irc", "no server is named", "fill in host of [platforms.irc]")]
    nick = own.nick or settings.bot.name
    try:
        async with asyncio.timeout(_TIMEOUT_SECONDS):
            return await _visit(own, nick)
    except ConnectionRefusedForGood as refusal:
        return [problem("irc", f"refused: {refusal}", "correct nick, account and passwords of [platforms.irc]")]
    except ConnectionEnded as end:
        return [problem("irc", f"{own.host} closed the connection: {end}", "wait some minutes, or ask the network")]
    except ssl.SSLError as error:
        step = "encrypted = true goes with port 6697, encrypted = false with 6667"
        return [problem("irc", f"{own.host}:{own.port} speaks no TLS that can be trusted ({error.reason})", step)]
    except OSError as error:  # a server that is silent, too: TimeoutError is an OSError
        reason = str(error) or f"silent for {_TIMEOUT_SECONDS:.0f} s"
        step = "correct host, port and encrypted of [platforms.irc], or the network"
        return [problem("irc", f"{own.host}:{own.port} cannot be reached ({reason})", step)]


async def _visit(own: IrcSettings, nick: str) -> list[Finding]:
    context = ssl.create_default_context() if own.encrypted else None
    reader, writer = await asyncio.open_connection(own.host, own.port, ssl=context)

    def write(line: str) -> None:
        writer.write(f"{line}\r\n".encode())

    login = Login(own, nick, write)
    try:
        login.begin()
        while not login.is_welcome:
            raw = await reader.readline()
            if not raw:
                raise ConnectionEnded("before the welcome")
            line = parse_line(raw.decode("utf-8", "replace").rstrip("\r\n"))
            if line is not None and line.command == "PING":
                write(f"PONG :{line.params[-1] if line.params else ''}")
            elif line is not None:
                login.take(line)
        write("QUIT :Bubbles")
    finally:
        writer.close()
    return [good("irc", f"{own.host} takes the bot as {login.nick}"), _account(own, login), _channels(own)]


def _account(own: IrcSettings, login: Login) -> Finding:
    about = "irc account"
    if not own.account_password.get_secret_value():
        return good(about, "none is used")
    if login.is_identified:
        return good(about, "works: logged in by SASL")
    if login.is_refused:
        step = "correct account and BUBBLES_PLATFORMS__IRC__ACCOUNT_PASSWORD"
        return problem(about, "the network refused the password", step)
    return good(about, "the network has no SASL; NickServ will be told the password, which was not tried")


def _channels(own: IrcSettings) -> Finding:
    about = "irc channels"
    names = [each.partition(" ")[0] for each in own.channels]
    wrong = [name for name in names if not name.startswith(_CHANNEL_PREFIXES)]
    if wrong:
        step = f"write {', '.join(f'#{name}' for name in wrong)} into channels of [platforms.irc]"
        return problem(about, f"no channel is called {', '.join(wrong)}: names begin with #", step)
    if own.channels:
        return good(about, f"will be joined: {', '.join(names)}")
    return good(about, "none are named, so the bot hears only what is said to it alone")
