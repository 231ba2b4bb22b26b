"""Split HTML into text and tags in one pass, in linear time even for hostile pages.

The standard library's parser looks for the end of every comment and tag anew, and a page of open ones takes it hours.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from services.kernel.text import unescape_html

_TAG = re.compile(r"</?([a-zA-Z][a-zA-Z0-9:-]{0,40})")
_RAW = {name: re.compile(f"</{name}\\b", re.IGNORECASE) for name in ("script", "style", "noscript", "template", "svg")}


class Piece(NamedTuple):
    """A run of text, or a tag in lower case with its contents as written."""

    text: str = ""
    tag: str = ""
    inside: str = ""
    is_end: bool = False


def pieces(page: str) -> Iterator[Piece]:
    """Yield the text and the tags of `page` in order; comments, scripts, styles and declarations are left out."""
    place = 0
    while True:
        start = page.find("<", place)
        if start < 0:
            yield Piece(text=unescape_html(page[place:]))
            return
        if start > place:
            yield Piece(text=unescape_html(page[place:start]))
        found = _TAG.match(page, start)
        if found is None and not page.startswith(("<!", "<?", "</"), start):
            yield Piece(text="<")
            place = start + 1
            continue
        end = _end(page, start)
        if end < 0:
            return
        if found is not None:
            piece = Piece(tag=found[1].lower(), inside=page[found.end() : end], is_end=page[start + 1] == "/")
            yield piece
            end = _after_raw(page, piece, end)
        place = end + 1


def _end(page: str, start: int) -> int:
    """Return where what begins at `start` ends, -1 where it does not."""
    if page.startswith("<!--", start):
        closed = page.find("-->", start + 4)
        return closed + 2 if closed >= 0 else -1
    end = page.find(">", start)
    for quote in "\"'":
        if end >= 0 and page.count(quote, start, end) % 2:
            # The sign stood inside a value; where the value ends, the tag may end.
            closed = page.find(quote, end)
            end = page.find(">", closed) if closed >= 0 else end
    return end


def _after_raw(page: str, piece: Piece, end: int) -> int:
    """Return the start of the end tag of an element with raw contents; the end of the page without one."""
    raw = None if piece.is_end or piece.inside.endswith("/") else _RAW.get(piece.tag)
    if raw is None:
        return end
    closed = raw.search(page, end)
    return len(page) if closed is None else closed.start() - 1
