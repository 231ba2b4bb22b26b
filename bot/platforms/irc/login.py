"""Log in to an IRC network: capabilities, nickname, account. Source: https://ircv3.net/specs/extensions/capability-negotiation."""

import asyncio
import base64
from collections.abc import Callable
from typing import Final

from bot.config.platform_catalog import IrcSettings
from bot.platforms.irc.wire import Line, parse_line
from bot.platforms.kit.connection import ConnectionEnded, ConnectionRefusedForGood
from function_calls.language.messages import Message

_CAPABILITIES: Final = (
    "message-tags", "server-time", "account-tag", "account-notify", "extended-join", "multi-prefix", "sasl",
)  # fmt: skip
_SASL_CHUNK: Final = 400
_NICK_TAKEN: Final = frozenset({"433", "436", "437"})
_NICK_IMPOSSIBLE: Final = "432"
_SASL_FAILED: Final = frozenset({"902", "904", "905", "906", "908"})


async def read_line(reader: asyncio.StreamReader) -> Line:
    """Return the next well-formed line of the server.

    Raises:
        ConnectionEnded: the server closed the connection, or sent a line without an end.
    """
    while True:
        try:
            raw = await reader.readline()
        except ValueError as error:
            raise ConnectionEnded(Message("connection.endless_line")) from error
        if not raw:
            raise ConnectionEnded(Message("connection.closed"))
        line = parse_line(raw.decode("utf-8", "replace").rstrip("\r\n"))
        if line is not None:
            return line


class Login:
    """Answers the server until it welcomes the bot; `write` sends a line at once.

    `nick` is the nickname that the bot got, `capabilities` are those that the server granted; `is_refused`: the server
    refused the password of the account.
    """

    def __init__(self, settings: IrcSettings, nick: str, write: Callable[[str], None]) -> None:
        self._settings = settings
        self._write = write
        self._account = settings.account or nick  # not `self.nick`, which may get a suffix
        self._password = settings.account_password.get_secret_value()
        self._offered: set[str] = set()
        self.nick = nick
        self.capabilities: frozenset[str] = frozenset()
        self.is_welcome = False
        self.is_identified = False
        self.is_refused = False

    def start(self) -> None:
        """Begin the login: offer capabilities, password and nickname."""
        password = self._settings.server_password.get_secret_value()
        self._write("CAP LS 302")
        if password:
            self._write(f"PASS :{password}")
        self._write(f"NICK {self.nick}")
        self._write(f"USER {self.nick} 0 * :{self.nick}")

    def handle(self, line: Line) -> None:
        """Answer one line.

        Raises:
            ConnectionRefusedForGood: the password is wrong, the nickname impossible, or the bot is banned.
            ConnectionEnded: the server does not want the bot now.
        """
        if line.command == "PING":
            self._write(f"PONG :{line.param(-1)}")
        elif line.command == "CAP":
            self._negotiate(line)
        elif line.command == "AUTHENTICATE":
            self._send_sasl_proof()
        elif line.command == "903":
            self.is_identified = True
            self._write("CAP END")
        elif line.command in _SASL_FAILED:
            self._on_refusal(line)
        elif line.command in _NICK_TAKEN and not self.is_welcome:
            self.nick += "_"
            self._write(f"NICK {self.nick}")
        elif line.command == "001":
            self.is_welcome, self.nick = True, line.param(0) or self.nick
        else:
            self._check_rejection(line)

    @property
    def wants_nickserv(self) -> bool:
        """Return whether the bot should identify with NickServ."""
        return not self.is_identified and "nickserv" in self._settings.login and bool(self._password)

    @property
    def identification(self) -> str:
        """Return the line that identifies with NickServ."""
        return f"PRIVMSG NickServ :IDENTIFY {self._account} {self._password}"

    def _negotiate(self, line: Line) -> None:
        verb, names = line.param(1).upper(), {each.partition("=")[0] for each in line.param(-1).split()}
        if verb == "LS":
            self._offered |= names
            if line.param(2) != "*":  # a star means that more lines follow
                wants_sasl = "sasl" in self._settings.login and bool(self._password)
                wanted = [each for each in _CAPABILITIES if each in self._offered and (each != "sasl" or wants_sasl)]
                self._write(f"CAP REQ :{' '.join(wanted)}" if wanted else "CAP END")
        elif verb == "ACK":
            self.capabilities |= names
            if "sasl" in names:
                self._write("AUTHENTICATE PLAIN")
            else:
                self._write("CAP END")
        elif verb == "NAK":
            self._write("CAP END")

    def _send_sasl_proof(self) -> None:
        """Send the account and its password by SASL PLAIN (RFC 4616), in pieces as IRCv3 asks."""
        proof = base64.b64encode(f"\0{self._account}\0{self._password}".encode()).decode()
        for begin in range(0, len(proof), _SASL_CHUNK):
            self._write(f"AUTHENTICATE {proof[begin : begin + _SASL_CHUNK]}")
        if len(proof) % _SASL_CHUNK == 0:
            self._write("AUTHENTICATE +")

    def _on_refusal(self, line: Line) -> None:
        self.is_refused = True
        if "nickserv" not in self._settings.login:
            raise ConnectionRefusedForGood(Message("connection.account_refused", {"reason": line.param(-1)}))
        self._write("CAP END")

    def _check_rejection(self, line: Line) -> None:
        if line.command == _NICK_IMPOSSIBLE and not self.is_welcome:
            raise ConnectionRefusedForGood(Message("connection.nickname_refused", {"nick": self.nick}))
        if line.command in {"464", "465"}:
            raise ConnectionRefusedForGood(line.param(-1) or "refused")
        if line.command == "ERROR":
            raise ConnectionEnded(line.param(-1) or Message("connection.closed"))
