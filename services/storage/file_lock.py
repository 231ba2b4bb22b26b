"""One process, one SQLite file: an advisory lock that the system frees when the process dies."""

import os
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from services.errors import StorageBusy
from services.private_files import open_private


class FileLock:
    """Holds `<path>.lock` while entered; the file says who holds it."""

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(path.name + ".lock")
        self._file: IO[str] | None = None
        self.was_left = False
        """Whether the process before did not give the lock back: it was killed, or the machine stopped."""

    def __enter__(self) -> Self:
        """Take the lock.

        Raises:
            StorageBusy: another process holds it.
        """
        import fcntl

        file = open(self._path, "a+", encoding="ascii", opener=open_private)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            file.close()
            raise StorageBusy(str(self._path.with_suffix("")), f"process {holder}") from error
        file.seek(0)
        self.was_left = file.read().endswith("\n")  # older versions wrote no end of line, and left the file as it was
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        self._file = file
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the lock back; the file stays, because removing it would race with the next holder."""
        if self._file is not None:
            self._file.truncate(0)
            self._file.close()
            self._file = None
