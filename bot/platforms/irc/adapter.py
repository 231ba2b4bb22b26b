"""Connect to an IRC network with asyncio alone.

The `irc` package does not fit: its connections cannot be awaited, so it can neither confirm that the server has
accepted a line nor respect back-pressure.
"""

import asyncio
import ssl
import uuid
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from loguru import logger

from bot.config.platform_catalog import IrcSettings
from bot.platforms.base import Capabilities, OutgoingMessage, Receive
from bot.platforms.irc.login import Login, read_line
from bot.platforms.irc.people import People
from bot.platforms.irc.wire import NAME, TEXT_BYTES, Line, LineContext, fold, text_lines, to_message
from bot.platforms.kit.adapter import NetworkPlatform, PlatformParts
from bot.platforms.kit.connection import MAX_PAUSE, Backlog, Connection, PendingAnswers
from bot.platforms.kit.pace import PriorityLock, SendPace
from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import Clock
from services.kernel.errors import DeliveryFailed

_STALE_AFTER: Final = timedelta(seconds=90)
_LOGIN_SECONDS: Final = 60.0
_PONG_SECONDS: Final = 30.0
_IDENTIFY_SECONDS: Final = 5.0
_REJOIN_SECONDS: Final = 10.0
_RETRY_SECONDS: Final = 600.0
_SEND_REFUSALS: Final = frozenset(
    {"401", "402", "403", "404", "407", "411", "412", "413", "414", "442", "477", "489", "531"}
)
_JOIN_REFUSALS: Final = frozenset(
    {"403", "405", "437", "470", "471", "473", "474", "475", "476", "477", "479", "480", "489", "520"}
)
_NAMES_TARGET: Final = frozenset({"401", "403", "404"})


def create(parts: PlatformParts) -> "IrcPlatform":
    """Return the platform of the settings."""
    settings = parts.group(NAME, IrcSettings, "host", hint="irc_host")
    return IrcPlatform(settings, clock=parts.clock, bot_name=parts.bot_name)


