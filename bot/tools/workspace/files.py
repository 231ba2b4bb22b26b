"""Read and write the files of one folder."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from bot.config.field_errors import SettingInvalid
from bot.tools.stored.runner import is_over_quota
from services.kernel.errors import ToolFailed
from services.kernel.private_files import replace_file

_MAX_BYTES: Final = 1_000_000
_WIDTH: Final = 4  # of line numbers


class Workspace:
    """A folder for files; paths outside of it are refused. `lock` prevents changes while a command runs.

    Raises:
        ConfigError: the folder contains files of the bot or is inside one of its folders, so that writing could change
            the bot.
    """

    def __init__(self, folder: Path, *, megabytes: int = 100, apart_from: Iterable[Path] = ()) -> None:
        self.root = folder.resolve()
        self.megabytes = megabytes
        self.lock = asyncio.Lock()
        code = (Path(__file__).resolve().parents[3] / name for name in ("bot", "function_calls", "services"))
        for other in (*code, *(path.resolve() for path in apart_from)):
            if self.root.is_relative_to(other) or other.is_relative_to(self.root):
                raise SettingInvalid("settings", "workspace.folder", "folders_apart", folder=self.root, other=other)
        self.root.mkdir(parents=True, exist_ok=True)

    def resolve(self, path: str) -> Path:
        """Return the file at `path`, links resolved.

        Raises:
            ToolFailed: the file is outside of the folder.
        """
        try:
            found = (self.root / path).resolve()
        except (OSError, ValueError, RuntimeError) as error:
            raise ToolFailed(f"{path!r} is not a path") from error
        if not found.is_relative_to(self.root):
            raise ToolFailed(f"{path!r} is outside of the workspace")
        return found

    def read(self, path: str) -> str:
        """Return the text of a file.

        Raises:
            ToolFailed: the file is missing, too large, or not text.
        """
        file = self.resolve(path)
        try:
            if not file.is_file() and file.exists():
                raise ToolFailed(f"{path} is not a file")
            if file.stat().st_size > _MAX_BYTES:
                raise ToolFailed(f"{path} is larger than {_MAX_BYTES} bytes")
            return file.read_bytes().decode()  # as it is: `read_text` changes line ends
        except UnicodeDecodeError as error:
            raise ToolFailed(f"{path} is not UTF-8 text") from error
        except OSError as error:
            raise ToolFailed(f"{path} cannot be read: {error.strerror}") from error

    def write(self, path: str, text: str) -> None:
        """Write a file atomically.

        Raises:
            ToolFailed: the file cannot be written, or is too large.
        """
        file = self.resolve(path)
        size = len(text.encode())
        if size > _MAX_BYTES:
            raise ToolFailed(f"a file may have {_MAX_BYTES} bytes")
        if is_over_quota(str(self.root), self.megabytes * 1_000_000 - size):
            raise ToolFailed(f"the files of the workspace may have {self.megabytes} MB together")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with replace_file(file) as draft:
                draft.write(text)
        except OSError as error:
            raise ToolFailed(f"{path} cannot be written: {error.strerror}") from error

    def remove(self, path: str) -> None:
        """Remove a file if there is one."""
        self.resolve(path).unlink(missing_ok=True)


def format_lines(path: str, text: str, first: int = 1, last: int | None = None, *, is_numbered: bool = True) -> str:
    """Return lines `first` to `last` of a file below a line with its name and its number of lines.

    Source: the specification's document on the HTTP flow, section 4.2.
    """
    lines = text.splitlines()
    part = lines[first - 1 : last]
    end = first + len(part) - 1
    span = str(len(lines)) if len(part) == len(lines) else f"{first}-{end} of {len(lines)}"
    rows = [f"{number:>{_WIDTH}}| {line}" for number, line in enumerate(part, first)] if is_numbered else part
    return "\n".join([f"[File: {path} | Lines: {span}]", *rows])
