"""Lay out text in columns of a terminal; Chinese characters are two cells wide."""

import unicodedata
from collections.abc import Sequence
from itertools import zip_longest

_GAP = "  "


def side_by_side(rows: Sequence[tuple[str, str, str]], width: int) -> list[str]:
    """Lay out (label, left, right) in lines of at most `width` places, wrapping the two columns."""
    labels = max(places(label) for label, _, _ in rows)
    column = max(10, (width - labels - 2 * len(_GAP)) // 2)
    lines = []
    for label, left, right in rows:
        pairs = zip_longest(wrapped(left, column), wrapped(right, column), fillvalue="")
        for number, (one, other) in enumerate(pairs):
            parts = (_pad("" if number else label, labels), _pad(one, column), other)
            lines.append(_GAP.join(parts).rstrip())
    return lines


def in_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table: the first column flush left, the others, which are figures, flush right."""
    widths = [max(map(places, column)) for column in zip(*rows, strict=True)]
    return [
        _GAP.join([_pad(row[0], widths[0]), *(_before(text, width) for text, width in _figures(row, widths))])
        for row in rows
    ]


def _figures(row: Sequence[str], widths: Sequence[int]) -> list[tuple[str, int]]:
    return list(zip(row, widths, strict=True))[1:]


def _before(text: str, width: int) -> str:
    return " " * max(0, width - places(text)) + text


def wrapped(text: str, width: int) -> list[str]:
    """`text` in lines of at most `width` places, broken at spaces where there are any; at least one line."""
    return [part for line in text.split("\n") for part in _broken(line, width)]


def places(text: str) -> int:
    """Return how many places `text` takes in a terminal."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _broken(line: str, width: int) -> list[str]:
    parts = []
    while places(line) > width:
        end = _fitting(line, width)
        space = line.rfind(" ", 1, end + 1)
        cut = space if space > 0 else end
        parts.append(line[:cut].rstrip())
        line = line[cut:].lstrip()
    return [*parts, line]


def _fitting(line: str, width: int) -> int:
    """Return how many characters from the start fit into `width` places; at least one."""
    taken = 0
    for index, character in enumerate(line):
        taken += places(character)
        if taken > width:
            return max(1, index)
    return len(line)


def _pad(text: str, width: int) -> str:
    return text + " " * max(0, width - places(text))
