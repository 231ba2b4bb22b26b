"""Figures as lines of text."""

import unicodedata
from collections.abc import Iterator, Sequence


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines: the first column to the left, the others to the right, two spaces between."""
    widths = [max(width(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
    return ["  ".join(_cells(row, widths)) for row in rows]


def percent(share: float | None) -> str:
    """A share (0 to 1) with one decimal; a dash for none."""
    return "-" if share is None else f"{share:.1%}"


def width(text: str) -> int:
    """Return how many columns a terminal needs for `text`: Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)


def _cells(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    for place, (cell, wide) in enumerate(zip(row, widths, strict=True)):
        yield _padded(cell, wide, place)


def _padded(cell: str, wide: int, place: int) -> str:
    space = " " * (wide - width(cell))
    return f"{space}{cell}" if place else f"{cell}{space}"
