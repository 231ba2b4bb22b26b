"""Write an export line by line, and import one after validating all of it."""

from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
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
    read_chat,
    reason_of,
)
from services.reminders.exchange.transfer import Importer
from services.reminders.model import ReminderLimits
from services.storage.database import Database
from services.storage.engine.readonly import Readable
from services.storage.export.lines import LINES, ExportScope, FileLine, Head, Line, ReminderLine
from services.storage.export.reader import stored_lines
from services.storage.export.writer import store_lines
from services.storage.reminders.store import SqlReminderStore

_MAX_PROBLEMS: Final = 100


class FileStore(Protocol):
    """Reads and stores the files of the web chat by their URLs."""

    async def read(self, url: str) -> bytes | None:
        """Return the content of a file; None if it is missing."""

    async def put(self, url: str, content: bytes) -> bool:
        """Store a file; return False if it exists, or the URL is not that of a file."""


class ImportSummary(Struct, frozen=True, kw_only=True):
    """The numbers of new items by kind and of known reminders, and the reminders that are over."""

    added: Mapping[str, int]
    known_reminders: int
    over_reminders: int


async def export_lines(
    database: Readable, files: FileStore, scope: ExportScope, now: datetime
) -> AsyncIterator[tuple[str, str]]:
    """Yield the lines of an export with their kinds, first the head, of kind `head`; `now` is timezone-aware.

    A file is written once, after the first line that refers to it.
    """
    yield "head", Head(exported_at=now, chats=scope.chats, people=scope.people).model_dump_json()
    named: set[str] = set()
    async for line in stored_lines(database, scope):
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
    database: Database,
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
    importer = Importer(SqlReminderStore(database), clock, limits)
    imported: list[ImportedReminder] = []
    known_count = over_count = 0
    for chat, reminders in _reminders(read_lines(texts())).items():
        file = PortableFile(reminders=tuple(reminders), chat=chat)
        new, known, over = await importer.prepare(file, read_chat(chat))
        imported += new
        known_count += known
        over_count += len(over)
    added = await store_lines(database, imported, lambda: read_lines(texts()), clock.now())
    stored_files = [
        await files.put(line.url, line.content) for line in read_lines(texts()) if isinstance(line, FileLine)
    ]
    return ImportSummary(
        added={**added, "file": sum(stored_files)},
        known_reminders=known_count,
        over_reminders=over_count,
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
        raise ImportRefused(problems[:_MAX_PROBLEMS])
    return found
