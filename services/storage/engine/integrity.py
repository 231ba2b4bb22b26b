"""Check a SQLite file before it is opened and while the bot runs."""

import asyncio
import shutil
import sqlite3
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Final, Literal

from services.kernel.errors import ConfigError

MIN_FREE_BYTES: Final = 1_000_000
"""A disk with less free space counts as full; a checkpoint of the log and an upgrade need more."""

_TRACES: Final = ("-wal", "-sent", ".before-restore", ".schema-*")
# Place and value of the two format versions. Source: https://www.sqlite.org/fileformat.html
_WAL_HEADER: Final = (18, b"\x02\x02")


def refuse_empty_beside_old(file: Path) -> None:
    """Refuse to create a database if files of an earlier one exist.

    SQLite would delete the old log, from which data may be recovered.

    Raises:
        ConfigError: the database is missing or empty, but its log, journal or copies exist.
    """
    if _size(file):
        return
    found = sorted(path.name for ending in _TRACES for path in file.parent.glob(file.name + ending) if _size(path))
    if found:
        names = ", ".join(found)
        problem = (
            f"the database is missing or empty, but {names} of an earlier one are beside it; put the "
            "database back (bubbles restore FILE), or move these files away to begin anew"
        )
        raise ConfigError(str(file), "storage.url", problem, "remains", names=names)


def has_lost_journal(file: Path) -> bool:
    """Return whether the write-ahead log of a database whose process was killed is missing."""
    if not _size(file) or _has_journal(file):
        return False
    place, value = _WAL_HEADER
    with file.open("rb") as opened:
        opened.seek(place)
        return opened.read(len(value)) == value


def is_disk_full(file: Path) -> bool:
    """Return whether the disk of a database is full."""
    with suppress(OSError):
        return shutil.disk_usage(file.parent).free < MIN_FREE_BYTES
    return False


def find_damage(file: Path) -> str | None:
    """Read a whole database and return the first damage; None without any.

    No file is created or removed: with an existing log the connection is read-only, because it would otherwise
    checkpoint and remove the log; without one it is not, because it would otherwise leave a log.
    """
    return _quick_check(_connect(file, "ro" if _has_journal(file) else "rw"))


@contextmanager
def keep_journal(file: Path) -> Iterator[None]:
    """Keep the write-ahead log of a killed process while other connections open and close, for the next start."""
    with ExitStack() as held:
        if _has_journal(file):
            reading = held.enter_context(closing(_connect(file, "ro")))
            with suppress(sqlite3.Error):
                reading.execute("PRAGMA schema_version").fetchone()
        yield


class DamageCheck:
    """Reads a whole database in a thread, until the end or until stopped."""

    def __init__(self, file: Path, thread: Executor) -> None:
        self._file = file
        self._thread = thread
        self._connection: sqlite3.Connection | None = None
        self._done: asyncio.Future[str | None] | None = None

    async def run(self) -> str | None:
        """Return the first damage; None without any, or if the check was stopped."""
        self._done = asyncio.get_running_loop().run_in_executor(self._thread, self._check)
        self._thread.shutdown(wait=False)
        return await asyncio.shield(self._done)

    async def stop(self) -> None:
        """Stop the check, and wait until its connection is closed."""
        if self._connection is not None:
            with suppress(sqlite3.ProgrammingError):  # closed meanwhile
                self._connection.interrupt()
        if self._done is not None:
            await asyncio.wait([self._done])

    def _check(self) -> str | None:
        self._connection = _connect(self._file, "ro")
        return _quick_check(self._connection)


def _has_journal(file: Path) -> bool:
    return file.with_name(f"{file.name}-wal").exists()


def _connect(file: Path, mode: Literal["ro", "rw"]) -> sqlite3.Connection:
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode={mode}", uri=True, check_same_thread=False)


def _quick_check(connection: sqlite3.Connection) -> str | None:
    with closing(connection):
        try:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.OperationalError:  # locked, stopped, or the disk is full: damage is unknown
            return None
        except sqlite3.DatabaseError as error:
            return str(error)
    return None if found == "ok" else str(found).strip().replace("\n", " ")


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
