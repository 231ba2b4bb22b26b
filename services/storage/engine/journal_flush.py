"""Flush SQLite's write-ahead log to the disk in a thread, once for all writes of 20 ms.

A commit that waits for the disk needs a change of threads there and back, which takes longer than the statements of a
small transaction. A commit to the memory of the operating system survives the process but not the machine, until the
flush.

Source: https://www.sqlite.org/pragma.html#pragma_synchronous (NORMAL does not sync the log)
"""

import asyncio
import os
from concurrent.futures import Executor, Future
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Final

from loguru import logger

_AFTER_SECONDS: Final = 0.02

# Of the log's metadata only its length matters, which fdatasync includes.
_sync = getattr(os, "fdatasync", os.fsync)


class JournalFlush:
    """Flushes the log of the file `database` in `thread`, while holding the lock `writing`.

    Used in one event loop.
    """

    def __init__(self, database: Path, thread: Executor, writing: Lock) -> None:
        self._path = database.with_name(database.name + "-wal")
        self._thread = thread
        self._writing = writing
        self._file: int | None = None
        self._waiting: asyncio.TimerHandle | None = None
        self._running: Future[None] | None = None

    def flush_soon(self) -> None:
        """Flush the writes within 20 ms."""
        if self._waiting is None:
            self._waiting = asyncio.get_running_loop().call_later(_AFTER_SECONDS, self._begin)

    async def wait(self) -> None:
        """Wait until all earlier writes are on the disk, or the failure is logged."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._begin()
        if self._running is not None:
            # Shielded, because other callers wait for the same flush.
            await asyncio.shield(asyncio.wrap_future(self._running))

    def close(self) -> None:
        """Close the file; no flush may be running."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _begin(self) -> None:
        self._waiting = None
        self._running = self._thread.submit(self._flush)

    def _flush(self) -> None:
        try:
            with self._writing:
                if self._file is None:
                    self._file = os.open(self._path, os.O_RDWR)
                    _sync_folder(self._path.parent)
                _sync(self._file)
        except FileNotFoundError:
            # Without shared memory SQLite has a rollback journal, whose commits are durable.
            pass
        except OSError as error:
            # The commit is valid, so this is not an error of the caller.
            logger.error(
                "could not flush {} ({}) to the disk; a power cut may lose the latest writes",
                self._path,
                error.strerror,
            )


def _sync_folder(folder: Path) -> None:
    """Flush a folder after a file was created in it, where the operating system supports it."""
    with suppress(OSError):
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
