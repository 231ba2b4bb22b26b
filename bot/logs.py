"""Logging, configured once: one line a message, call and delivery; message text at DEBUG only; never secrets."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from loguru import logger

from bot.settings import LogSettings

if TYPE_CHECKING:
    from loguru import Record

_FORMAT = "{time:YYYY-MM-DD HH:mm:ss.SSS} {level:<7} {message} {extra}"
_MASK = "[secret]"


def configure_logging(settings: LogSettings, data_dir: Path, *, secrets: Iterable[str] = (), is_quiet: bool) -> None:
    """Send log lines to stderr and to `bubbles.log`.

    `secrets` are masked wherever they turn up. `is_quiet` keeps stderr to errors, for a terminal that is a chat.
    """
    hidden = tuple(secret for secret in secrets if secret)

    def line(record: "Record") -> str:
        for secret in hidden:
            record["message"] = record["message"].replace(secret, _MASK)
        return _FORMAT + "\n{exception}"

    logger.remove()
    logger.add(sys.stderr, level="ERROR" if is_quiet else settings.level, format=line, backtrace=False, diagnose=False)
    if settings.to_file:
        data_dir.mkdir(parents=True, exist_ok=True)
        logger.add(
            data_dir / "bubbles.log",
            level=settings.level,
            format=line,
            rotation="10 MB",
            retention=5,
            encoding="utf-8",
            backtrace=False,
            diagnose=False,
        )
