"""Format figures as tables of text."""

import unicodedata
from collections.abc import Iterator, Sequence


def align_rows(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines, with the first column aligned to the left and the others to the right."""
    widths = [max(measure_width(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
    return ["  ".join(_pad_cells(row, widths)) for row in rows]


def format_percent(share: float | None) -> str:
    """Return a share (0 to 1) with one decimal; a dash for None."""
    return "-" if share is None else f"{share:.1%}"


def measure_width(text: str) -> int:
    """Return the columns of `text` in a terminal, where Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)


def _pad_cells(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    for column, (cell, width) in enumerate(zip(row, widths, strict=True)):
        space = " " * (width - measure_width(cell))
        yield f"{space}{cell}" if column else f"{cell}{space}"
