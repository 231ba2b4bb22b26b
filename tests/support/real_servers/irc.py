"""A real IRC server, and people who speak plain IRC."""

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, Literal

import pytest

from tests.support.real_servers.process import HOST, ServerProcess, free_port, program

_NGIRCD: Final = """[Global]
Name = irc.test
Info = test
Listen = 127.0.0.1
Ports = {port}
MotdPhrase = hello
[Limits]
MaxPenaltyTime = 0
MaxConnectionsIP = 0
MaxJoins = 0
MaxNickLength = 30
PingTimeout = 120
[Options]
PAM = no
DNS = no
Ident = no
"""


def irc_server(folder: Path, kind: Literal["ngircd", "miniircd"] = "ngircd") -> ServerProcess:
    """Return an IRC server that is not started; skip the test if it is not installed."""
    port = free_port()
    if kind == "ngircd":
        path = folder / "ngircd.conf"
        path.write_text(_NGIRCD.format(port=port), encoding="utf-8")
        return ServerProcess([program("ngircd"), "-n", "-f", str(path)], folder, port)
    beside = Path(sys.executable).with_name("miniircd")
    found = str(beside) if beside.exists() else shutil.which("miniircd")
    if found is None:
        pytest.skip("needs miniircd (pip install miniircd)")
    command = [sys.executable, found, "--listen", HOST, "--ports", str(port), "--setuid", "root"]
    return ServerProcess(command, folder, port)


class IrcPerson:
    """A person on an IRC server. `lines` are all received lines, `messages` the (nick, text) of the channel."""

    def __init__(self, nick: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.nick = nick
        self.lines: list[str] = []
        self.messages: list[tuple[str, str]] = []
        self._reader = reader
        self._writer = writer
        self._news = asyncio.Event()

    def write(self, line: str) -> None:
        """Send one line."""
        self._writer.write(f"{line}\r\n".encode())

    def say(self, channel: str, text: str) -> None:
        """Send one line to the channel."""
        self.write(f"PRIVMSG {channel} :{text}")

    async def wait_for_lines(self, text: str, *, count: int = 1) -> None:
        """Wait until `count` lines contain `text`."""
        async with asyncio.timeout(20):
            while sum(text in line for line in self.lines) < count:
                self._news.clear()
                await self._news.wait()

    async def listen(self) -> None:
        """Read until the server closes the connection."""
        while raw := await self._reader.readline():
            line = raw.decode("utf-8", "replace").rstrip("\r\n")
            if line.startswith("PING"):
                self.write(line.replace("PING", "PONG", 1))
                continue
            self.lines.append(line)
            source, _, rest = line.partition(" PRIVMSG ")
            if rest:
                self.messages.append((source.lstrip(":").partition("!")[0], rest.partition(" :")[2]))
            self._news.set()


@asynccontextmanager
async def irc_person(port: int, nick: str, *channels: str) -> AsyncIterator[IrcPerson]:
    """Connect a person to `channels` within the context."""
    reader, writer = await asyncio.open_connection(HOST, port)
    person = IrcPerson(nick, reader, writer)
    listening = asyncio.create_task(person.listen(), name=f"{nick} listens")
    try:
        person.write(f"NICK {nick}")
        person.write(f"USER {nick} 0 * :{nick}")
        await person.wait_for_lines(" 001 ")
        for channel in channels:
            person.write(f"JOIN {channel}")
            await person.wait_for_lines(f" 366 {nick} {channel}")
        yield person
    finally:
        listening.cancel()
        writer.close()
        await asyncio.gather(listening, return_exceptions=True)
