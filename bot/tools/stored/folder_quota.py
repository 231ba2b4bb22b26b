"""Measure and remove the working folder of a call."""

import asyncio
import os
from typing import Final

_LEAST_BYTES: Final = 4_096  # that an entry takes, however short it is
_DEEPEST: Final = 50  # folders within each other


def is_over_quota(folder: str, limit: int) -> bool:
    """Return True if the files below `folder` take more than `limit` bytes or are nested too deeply to be measured."""
    used = 0
    pending = [(folder, 0)]
    while pending:
        path, depth = pending.pop()
        if depth > _DEEPEST:
            return True
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    used += _size_of(entry)
                    if used > limit:
                        return True
                    if entry.is_dir(follow_symlinks=False):
                        pending.append((entry.path, depth + 1))
        except OSError:  # removed meanwhile
            continue
    return False


async def remove_folder(folder: str) -> None:
    """Remove `folder` with everything in it; `rm` copes with any depth, which `shutil.rmtree` does not."""
    process = await asyncio.create_subprocess_exec("rm", "-rf", "--", folder, stderr=asyncio.subprocess.DEVNULL)
    await process.wait()


def _size_of(entry: os.DirEntry[str]) -> int:
    try:
        return max(_LEAST_BYTES, entry.stat(follow_symlinks=False).st_size)
    except OSError:  # removed meanwhile
        return 0
