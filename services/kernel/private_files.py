"""Create files and folders that only the bot's user may read: modes 0600 and 0700, whatever the umask is."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final

FILE_MODE: Final = 0o600
FOLDER_MODE: Final = 0o700
_OTHERS: Final = 0o077


def make_private_folder(folder: Path) -> None:
    """Make `folder` and its missing parents, for this user alone; an existing folder stays as it is.

    Raises:
        OSError: it cannot be made.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(FOLDER_MODE, exist_ok=True)


def open_private(path: str | Path, flags: int) -> int:
    """Open a file, which is made for this user alone; an `opener` of `open`."""
    return os.open(path, flags, FILE_MODE)


def close_to_others(paths: Iterable[Path]) -> list[Path]:
    """Take the rights of other users away from those of `paths` that are there; return the paths that had some.

    Links, sticky folders and files of another user are left alone.
    Windows has no such rights: files there have those of their folder.
    """
    if not hasattr(os, "geteuid"):
        return []
    return [each for each in paths if _close(each)]


def _close(path: Path) -> bool:
    try:
        found = path.lstat()
        is_ours = found.st_uid == os.geteuid() and not stat.S_ISLNK(found.st_mode) and not found.st_mode & stat.S_ISVTX
        if not is_ours or not stat.S_IMODE(found.st_mode) & _OTHERS:
            return False
        path.chmod(stat.S_IMODE(found.st_mode) & ~_OTHERS)
    except OSError:  # gone meanwhile, or a file system without modes
        return False
    return True
