"""Flush SQLite's write-ahead log to the disk in a thread, once for all writes of a moment.

A commit that waits for the disk by itself costs a change of threads there and back, which takes a small program longer
than all the statements of the transaction. Kept in the system's memory, what was committed outlives the process but
not the machine; the flush that follows makes up for that.

Source: https://www.sqlite.org/pragma.html#pragma_synchronous (what NORMAL leaves out is the sync of the log)
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

# Of the log's metadata only its length matters, and that goes along.
_sync = getattr(os, "fdatasync", os.fsync)


class JournalFlush:
    """Flushes the log of the database file `database`, in `thread`; `writing` is held meanwhile.

    Used in one event loop.
    """

    def __init__(self, database: Path, thread: Executor, writing: Lock) -> None:
        self._path = database.with_name(database.name + "-wal")
        self._thread = thread
        self._writing = writing
        self._file: int | None = None
        self._waiting: asyncio.TimerHandle | None = None
        self._running: Future[None] | None = None

    def soon(self) -> None:
        """Flush the writes within a fiftieth of a second."""
        if self._waiting is None:
            self._waiting = asyncio.get_running_loop().call_later(_AFTER_SECONDS, self._begin)

    async def finished(self) -> None:
        """Return once all earlier writes are on the disk, or the failure is logged."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._begin()
        if self._running is not None:
            # Shielded: a cancelled caller must not stop the flush of the others.
            await asyncio.shield(asyncio.wrap_future(self._running))

    def close(self) -> None:
        """Give the file back, when nothing runs any more."""
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
            # Where memory cannot be shared SQLite keeps a rollback journal, whose commits reach the disk themselves.
            pass
        except OSError as error:
            # The commit is valid, and an error would not improve the answer.
            logger.error(
                "could not flush {} ({}) to the disk; a power cut may lose the latest writes",
                self._path,
                error.strerror,
            )


def _sync_folder(folder: Path) -> None:
    """Flush a folder in which a file was made; not every system can."""
    with suppress(OSError):
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
