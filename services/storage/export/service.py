"""Write an export line by line, and import one after validating all of it."""

from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final, Protocol

from msgspec import Struct
from pydantic import ValidationError

from services.kernel.clock import Clock
from services.kernel.errors import RequestRefused
from services.reminders.exchange.model import (
    ImportedReminder,
    ImportRefused,
    PortableFile,
    PortableReminder,
    Problem,
    TransferStore,
    read_chat,
    reason_of,
)
from services.reminders.exchange.transfer import Importer
from services.reminders.model import ReminderLimits
from services.reminders.records import StoredReminder
from services.storage.export.lines import LINES, ExportScope, FileLine, Head, Line, ReminderLine

_MOST_PROBLEMS: Final = 100


class LineSource(Protocol):
    """Reads stored data as lines."""

    def lines(self, wanted: ExportScope) -> AsyncIterator[Line]:
        """Yield all lines of the chats and people."""
        ...


class LineStore(Protocol):
    """Stores lines."""

    async def store(
        self, reminders: Sequence[ImportedReminder], lines: Callable[[], Iterable[Line]], now: datetime
    ) -> Mapping[str, int]:
        """Store everything in one transaction; return the number of new items by kind."""
        ...


class FileStore(Protocol):
    """Reads and stores the files of the web chat by their URLs."""

    async def read(self, url: str) -> bytes | None:
        """Return the content of a file; None if it is missing."""
        ...

    async def put(self, url: str, content: bytes) -> bool:
        """Store a file; return False if it exists, or the URL is not that of a file."""
        ...


class ImportSummary(Struct, frozen=True, kw_only=True):
    """The numbers of new items by kind and of known reminders, and the reminders that are over."""

    added: Mapping[str, int]
    known_reminders: int
    over_reminders: int


async def export_lines(
    source: LineSource, files: FileStore, wanted: ExportScope, now: datetime
) -> AsyncIterator[tuple[str, str]]:
    """Yield the lines of an export with their kinds, first the head, of kind `head`; `now` is timezone-aware.

    A file is written once, after the first line that refers to it.
    """
    yield "head", Head(exported_at=now, chats=wanted.chats, people=wanted.people).model_dump_json()
    named: set[str] = set()
    async for line in source.lines(wanted):
        yield line.kind, line.model_dump_json()
        for url in _urls(line) - named:
            named.add(url)
            content = await files.read(url)
            if content is not None:
                # Its constructor takes the encoded text of a line, not the content of the file.
                file = FileLine.model_construct(url=url, content=content)
                yield file.kind, file.model_dump_json()


def _urls(line: Line) -> set[str]:
    """Return the URLs of the files that a line refers to."""
    fields = dict(line)
    if line.kind == "message":
        return {url for _, _, url in fields["attachments"] if url}
    entries = fields["value"] if line.kind == "state" and isinstance(fields["value"], list) else []
    attached = [entry.get("attachments") for entry in entries if isinstance(entry, dict)]
    files = [attachment for attachments in attached if isinstance(attachments, list) for attachment in attachments]
    return {file["url"] for file in files if isinstance(file, dict) and isinstance(file.get("url"), str)}


def read_lines(texts: Iterable[str]) -> Iterator[Line]:
    """Yield the lines of an export without its head.

    Raises:
        ImportRefused: a line is invalid.
    """
    for number, text in enumerate(texts, start=1):
        try:
            if number == 1:
                Head.model_validate_json(text)
            elif text.strip():
                yield LINES.validate_json(text)
        except ValidationError as error:
            raise ImportRefused([Problem(place=f"line {number}", uid="", reason=reason_of(error))]) from error


async def import_lines(
    texts: Callable[[], Iterable[str]],
    reminders: TransferStore,
    store: LineStore,
    files: FileStore,
    clock: Clock,
    limits: ReminderLimits | None = None,
) -> ImportSummary:
    """Store an export, or nothing if a line is invalid. Importing it again changes nothing.

    `texts` returns an iterator from the first line at each call. Files are stored last.

    Raises:
        ImportRefused: a line or a reminder is invalid.
        RequestRefused: `too_many_reminders(limit)`.
    """
    found = _reminders(read_lines(texts()))
    collector = _ReminderCollector(reminders)
    importer = Importer(collector, clock, limits)
    reports = [
        await importer.store(PortableFile(reminders=tuple(report), chat=chat), read_chat(chat))
        for chat, report in found.items()
    ]
    added = await store.store(collector.arrivals, lambda: read_lines(texts()), clock.now())
    stored_files = [
        await files.put(line.url, line.content) for line in read_lines(texts()) if isinstance(line, FileLine)
    ]
    return ImportSummary(
        added={**added, "file": sum(stored_files)},
        known_reminders=sum(report.known for report in reports),
        over_reminders=sum(len(report.over) for report in reports),
    )


def _reminders(lines: Iterable[Line]) -> Mapping[str, list[PortableReminder]]:
    """Return the reminders by chat, after validating all lines."""
    found: defaultdict[str, list[PortableReminder]] = defaultdict(list)
    problems: list[Problem] = []
    for line in lines:
        if isinstance(line, ReminderLine):
            try:
                found[line.chat].append(line.reminder.reminder())
            except (ValueError, RequestRefused) as error:
                problems.append(Problem(place=line.chat, uid=line.reminder.uid[:80], reason=reason_of(error)))
    if problems:
        raise ImportRefused(problems[:_MOST_PROBLEMS])
    return found


class _ReminderCollector:
    """A reminder store that collects reminders, so that all are stored in one transaction."""

    def __init__(self, store: TransferStore) -> None:
        self._store = store
        self.arrivals: list[ImportedReminder] = []

    async def in_chat(self, chat_key: str, limit: int) -> tuple[StoredReminder, ...]:
        return await self._store.in_chat(chat_key, limit)

    async def get(self, key: int) -> StoredReminder | None:
        return await self._store.get(key)

    async def by_request(self, request_key: str) -> StoredReminder | None:
        return await self._store.by_request(request_key)

    async def take_in(self, arrivals: Sequence[ImportedReminder], now: datetime) -> int:
        del now
        self.arrivals += arrivals
        return len(arrivals)
