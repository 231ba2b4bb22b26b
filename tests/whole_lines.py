"""Reading what another process is writing just now."""

from pathlib import Path


def whole_lines(file: Path) -> list[str]:
    """The lines of a file that others append to; none where it is not there yet.

    A line that crosses a page of the file system is seen half for a moment, so the last one counts when it has ended.
    """
    return file.read_text(encoding="utf-8").rpartition("\n")[0].splitlines() if file.exists() else []
