"""Track uploads that no message uses yet: limit them per person and list them for deletion.

Each has an entry `<person>/<key>` in a folder of its own, which holds its size, until a message takes the file.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Final

from services.kernel.private_files import make_private_folder, open_private

MOST_UNUSED: Final = 40


class TooManyUploads(Exception):
    """The person has sent as much as may wait for a message."""


class UnusedUploads:
    """Entries of unused uploads below `folder`, and of those that are arriving in this process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._arriving: defaultdict[str, list[int]] = defaultdict(list)
        self._lock = asyncio.Lock()

    @asynccontextmanager
    async def reserve(self, person_id: str, size: int, most_bytes: int) -> AsyncIterator[None]:
        """Keep room for an upload of `size` bytes while it arrives.

        Raises:
            TooManyUploads: with it, unused uploads of the person would be more than 40 or larger than `most_bytes`.
        """
        arriving = self._arriving[person_id]
        async with self._lock:
            sizes = [*arriving, *await asyncio.to_thread(self._sizes, person_id)]
            if len(sizes) >= MOST_UNUSED or sum(sizes) + size > most_bytes:
                raise TooManyUploads
            arriving.append(size)
        try:
            yield
        finally:
            arriving.remove(size)
            if not arriving:
                self._arriving.pop(person_id, None)

    def add(self, person_id: str, key: str, size: int) -> None:
        """Enter the upload `key`. To be called in a thread, as the others below."""
        folder = self._of(person_id)
        make_private_folder(folder)
        with open(folder / key, "w", encoding="ascii", opener=open_private) as entry:
            entry.write(str(size))

    def remove(self, key: str) -> None:
        """Remove the entry of an upload, if there is one."""
        for each in self._entries():
            if each.name == key:
                each.unlink(missing_ok=True)

    def older_than(self, before: datetime) -> list[str]:
        """Return the keys of uploads that were entered before that time (timezone-aware)."""
        end = before.timestamp()
        return [each.name for each in self._entries() if each.stat().st_mtime < end]

    def _sizes(self, person_id: str) -> list[int]:
        folder = self._of(person_id)
        found = folder.iterdir() if folder.is_dir() else ()
        return [int(text) for each in found if (text := _read(each)).isdecimal()]

    def _entries(self) -> Iterator[Path]:
        for person in self._folder.iterdir() if self._folder.is_dir() else ():
            yield from person.iterdir()

    def _of(self, person_id: str) -> Path:
        return self._folder / sha256(person_id.encode("utf-8", "replace")).hexdigest()[:16]


def _read(entry: Path) -> str:
    try:
        return entry.read_text(encoding="ascii")
    except FileNotFoundError:  # taken by a message meanwhile
        return ""
