"""Configure logging: one line per message, call and delivery; message text at DEBUG only; never secrets."""

import json
import logging
import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from loguru import logger

from bot.config.field_errors import SettingInvalid
from bot.config.settings import LogSettings
from bot.config.terminal import printable
from services.call_log.secret_mask import MASK, list_maskable
from services.kernel.bounded import RepeatLimit
from services.kernel.errors import StorageBusy, StorageFull, StorageUnavailable
from services.kernel.private_files import make_private_folder, open_private

if TYPE_CHECKING:
    from loguru import Record

_LINE = "_line"
_REPEAT_SECONDS: Final = 10.0
_FAILURE_SECONDS: Final = 60.0
_MAX_BYTES: Final = 10_000_000
_OLD_FILES: Final = 5
_LEVELS: Final = frozenset({logging.WARNING, logging.ERROR, logging.CRITICAL})
_PACKAGES: Final = ("bot", "function_calls", "services")
_FOR_OPERATORS: Final = (StorageBusy, StorageFull, StorageUnavailable)
"""Errors that are logged without a traceback: the operator makes room on a disk or starts a server."""


class LibraryLog(logging.Handler):
    """Writes the warnings and errors of libraries into the bot's log: the same one once in ten seconds, with a count.

    Strangers can cause some of them thousands of times a second, such as bad requests and failed connections.
    """

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._repeats = RepeatLimit(_REPEAT_SECONDS)

    def emit(self, record: logging.LogRecord) -> None:
        """Write `record`, unless the same line was written a moment ago."""
        error = record.exc_info[1] if record.exc_info else None
        line = str(record.msg).partition("\n")[0]
        count = self._repeats.count_omitted((record.name, line, type(error)), record.created)
        if count is None:
            return
        more = f" ({count} more were left out)" if count else ""
        try:
            message = record.getMessage()
        except Exception:  # noqa: BLE001 - the library gave its format other arguments, and must not fail for that
            message = line
        level = record.levelname if record.levelno in _LEVELS else record.levelno
        logger.bind(library=record.name).opt(exception=error).log(level, "{}{}", message, more)


class LogFile(RotatingFileHandler):
    """A log file for this user alone, a new one every 10 MB; five old ones are kept.

    When it cannot be written, as on a full disk, a line on standard error reports it once a minute; the log lines until
    it can be written again are lost.
    """

    terminator = ""  # the line has its own

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=_MAX_BYTES, backupCount=_OLD_FILES, encoding="utf-8", errors="replace")
        self._failures = RepeatLimit(_FAILURE_SECONDS)

    def format(self, record: logging.LogRecord) -> str:
        """Return the line as it is."""
        return record.getMessage()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name that logging calls
        """Report that the file cannot be written, and close it; the next line opens it again."""
        broken, self.stream = self.stream, None
        if broken is not None:
            with suppress(OSError):  # it still has the line, which cannot be written
                broken.close()
        if self._failures.count_omitted("", record.created) is not None:
            sys.stderr.write(f"bubbles: the log {self.baseFilename} cannot be written: {sys.exc_info()[1]}\n")

    def _open(self) -> TextIOWrapper:
        # The mode is one of text, which the type of `open` cannot know.
        return cast(
            "TextIOWrapper",
            open(self.baseFilename, self.mode, encoding=self.encoding, errors=self.errors, opener=open_private),
        )


def configure_logging(settings: LogSettings, data_dir: Path, *, secrets: Iterable[str] = (), is_quiet: bool) -> None:
    """Send log lines to stderr and to `bubbles.log`, as text or as JSON, one object a line.

    `secrets` are masked everywhere, also in tracebacks. `is_quiet` writes only errors to stderr, for a terminal that is
    a chat.

    Raises:
        ConfigError: the data folder cannot be written.
    """
    hidden = list_maskable(secrets)
    format_record = _as_json if settings.format == "json" else _as_text

    def line(record: "Record") -> str:
        text = format_record(record)
        for secret in hidden:
            text = text.replace(secret, MASK)
        record["extra"][_LINE] = text
        return f"{{extra[{_LINE}]}}\n"

    root = logging.getLogger()
    root.handlers = [*(each for each in root.handlers if not isinstance(each, LibraryLog)), LibraryLog()]
    logger.remove()
    logger.add(sys.stderr, level="ERROR" if is_quiet else settings.level, format=line, backtrace=False, diagnose=False)
    if settings.to_file:
        try:
            make_private_folder(data_dir)
            file = LogFile(data_dir / "bubbles.log")
            logger.add(file, level=settings.level, format=line, backtrace=False, diagnose=False)
        except OSError as error:
            fields = {"place": data_dir, "why": error.strerror}
            raise SettingInvalid("settings", "bot.data_dir", "unwritable", **fields) from error


@contextmanager
def suspend_logging() -> Iterator[None]:
    """Disable the log of the bot and its libraries, for a command that prints the problems itself."""
    for package in _PACKAGES:
        logger.disable(package)
    logging.disable()
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)
        for package in _PACKAGES:
            logger.enable(package)


def _as_text(record: "Record") -> str:
    fields = _bound(record)
    message = record["message"].replace("\n", "\\n")  # text of others must not look like a line of the log
    line = f"{record['time']:YYYY-MM-DD HH:mm:ss.SSS} {record['level'].name:<7} {message}"
    trace = (f"    {each}" for each in _trace(record))
    return printable("\n".join([f"{line} {fields}" if fields else line, *trace]))


def _as_json(record: "Record") -> str:
    """Format a JSON object: `time` (RFC 3339), `level`, `logger`, `message`, bound fields, `error` with trace."""
    entry: dict[str, object] = {
        "time": record["time"].isoformat(),
        "level": record["level"].name,
        "logger": record["name"],
        "message": record["message"],
        **_bound(record),
    }
    trace = _trace(record)
    if trace:
        entry["error"] = "\n".join(trace)
    return json.dumps(entry, ensure_ascii=False, default=str)


def _bound(record: "Record") -> dict[str, object]:
    return {key: value for key, value in record["extra"].items() if key != _LINE}


def _trace(record: "Record") -> list[str]:
    raised = record["exception"]
    if raised is None or raised.value is None or isinstance(raised.value, _FOR_OPERATORS):
        return []
    return "".join(traceback.format_exception(raised.type, raised.value, raised.traceback)).rstrip().splitlines()
