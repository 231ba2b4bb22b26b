"""Lock a SQLite file for one process; the operating system releases the lock when the process dies."""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO, Final, Self

from services.kernel.errors import StorageBusy
from services.kernel.private_files import open_private

_AFTER_TEXT: Final = 1_000_000


class FileLock:
    """A lock on `<path>.lock` within the context; the file has the process id of the holder."""

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(path.name + ".lock")
        self._file: IO[str] | None = None
        self.was_left = False
        """True if the last process did not release the lock, because it was killed or the machine stopped."""

    def __enter__(self) -> Self:
        """Take the lock.

        Raises:
            StorageBusy: another process holds it.
        """
        file = open(self._path, "a+", encoding="ascii", opener=open_private)
        self._take(file)
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        self._file = file
        return self

    def examine(self) -> None:
        """Check the lock and set `was_left`, without creating or changing its file.

        Raises:
            StorageBusy: another process holds it.
        """
        with suppress(FileNotFoundError), self._path.open("r+", encoding="ascii") as file:
            self._take(file)

    def _take(self, file: IO[str]) -> None:
        try:
            _lock(file)
        except OSError as error:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            file.close()
            raise StorageBusy(str(self._path.with_suffix("")), f"process {holder}") from error
        file.seek(0)
        # Earlier versions wrote no end of line, and did not truncate the file.
        self.was_left = file.read().endswith("\n")

    def __exit__(self, *_: object) -> None:
        """Release the lock; the file stays, because removing it would race with the next holder."""
        if self._file is not None:
            self._file.truncate(0)
            self._file.close()
            self._file = None


def _lock(file: IO[str]) -> None:
    """Lock `file` for this process until it is closed.

    Raises:
        OSError: another process has locked it.
    """
    if sys.platform == "win32":
        import msvcrt

        file.seek(_AFTER_TEXT)  # other processes cannot read locked bytes
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
