"""Use the terminal as a group chat of several people, with a prompt that arriving messages keep intact."""

import asyncio
import getpass
import os
import re
import select
import sys
import threading
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Final, TextIO

from msgspec import Struct

from bot.config.terminal import display_language, printable
from bot.platforms.base import Capabilities, OutgoingMessage, Receive
from bot.platforms.kit.adapter import PlatformParts
from bot.platforms.kit.events import is_called
from bot.platforms.kit.markdown import find_mentioned, plain, spans_of
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.kernel.clock import Clock
from services.kernel.startup_imports import import_without_gc

# `ann: text` or `小安：text`; a name is one word, so that "http://…" and "10:30" are not names.
_NAMED_LINE = re.compile(r"(?P<name>[^\W\d][\w.-]{0,30})(?::\s+|：\s*)(?P<text>\S.*)", re.DOTALL)
_NOT_NAMES = re.compile(r"remind|提醒|叫我|记得|搜|总结", re.IGNORECASE)

_ERASE_LINE = "\r\x1b[K"
_MAX_LINE_LENGTH: Final = 4096  # bytes; a terminal keeps no longer line


class EarlyInput(Struct, frozen=True, kw_only=True):
    """Complete lines typed before the start; `has_ended` after the end of input (Ctrl+D)."""

    lines: tuple[str, ...] = ()
    has_ended: bool = False


def read_typed_lines(terminal: TextIO) -> EarlyInput:
    """Read the lines that `terminal` has buffered; it returns one at a time, and an empty one at the end."""
    lines: list[str] = []
    if not _keeps_lines(terminal):
        return EarlyInput()
    while select.select([terminal], [], [], 0)[0]:
        line = os.read(terminal.fileno(), _MAX_LINE_LENGTH)
        if not line:
            return EarlyInput(lines=tuple(lines), has_ended=True)
        lines.append(line.decode(errors="replace"))
    return EarlyInput(lines=tuple(lines))


def _keeps_lines(terminal: TextIO) -> bool:
    """Return whether the terminal buffers input until Enter instead of passing on every key."""
    if sys.platform == "win32":  # where `select` works only on sockets
        return False
    import termios

    flags: int = termios.tcgetattr(terminal)[3]
    return bool(flags & termios.ICANON)


def create(parts: PlatformParts) -> "ConsolePlatform":
    """Return the console of the settings."""
    console = parts.settings.console
    return ConsolePlatform(
        clock=parts.clock,
        bot_name=parts.bot_name,
        room=console.room,
        person=console.person,
        language=display_language(parts.settings.bot.language),
    )


class ConsolePlatform:
    """Lines of the terminal (or of a pipe) are messages of a group chat."""

    name = "console"
    capabilities = Capabilities(per_process=True, authenticates_people=False)

    def __init__(
        self,
        *,
        clock: Clock,
        bot_name: str,
        room: str = "home",
        person: str = "",
        language: str = "en",
        stdin: TextIO | None = None,
        write: Callable[[str], None] | None = None,
    ) -> None:
        self._clock = clock
        self._bot_name = bot_name
        self._language = language
        self._address = ChatAddress(platform=self.name, chat_id=room)
        self._speaker = person or _login_name()
        self._people = {self._speaker}
        self._stdin = stdin or sys.stdin
        self._write = write or (lambda text: _show(f"{text}\n"))
        self._is_interactive = self._stdin.isatty()
        self._has_invited = False

    def invite(self) -> None:
        """Show help and prompt at a terminal; the terminal buffers input until `run`."""
        if self._is_interactive and not self._has_invited:
            self._has_invited = True
            self._write(self._help())
            _show(self._prompt())

    async def run(self, receive: Receive) -> None:
        """Read lines until the input ends or somebody types /quit; those of a pipe wait for the earlier answers."""
        self.invite()
        lines = self._prompt_lines() if self._is_interactive else _pipe_lines(self._stdin)
        async for line in lines:
            text = line.strip()
            if text in {"/quit", "/exit"}:
                return
            if text.split(" ")[0] in {"/as", "/help"}:
                self._command(text)
            elif text:
                handled = await receive(self._message(text))
                if not self._is_interactive:
                    await handled  # lines of a pipe may refer to answers that nobody can wait for

    async def send(self, address: ChatAddress, message: OutgoingMessage) -> str | None:
        """Print a message of the bot."""
        del address  # there is one room
        first, *rest = printable(plain(spans_of(message))).split("\n")
        self._write("\n".join([f"{self._bot_name}: {first}", *(f"  {line}" for line in rest)]))
        return uuid.uuid4().hex

    def _command(self, text: str) -> None:
        word, _, name = text.partition(" ")
        if word == "/as" and name.strip():
            self._speaker = name.strip().removeprefix("@")
            self._people.add(self._speaker)
        else:
            self._write(self._help())

    def _help(self) -> str:
        from function_calls.language.messages import say  # imported only for a terminal

        return say(self._language, "serve.console_help", bot=self._bot_name)

    def _message(self, line: str) -> ChatMessage:
        named = _NAMED_LINE.fullmatch(line)
        name, text = self._speaker, line
        if named is not None and not _NOT_NAMES.search(named["name"]):
            name, text = named["name"], named["text"]
            self._people.add(name)
        # A single person at a terminal talks only to the bot; in a pipe or a group the bot must be addressed.
        is_alone = self._is_interactive and len(self._people) == 1
        return ChatMessage(
            id=uuid.uuid4().hex,
            address=self._address,
            sender=_person(name),
            text=text,
            sent_at=self._clock.now(),
            is_addressed=is_alone or is_called(text, self._bot_name),
            mentions=find_mentioned(text, [_person(each) for each in sorted(self._people)]),
        )

    def _prompt(self) -> str:
        return f"{self._speaker}> "

    async def _prompt_lines(self) -> AsyncIterator[str]:
        with import_without_gc():
            from prompt_toolkit import PromptSession
            from prompt_toolkit.patch_stdout import patch_stdout

        session: PromptSession[str] = PromptSession()
        early = read_typed_lines(self._stdin)
        _show(_ERASE_LINE)  # the session shows the prompt again, with the line that was begun meanwhile
        with patch_stdout(raw=True):
            for line in early.lines:
                yield line
            while not early.has_ended:
                try:
                    yield await session.prompt_async(self._prompt)
                except (EOFError, KeyboardInterrupt):
                    return


async def _pipe_lines(stdin: TextIO) -> AsyncIterator[str]:
    """Yield the lines of a pipe or file, read in a thread that does not keep the process alive."""
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[str | None] = asyncio.Queue()

    def read() -> None:
        with suppress(RuntimeError):  # the loop has ended before the input did
            for line in stdin:
                loop.call_soon_threadsafe(lines.put_nowait, _as_utf_8(line))
            loop.call_soon_threadsafe(lines.put_nowait, None)

    threading.Thread(target=read, name="console", daemon=True).start()
    while (line := await lines.get()) is not None:
        yield line


def _as_utf_8(line: str) -> str:
    """Decode bytes of `line` that the encoding of the terminal could not, as UTF-8 (see PEP 383)."""
    try:
        return line.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:  # lone surrogates that stand for no byte
        return line


def _person(name: str) -> Person:
    return Person(id=name.lower(), name=name)


def _show(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "you"
