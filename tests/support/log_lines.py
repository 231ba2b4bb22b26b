"""Lines of files that another process appends to."""

from pathlib import Path


def whole_lines(file: Path) -> list[str]:
    """Return the complete lines of a file, or none if it does not exist.

    A line that crosses a page of the file system may be incomplete for a moment.
    """
    return file.read_text(encoding="utf-8").rpartition("\n")[0].splitlines() if file.exists() else []
