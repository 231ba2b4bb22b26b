"""Create and replace files and folders that only the bot's user may read: modes 0600 and 0700, for any umask."""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO

FILE_MODE: Final = 0o600
FOLDER_MODE: Final = 0o700
_OTHERS: Final = 0o077


def make_private_folder(folder: Path) -> None:
    """Create `folder` and its missing parents for this user only; an existing folder stays unchanged.

    Raises:
        OSError: it cannot be created.
    """
    missing = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    for parent in reversed(missing):
        parent.mkdir(FOLDER_MODE, exist_ok=True)


def open_private(path: str | Path, flags: int) -> int:
    """Open a file, created for this user only; an `opener` of `open`."""
    return os.open(path, flags, FILE_MODE)


@contextmanager
def draft_of(path: Path) -> Iterator[Path]:
    """Yield the path of a draft beside `path`, which replaces `path` at the end of the context.

    The draft is deleted on an error; an `OSError` about it names `path`.
    """
    draft = path.with_name(f".{path.name}.unfinished")
    draft.unlink(missing_ok=True)
    try:
        yield draft
        draft.replace(path)
    except OSError as error:
        if error.filename == str(draft):
            error.filename = str(path)
        raise
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def replace_file(path: Path) -> Iterator[TextIO]:
    """Yield a draft to write, which replaces `path` atomically at the end of the context, or is deleted on an error."""
    # "x": never through a link that a program placed there.
    with draft_of(path) as draft, open(draft, "x", encoding="utf-8", opener=open_private) as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def close_to_others(paths: Iterable[Path]) -> list[Path]:
    """Remove the permissions of other users from existing `paths`; return the changed paths.

    Links, sticky folders and files of another user stay unchanged. Do nothing on Windows, where files have the
    permissions of their folder.
    """
    if not hasattr(os, "geteuid"):
        return []
    return [path for path in paths if _close(path)]


def _close(path: Path) -> bool:
    try:
        found = path.lstat()
        is_ours = found.st_uid == os.geteuid() and not stat.S_ISLNK(found.st_mode) and not found.st_mode & stat.S_ISVTX
        if not is_ours or not stat.S_IMODE(found.st_mode) & _OTHERS:
            return False
        path.chmod(stat.S_IMODE(found.st_mode) & ~_OTHERS)
    except OSError:  # deleted meanwhile, or a file system without modes
        return False
    return True
