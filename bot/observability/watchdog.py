"""Watch the event loop from another process, and record which message blocked it.

Each step of handling a message records the message in a file that is mapped into memory, which costs no system call
and survives `kill -9`. When the loop is blocked for two seconds, the watchdog process creates a marker beside the file,
and the next start does not handle that message again. After `bot.stall_seconds` the watchdog process ends the bot.
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
_FILE_BYTES: Final = 1024
_KEPT_SECONDS: Final = 7 * 24 * 3600
_MARKER_SUFFIX: Final = ".stalled"
_PREFIX: Final = "reading-"


class CurrentMessageFile:
    """A file with the message that the event loop is handling, or none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.write_bytes(bytes(_FILE_BYTES))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), _FILE_BYTES)

    def set(self, content: bytes) -> None:
        """Record a message, as `encode_key` returns it."""
        self._map[: len(content)] = content

    def clear(self) -> None:
        """Record that no message is being handled."""
        self._map[0] = 0

    def close(self) -> None:
        """Delete the file."""
        self._map.close()
        self.path.unlink(missing_ok=True)


def encode_key(key: Key) -> bytes:
    """Return the content of the file for a message; that for no message if the key is too long."""
    content = "\t".join(key).encode() + b"\0"
    return content if len(content) <= _FILE_BYTES else b"\0"


def read_key(path: Path) -> Key | None:
    """Return the message in a file; None if it has none."""
    try:
        content = path.read_bytes().partition(b"\0")[0].decode()
    except (OSError, UnicodeDecodeError):
        return None
    chat, _, message = content.partition("\t")
    return (chat, message) if chat and message else None


class TrackedHandling:
    """Awaits `handling`, and records `key` in `file` during each of its steps, but not while it waits."""

    def __init__(self, handling: Awaitable[None], file: CurrentMessageFile, key: Key) -> None:
        self._steps = handling.__await__()
        self._file = file
        self._content = encode_key(key)

    def __await__(self) -> Generator[Any, Any, None]:
        step, argument = self._steps.send, None
        while True:
            self._file.set(self._content)
            try:
                waiting = step(argument)
            except StopIteration:
                return
            finally:
                self._file.clear()
            step, argument = self._steps.send, None
            try:
                argument = yield waiting
            except BaseException as error:  # noqa: BLE001 - a cancelled task must be cancelled inside
                step, argument = self._steps.throw, error


class Watchdog:
    """Watches the event loop while its context lasts, and ends the process when it is blocked for `seconds` (0: never).

    This process and earlier ones have their files in `folder`.
    """

    def __init__(self, folder: Path, seconds: float) -> None:
        self._folder = folder
        self._seconds = seconds
        self._file: CurrentMessageFile | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._beating: asyncio.Task[None] | None = None
        self._unreadable: dict[Key, Path] = {}

    async def __aenter__(self) -> Self:
        """Load the messages that blocked earlier processes, and start to watch."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self.load_unreadable()
        self._remove_old_files()
        self._file = CurrentMessageFile(self._folder / f"{_PREFIX}{os.getpid()}-{uuid4().hex[:8]}")
        if self._seconds:
            self._process = self._start(self._file.path)
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
        if self._file is not None:
            _marker_of(self._file.path).unlink(missing_ok=True)
            self._file.close()
            self._file = None

    def announce_stop(self) -> None:
        """Tell the watchdog process that the bot is stopping: it ends a blocked loop within five seconds then."""
        self._write(b"T")

    def load_unreadable(self) -> None:
        """Find the messages that blocked other processes, at a start or when their messages are taken over."""
        for marker in self._folder.glob(f"{_PREFIX}*{_MARKER_SUFFIX}"):
            path = marker.with_name(marker.name.removesuffix(_MARKER_SUFFIX))
            if _is_too_old(marker):
                path.unlink(missing_ok=True)
                marker.unlink(missing_ok=True)
            key = read_key(path)
            if key is not None and (self._file is None or path != self._file.path):
                self._unreadable[key] = path
                logger.bind(chat=key[0], message=key[1]).error("a message blocked the event loop; not handled again")

    def is_unreadable(self, key: Key) -> bool:
        """Return whether a process has ended because a message blocked its event loop."""
        return key in self._unreadable

    def forget(self, key: Key) -> None:
        """Delete the files of an unreadable message, after its sender was notified."""
        path = self._unreadable.get(key)
        if path is not None:
            _marker_of(path).unlink(missing_ok=True)
            path.unlink(missing_ok=True)

    async def handle(self, key: Key, handling: Awaitable[None]) -> None:
        """Await `handling` of a message, and record the message during each step."""
        if self._file is None:
            await handling
        else:
            await TrackedHandling(handling, self._file, key)

    def _remove_old_files(self) -> None:
        """Delete the files of processes that have ended without blocking on a message."""
        for path in self._folder.glob(f"{_PREFIX}*-*"):
            pid = path.name.removeprefix(_PREFIX).partition("-")[0]
            if path not in self._unreadable.values() and path.suffix != _MARKER_SUFFIX and not _is_running(pid):
                path.unlink(missing_ok=True)

    def _start(self, path: Path) -> subprocess.Popen[bytes] | None:
        """Start the watchdog process, which aborts this one; an abort prints the stacks of all threads."""
        with suppress(ValueError, OSError, RuntimeError):  # no standard error to print on
            faulthandler.enable(all_threads=True)
        command = [sys.executable, "-I", "-S", watchdog_process.__file__, str(os.getpid()), str(round(self._seconds))]
        try:
            process = subprocess.Popen(  # noqa: S603 - our own module
                [*command, str(_marker_of(path))], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
            )
        except OSError as error:
            logger.warning("could not start the watchdog process; a blocked event loop is not detected: {}", error)
            return None
        if process.stdin is not None:
            os.set_blocking(process.stdin.fileno(), False)
        return process

    async def _beat(self) -> None:
        while True:
            self._write(b".")
            await asyncio.sleep(_BEAT_SECONDS)

    def _write(self, signal_byte: bytes) -> None:
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError, ValueError):  # it has ended, or its pipe is full
                os.write(self._process.stdin.fileno(), signal_byte)


def _marker_of(path: Path) -> Path:
    return path.with_name(path.name + _MARKER_SUFFIX)


def _is_too_old(marker: Path) -> bool:
    try:
        return time.time() - marker.stat().st_mtime > _KEPT_SECONDS
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
        watchdog.announce_stop()
        if task is not None:
            loop.call_soon_threadsafe(task.cancel)

    signal.signal(signal.SIGTERM, stop)
