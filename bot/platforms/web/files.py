"""Store files and pictures of the rooms in the data folder under unguessable addresses, and limit unused uploads."""

import asyncio
import errno
import re
import secrets
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import datetime
from hashlib import sha256
from pathlib import Path, PurePath
from typing import Final, ParamSpec, TypeVar

from services.kernel.chat import Attachment
from services.kernel.errors import StorageFull
from services.kernel.private_files import make_private_folder, open_private

P = ParamSpec("P")
T = TypeVar("T")
ADDRESS: Final = "/files"
_IMAGES: Final = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
}
"""Types of pictures that browsers show without running scripts; SVG can contain them."""

_KEY: Final = re.compile(r"[A-Za-z0-9_-]{22}")
_FORBIDDEN_CHARACTERS: Final = re.compile(r"[^\w.() -]")
_MAX_NAME_LENGTH: Final = 100
_MAX_ENDING_LENGTH: Final = 20
_MAX_BYTES: Final = 180  # of a name without its ending; file systems allow 255 in all
_MARK: Final = ".message"  # beside a file, with the message that it belongs to; stored names do not begin with a dot
_IMPORTED: Final = "import"
_UNUSED: Final = "unused"
_UNUSED_FOLDER: Final = ".unused"
_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
MAX_UNUSED_UPLOADS: Final = 40


class TooManyUploads(Exception):
    """The person has too many unused uploads."""


