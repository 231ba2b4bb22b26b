"""Watch the event loop from another process, and record which message blocked it.

Each step of handling a message notes the message in a file that is mapped into memory, which costs no system call and
survives `kill -9`. Where the loop stands still for two seconds, the process beside the bot puts a sign next to it: the
next start does not read that message again. After `bot.stall_seconds` that process ends the bot.
"""

import asyncio
import faulthandler
import mmap
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Generator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self
from uuid import uuid4

from loguru import logger

from bot.observability import watchdog_process

Key = tuple[str, str]
"""A message: the key of its chat, and its id there."""

_BEAT_SECONDS: Final = 0.5
_NOTE_BYTES: Final = 1024
_KEPT_SECONDS: Final = 7 * 24 * 3600
_SIGN: Final = ".stalled"
_PREFIX: Final = "reading-"


class StepNotes:
    """A file in which the message stands that a step of the event loop is about."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.write_bytes(bytes(_NOTE_BYTES))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), _NOTE_BYTES)

    def begin(self, note: bytes) -> None:
        """Note the message that is being handled."""
        self._map[: len(note)] = note

    def end(self) -> None:
        """Note that nothing is."""
        self._map[0] = 0

    def close(self) -> None:
        """Delete the file."""
        self._map.close()
        self.path.unlink(missing_ok=True)


def note_of(key: Key) -> bytes:
    """Write a message as it stands in the file; empty where it is too long for it."""
    note = "\t".join(key).encode() + b"\0"
    return note if len(note) <= _NOTE_BYTES else b"\0"


def key_in(path: Path) -> Key | None:
    """Read the message that a file notes; None where it notes none."""
    try:
        note = path.read_bytes().partition(b"\0")[0].decode()
    except (OSError, UnicodeDecodeError):
        return None
    chat, _, message = note.partition("\t")
    return (chat, message) if chat and message else None


class Noted:
    """Awaits `handling` and notes `key` during each of its steps: not while it waits and others run."""

    def __init__(self, handling: Awaitable[None], notes: StepNotes, key: Key) -> None:
        self._steps = handling.__await__()
        self._notes = notes
        self._note = note_of(key)

    def __await__(self) -> Generator[Any, Any, None]:
        step, argument = self._steps.send, None
        while True:
            self._notes.begin(self._note)
            try:
                waiting = step(argument)
            except StopIteration:
                return
            finally:
                self._notes.end()
            step, argument = self._steps.send, None
            try:
                argument = yield waiting
            except BaseException as error:  # noqa: BLE001 - a cancelled task must be cancelled inside
                step, argument = self._steps.throw, error


class Watchdog:
    """Use as `async with Watchdog(folder, seconds)`; with 0 seconds nothing ends the process.

    `folder` is where this process and those before it keep their notes.
    """

    def __init__(self, folder: Path, seconds: float) -> None:
        self._folder = folder
        self._seconds = seconds
        self._notes: StepNotes | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._beating: asyncio.Task[None] | None = None
        self._unreadable: dict[Key, Path] = {}

    async def __aenter__(self) -> Self:
        """Log the message that blocked an earlier process, and start to watch."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self.look()
        self._remove_old_notes()
        self._notes = StepNotes(self._folder / f"{_PREFIX}{os.getpid()}-{uuid4().hex[:8]}")
        if self._seconds:
            self._process = self._start(self._notes.path)
            self._beating = asyncio.create_task(self._beat(), name="watchdog")
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop watching."""
        if self._beating is not None:
            self._beating.cancel()
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()
            await asyncio.to_thread(self._process.wait)
        if self._notes is not None:
            self._notes.path.with_name(self._notes.path.name + _SIGN).unlink(missing_ok=True)
            self._notes.close()
            self._notes = None

    def expect_end(self) -> None:
        """Tell the process beside that the bot was asked to end: it waits for a loop that stands still no longer."""
        self._write(b"T")

    def look(self) -> None:
        """Find the messages that other processes stood still on, at a start or when their messages are taken over."""
        for sign in self._folder.glob(f"{_PREFIX}*{_SIGN}"):
            notes = sign.with_name(sign.name.removesuffix(_SIGN))
            if _is_too_old(sign):
                notes.unlink(missing_ok=True)
                sign.unlink(missing_ok=True)
            key = key_in(notes)
            if key is not None and (self._notes is None or notes != self._notes.path):
                self._unreadable[key] = notes
                logger.bind(chat=key[0], message=key[1]).error(
                    "the event loop stood still on a message; not read again"
                )

    def is_unreadable(self, key: Key) -> bool:
        """Return whether a process stood still on a message and ended there."""
        return key in self._unreadable

    def forget(self, key: Key) -> None:
        """Note that the sender of an unreadable message was told."""
        notes = self._unreadable.get(key)
        if notes is not None:
            notes.with_name(notes.name + _SIGN).unlink(missing_ok=True)
            notes.unlink(missing_ok=True)

    async def handle(self, key: Key, handling: Awaitable[None]) -> None:
        """Await `handling` of a message, and note the message during each step."""
        if self._notes is None:
            await handling
        else:
            await Noted(handling, self._notes, key)

    def _remove_old_notes(self) -> None:
        """Delete the notes of processes that have ended elsewhere than on a message."""
        for notes in self._folder.glob(f"{_PREFIX}*-*"):
            pid = notes.name.removeprefix(_PREFIX).partition("-")[0]
            if notes not in self._unreadable.values() and notes.suffix != _SIGN and not _is_running(pid):
                notes.unlink(missing_ok=True)

    def _start(self, notes: Path) -> subprocess.Popen[bytes] | None:
        """Start the process beside this one; its abort prints the stacks of all threads."""
        with suppress(ValueError, OSError, RuntimeError):  # no standard error to print on
            faulthandler.enable(all_threads=True)
        sign = notes.with_name(notes.name + _SIGN)
        command = [sys.executable, "-I", "-S", watchdog_process.__file__, str(os.getpid()), str(round(self._seconds))]
        try:
            process = subprocess.Popen(  # noqa: S603 - our own module
                [*command, str(sign)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
            )
        except OSError as error:
            logger.warning("the event loop is not watched: {}", error)
            return None
        if process.stdin is not None:
            os.set_blocking(process.stdin.fileno(), False)
        return process

    async def _beat(self) -> None:
        while True:
            self._write(b".")
            await asyncio.sleep(_BEAT_SECONDS)

    def _write(self, sign: bytes) -> None:
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError, ValueError):  # it has ended, or has not read for long
                os.write(self._process.stdin.fileno(), sign)


def _is_too_old(sign: Path) -> bool:
    try:
        return time.time() - sign.stat().st_mtime > _KEPT_SECONDS
    except OSError:
        return False


def _is_running(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (OSError, ValueError, OverflowError):
        return False
    return True


def stop_on_sigterm(watchdog: Watchdog) -> None:
    """Let SIGTERM cancel the current task, also while Python code blocks the event loop."""
    task, loop = asyncio.current_task(), asyncio.get_running_loop()

    def stop(*_: object) -> None:
        watchdog.expect_end()
        if task is not None:
            loop.call_soon_threadsafe(task.cancel)

    signal.signal(signal.SIGTERM, stop)
