"""Journal sent occurrences in a file beside the database until their commit.

A line takes microseconds, a commit milliseconds, and a line survives the end of the process. So after a kill only the
reminders being sent at that moment are repeated, and not all that wait for their commit. The next start records the
lines of the file before it sends anything.
"""

import json
import os
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, NamedTuple, Self

import msgspec
from loguru import logger
from msgspec import Meta

_MAX_BYTES = 16_000_000
_Number = Annotated[int, Meta(ge=0, le=2**63 - 1)]  # up to the largest integer of the database


class SentOccurrenceLine(NamedTuple):
    """A sent occurrence; times are in microseconds, `message_id` is that of the platform."""

    delivery_id: _Number
    reminder_key: _Number
    due_at: _Number
    at: _Number
    message_id: str | None


class SentJournal:
    """A journal of sent occurrences that are not committed yet; use as a context manager.

    A database in memory has no `path` and needs no journal.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = None if path is None else path.with_name(path.name + "-sent")
        self._file: int | None = None
        self._pending: set[int] = set()
        self._is_whole = True
        self._bytes = 0

    def __enter__(self) -> Self:
        """Return the journal; the file is created with the first line."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file; lines of uncommitted occurrences stay in it."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def append(self, sent: Sequence[SentOccurrenceLine]) -> bool:
        """Append sent occurrences; return False if that fails, so that only the commit records them."""
        if self._path is None or not self._is_whole or self._bytes > _MAX_BYTES:
            return self._path is None
        lines = "".join(map(_line, sent)).encode()
        try:
            if self._file is None:
                self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            written = os.write(self._file, lines)
        except OSError as error:
            return self._give_up(error)
        self._bytes += written
        if written != len(lines):
            return self._give_up(None)
        self._pending.update(entry.delivery_id for entry in sent)
        return True

    def remove(self, delivery_ids: Collection[int]) -> None:
        """Remove committed occurrences; clear the file if no others are left."""
        if self._pending or not self._is_whole:
            self._pending.difference_update(delivery_ids)
            if not self._pending:
                self.clear()

    def read(self) -> list[SentOccurrenceLine]:
        """Return the lines of an earlier process; skip damaged ones. An unreadable file causes repeated sends."""
        if self._path is None or not self._path.exists():
            return []
        try:
            lines = self._path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError as error:
            logger.warning("cannot read the journal of sent reminders ({}); some may be sent again", error)
            return []
        return [entry for entry in map(_parse_line, lines) if entry is not None]

    def clear(self) -> None:
        """Clear the file."""
        if self._path is not None:
            with suppress(OSError):  # recording committed lines again changes nothing
                with suppress(FileNotFoundError):
                    os.truncate(self._path, 0)
                self._is_whole, self._bytes = True, 0
        self._pending.clear()

    def _give_up(self, error: OSError | None) -> bool:
        """Stop writing until the file is cleared, because lines after a partial one cannot be read."""
        logger.warning("cannot append to the journal of sent reminders ({}); waiting for each commit instead", error)
        self._is_whole = False
        return False


def _line(sent: SentOccurrenceLine) -> str:
    # All fields but the message id are numbers; a JSON encoder takes ten times as long.
    message_id = "null" if sent.message_id is None else json.dumps(sent.message_id)
    return f"[{sent.delivery_id},{sent.reminder_key},{sent.due_at},{sent.at},{message_id}]\n"


def _parse_line(line: str) -> SentOccurrenceLine | None:
    try:
        return msgspec.json.decode(line, type=SentOccurrenceLine)
    except (msgspec.DecodeError, RecursionError):
        return None