class UnusedUploads:
    """The uploads that no message uses: entries below `folder`, and the uploads that this process is receiving.

    An entry is a file `<person>/<key>` with the size of the upload.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._arriving: dict[tuple[str, str], int] = {}
        self._lock = asyncio.Lock()

    @asynccontextmanager
    async def reserve(self, person_id: str, size: int, max_bytes: int) -> AsyncIterator[str]:
        """Reserve space for an upload of `size` bytes while it is received; yield its key.

        Raises:
            TooManyUploads: the person would have more than 40 unused uploads, or more than `max_bytes` in them.
        """
        key = secrets.token_urlsafe(16)
        async with self._lock:
            arriving = {each: reserved for (person, each), reserved in self._arriving.items() if person == person_id}
            sizes = arriving | await asyncio.to_thread(self._sizes, person_id)  # one can be in both
            if len(sizes) >= MAX_UNUSED_UPLOADS or sum(sizes.values()) + size > max_bytes:
                raise TooManyUploads
            self._arriving[person_id, key] = size
        try:
            yield key
        finally:
            del self._arriving[person_id, key]

    def add(self, person_id: str, key: str, size: int) -> None:
        """Add the entry of an upload. Blocks, as do the methods below: call them in a thread."""
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
        """Return the keys of the entries from before that time (timezone-aware)."""
        end = before.timestamp()
        return [each.name for each in self._entries() if each.stat().st_mtime < end]

    def _sizes(self, person_id: str) -> dict[str, int]:
        folder = self._of(person_id)
        found = folder.iterdir() if folder.is_dir() else ()
        return {each.name: int(text) for each in found if (text := _read(each)).isdecimal()}

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


def suffix_of(name: str) -> str:
    """Return the ending of a file name, in small letters and without its dot."""
    return PurePath(name).suffix.removeprefix(".").casefold()


def image_type(name: str) -> str | None:
    """Return the media type of a picture that is shown; None of anything else."""
    return _IMAGES.get(suffix_of(name))


class RoomFiles:
    """Stores each file in a folder of its own below `folder`, whose name is the unguessable key of the file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.unused = UnusedUploads(folder / _UNUSED_FOLDER)

    async def keep(
        self, name: str, content: bytes, uploaded_by: str | None = None, key: str | None = None
    ) -> Attachment:
        """Store a file, under `key` where it is reserved; return its description and the address for the page.

        With `uploaded_by`, the id of a person, it is an unused upload until a message takes it.

        Raises:
            StorageFull: there is no room on the disk.
        """
        key, kept_name = key or secrets.token_urlsafe(16), _sanitize_name(name)
        if uploaded_by is not None:
            await self._on_disk(self.unused.add, uploaded_by, key, len(content))
        await self._on_disk(_write, self._folder / key / kept_name, content)
        kind = "image" if image_type(kept_name) else "file"
        return Attachment(kind=kind, description=kept_name, url=f"{ADDRESS}/{key}/{kept_name}")

    async def find(self, key: str, name: str) -> Path | None:
        """Return where a file is; None when there is none of this key and name."""
        if not _KEY.fullmatch(key) or name != _sanitize_name(name):
            return None
        path = self._folder / key / name
        return path if await asyncio.to_thread(path.is_file) else None

    async def read(self, url: str) -> bytes | None:
        """Return the content of the file of an address; None without such a file."""
        path = await self.find(*_parts(url))
        return None if path is None else await asyncio.to_thread(path.read_bytes)

    async def put(self, url: str, content: bytes) -> bool:
        """Store a file of another bot under its address there; return False if it is here already, or no address."""
        key, name = _parts(url)
        if not _KEY.fullmatch(key) or name != _sanitize_name(name) or await self.find(key, name) is not None:
            return False
        await self._on_disk(_write, self._folder / key / name, content)
        return await self.take(url, _IMPORTED)

    async def take(self, url: str | None, message: str) -> bool:
        """Assign the file of an address to `message`; return False if it belongs to another message.

        Addresses outside of this store may be in any message.

        Raises:
            StorageFull: there is no room on the disk.
        """
        key, _ = _parts(url or "")
        if not _KEY.fullmatch(key):
            return True
        is_taken = await self._on_disk(_take, self._folder / key / _MARK, message)
        await asyncio.to_thread(self.unused.remove, key)
        return is_taken

    async def remove(self, url: str | None) -> None:
        """Delete the file of an address; addresses outside of this store are ignored."""
        key, _ = _parts(url or "")
        if _KEY.fullmatch(key):
            await asyncio.to_thread(shutil.rmtree, self._folder / key, ignore_errors=True)
            await asyncio.to_thread(self.unused.remove, key)

    async def remove_unused(self, before: datetime) -> int:
        """Delete unused uploads from before that time (timezone-aware); return their number."""
        return await asyncio.to_thread(self._remove_unused, before)

    def _remove_unused(self, before: datetime) -> int:
        removed = 0
        for key in self.unused.older_than(before):
            if _take(self._folder / key / _MARK, _UNUSED):  # so that no message takes it now
                shutil.rmtree(self._folder / key, ignore_errors=True)
                removed += 1
            self.unused.remove(key)
        return removed

    async def _on_disk(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await asyncio.to_thread(work, *args, **kwargs)
        except OSError as error:
            if error.errno in _NO_ROOM:
                raise StorageFull(str(self._folder)) from error
            raise

    async def purge(self, before: datetime) -> int:
        """Delete the files stored before (timezone-aware); return their number."""
        return await asyncio.to_thread(self._purge, before.timestamp())

    def _purge(self, before: float) -> int:
        if not self._folder.is_dir():
            return 0
        kept = [each for each in self._folder.iterdir() if each.is_dir() and each.name != _UNUSED_FOLDER]
        old = [each for each in kept if each.stat().st_mtime < before]
        for each in old:
            shutil.rmtree(each, ignore_errors=True)
        return len(old)


def _parts(url: str) -> tuple[str, str]:
    """Return the key and the name in an address of this store; an invalid key for any other."""
    own, _, rest = url.partition(f"{ADDRESS}/")
    key, _, name = rest.partition("/")
    return ("", "") if own else (key, name)


def _write(path: Path, content: bytes) -> None:
    make_private_folder(path.parent)
    try:
        with open(path, "wb", opener=open_private) as file:
            file.write(content)
    except OSError:
        shutil.rmtree(path.parent, ignore_errors=True)
        raise


def _take(mark: Path, message: str) -> bool:
    try:
        with open(mark, "x", encoding="utf-8", opener=open_private) as written:
            written.write(message)
    except FileExistsError:
        return mark.read_text(encoding="utf-8") == message
    except FileNotFoundError:  # there is no such file
        return True
    return True


def _sanitize_name(name: str) -> str:
    """Return `name` with only characters that are valid in file names of all systems, headers and addresses."""
    last = PurePath(name.replace("\\", "/")).name
    ending = _FORBIDDEN_CHARACTERS.sub("_", PurePath(last).suffix)[:_MAX_ENDING_LENGTH].rstrip()
    stem = _FORBIDDEN_CHARACTERS.sub("_", PurePath(last).stem).strip(" .")[: _MAX_NAME_LENGTH - len(ending)]
    fitting = stem.encode()[:_MAX_BYTES].decode(errors="ignore").strip(" .")
    return f"{fitting or 'file'}{ending}"