class IrcPlatform(NetworkPlatform):
    """One connection to one network."""

    name = NAME
    capabilities = Capabilities(max_length=TEXT_BYTES, authenticates_people=False)

    def __init__(
        self,
        settings: IrcSettings,
        *,
        clock: Clock,
        bot_name: str,
        stale_after: timedelta = _STALE_AFTER,
        max_pause: timedelta = MAX_PAUSE,
    ) -> None:
        connection = Connection(NAME, clock, stale_after=stale_after, probe=self._ping, max_pause=max_pause)
        super().__init__(clock, bot_name, connection)
        self._settings = settings
        self._wanted_nick = settings.nick or bot_name
        self._pace = SendPace(clock, burst=settings.burst, interval=timedelta(seconds=settings.seconds_per_line))
        self._backlog = Backlog()
        self._people = People()
        self._login = Login(settings, self._wanted_nick, self._write)
        self._writer: asyncio.StreamWriter | None = None
        self._send_lock = PriorityLock()
        self._pongs: PendingAnswers[None] = PendingAnswers()
        self._target = ""
        self._rejoining: set[asyncio.Task[None]] = set()

    async def run(self, receive: Receive) -> None:
        """Serve the channels of the settings until cancelled."""
        async with self._backlog.forward(receive):
            await super().run(receive)

    async def send(self, address: ChatAddress, message: OutgoingMessage) -> str | None:
        """Send `message` line by line, and wait until the server has taken the last one.

        Due reminders go before everything else that waits, also between the lines of a long answer in another chat.
        """
        is_due = bool(message.notices)
        async with self._send_lock.hold(is_urgent=is_due):
            for number, line in enumerate(text_lines(message)):
                if not is_due:
                    await self._send_lock.yield_to_urgent()
                await self._pace.wait()
                self._write_connected(f"PRIVMSG {address.chat_id} :{line}", is_begun=number > 0)
            await self._wait_for_pong(address.chat_id)
        return None

    async def is_member(self, address: ChatAddress, person_id: str) -> bool | None:
        """Return whether somebody is in a channel now; None for a private chat."""
        here = self._people.members(address.chat_id)
        return any(person.id == person_id for person in here.values()) if here else None

    async def members(self, address: ChatAddress) -> Sequence[Person]:
        """Return the people in a channel."""
        own = fold(self._login.nick)
        return [person for nick, person in self._people.members(address.chat_id).items() if nick != own]

    async def _session(self) -> None:
        reader, writer = await asyncio.open_connection(
            self._settings.host,
            self._settings.port,
            ssl=ssl.create_default_context() if self._settings.encrypted else None,
        )
        self._writer = writer
        self._people = People()
        self._login = Login(self._settings, self._wanted_nick, self._write)
        try:
            async with asyncio.timeout(_LOGIN_SECONDS):
                await self._join_network(reader)
            self._connection.note_received()
            while True:
                self._take(await read_line(reader))
        finally:
            self._leave(writer)

    def _leave(self, writer: asyncio.StreamWriter) -> None:
        for task in self._rejoining:
            task.cancel()
        self._write("QUIT :Bubbles")
        self._writer = None
        self._pongs.lose_all("the connection ended")
        writer.close()

    async def _join_network(self, reader: asyncio.StreamReader) -> None:
        self._login.start()
        while not self._login.is_welcome:
            self._answer(await read_line(reader))
        self._people.has_accounts = "account-tag" in self._login.capabilities
        if self._login.wants_nickserv:
            await self._identify(reader)
        for channel in self._settings.channels:
            self._write(f"JOIN {channel}")
        waiting = {fold(channel.partition(" ")[0]) for channel in self._settings.channels}
        while waiting:
            line = await read_line(reader)
            self._handle(line)
            if line.command == "366" or line.command in _JOIN_REFUSALS:
                waiting.discard(fold(line.param(1)))

    async def _identify(self, reader: asyncio.StreamReader) -> None:
        """Identify with NickServ and wait for its answer for a few seconds, as some channels require an account."""
        self._write(self._login.identification)
        try:
            async with asyncio.timeout(_IDENTIFY_SECONDS):
                while True:
                    line = await read_line(reader)
                    self._answer(line)
                    if line.command in {"900", "401"} or (line.command == "NOTICE" and fold(line.nick) == "nickserv"):
                        return
        except TimeoutError:
            logger.bind(platform=NAME).warning("NickServ did not answer")

    def _answer(self, line: Line) -> None:
        """Handle the lines that may come at any time, also before the bot has joined."""
        self._login.handle(line)
        self._people.update(line)
        if line.command == "NICK" and fold(line.nick) == fold(self._login.nick):
            self._login.nick = line.param(0)

    def _take(self, line: Line) -> None:
        self._connection.note_received()
        self._handle(line)

    def _handle(self, line: Line) -> None:
        self._answer(line)
        if line.command in _JOIN_REFUSALS and (channel := self._find_channel(line.param(1))):
            logger.bind(platform=NAME).error("cannot join {}: {}", line.param(1), line.param(-1))
            self._join_later(channel, _RETRY_SECONDS)
        if line.command == "PRIVMSG":
            self._receive_message(line)
        elif line.command == "PONG":
            self._pongs.resolve(line.param(-1), None)
        elif line.command in _SEND_REFUSALS:
            self._refuse(line)
        elif line.command == "KICK" and fold(line.param(1)) == fold(self._login.nick):
            self._join_later(self._find_channel(line.param(0)) or line.param(0), _REJOIN_SECONDS)

    def _receive_message(self, line: Line) -> None:
        channel = line.param(0)
        sender: Person = self._people.person(line.nick, channel)
        context = LineContext(nick=self._login.nick, bot_name=self._bot_name, people=self._people.members(channel))
        message = to_message(line, context, sender=sender, message_id=uuid.uuid4().hex, now=self._clock.now())
        if message is not None:
            self._backlog.put(message)

    async def _wait_for_pong(self, chat_id: str) -> None:
        """Send a PING and wait for its PONG, which confirms all earlier lines."""
        token = uuid.uuid4().hex[:16]
        self._target = fold(chat_id)
        async with self._pongs.expect(token, _PONG_SECONDS, "the server did not answer") as answer:
            self._write_connected(f"PING :{token}", is_begun=True)
            await answer

    def _refuse(self, line: Line) -> None:
        """Fail the message in progress, unless the refusal names another target."""
        if line.command in _NAMES_TARGET and fold(line.param(1)) != self._target:
            return
        self._pongs.refuse_all(f"{line.command} {line.param(-1)}")

    def _find_channel(self, channel: str) -> str | None:
        """Return `channel` as in the settings, with its key if it has one; None for another channel."""
        return next((each for each in self._settings.channels if fold(each.partition(" ")[0]) == fold(channel)), None)

    def _join_later(self, channel: str, seconds: float) -> None:
        async def rejoin() -> None:
            await self._clock.nap(seconds)
            self._write(f"JOIN {channel}")

        task = asyncio.create_task(rejoin(), name="irc join")
        self._rejoining.add(task)
        task.add_done_callback(self._rejoining.discard)

    async def _ping(self) -> None:
        self._write("PING :bubbles")

    def _write_connected(self, line: str, *, is_begun: bool) -> None:
        is_gone = self._writer is None or self._writer.is_closing()
        if is_gone or self._connection.health.state not in {"live", "deaf"}:
            raise DeliveryFailed("not connected to the IRC server", is_unknown=is_begun)
        self._write(line)

    def _write(self, line: str) -> None:
        if self._writer is not None:
            self._writer.write(line.replace("\r", "").replace("\n", " ").encode() + b"\r\n")
