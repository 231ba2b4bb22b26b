"""Take a message that lists things apart: "remind me: 1. milk tomorrow at 9, 2. call Bob on Friday"."""

import re

from msgspec import Struct

_FEWEST, _MOST = 2, 12
_EDGES = " \t:：,，;；-–"
_BULLET = re.compile(r"^\s*(?:[-–*•·]\s*|\(?\d{1,2}[.)、）:：]\s*|[①-⑫]\s*)(?=\S)")
_NUMBER = re.compile(r"(?<![A-Za-z0-9.])\(?(\d{1,2})(?:[)）、]|\.(?!\d))\s*(?=\S)")


class Listed(Struct, frozen=True, kw_only=True):
    """The lines or numbered points of a message, and the words that stand before them all."""

    head: str
    points: tuple[str, ...]


def listed(text: str) -> Listed | None:
    """The list that `text` is; None where it is none."""
    lines = [line for line in text.splitlines() if line.strip()]
    found = _of_lines(lines) if _FEWEST <= len(lines) <= _MOST + 1 else None
    return found or _of_points(" ".join(lines))


def _of_lines(lines: list[str]) -> Listed | None:
    if not any(map(_BULLET.match, lines)):
        return _made("", lines)
    head, rest = ("", lines) if _BULLET.match(lines[0]) else (lines[0], lines[1:])
    return _made(head, [_BULLET.sub("", line) for line in rest]) if all(map(_BULLET.match, rest)) else None


def _of_points(text: str) -> Listed | None:
    """What is numbered one by one from the first, in one line."""
    numbers = list(_NUMBER.finditer(text))
    if [int(number[1]) for number in numbers] != list(range(1, len(numbers) + 1)) or not numbers:
        return None
    ends = [*(number.start() for number in numbers[1:]), len(text)]
    points = [text[number.end() : end] for number, end in zip(numbers, ends, strict=True)]
    return _made(text[: numbers[0].start()], points)


def _made(head: str, points: list[str]) -> Listed | None:
    if not _FEWEST <= len(points) <= _MOST:
        return None
    return Listed(head=head.strip(_EDGES), points=tuple(point.strip(_EDGES) for point in points))
