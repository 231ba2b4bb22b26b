"""Extract the text of an HTML page, without scripts, menus and mark-up, in linear time.

The standard library's parser searches the end of every comment and tag again, which takes hours for hostile pages.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from services.kernel.text import unescape_html

_TAG = re.compile(r"</?([a-zA-Z][a-zA-Z0-9:-]{0,40})")
_RAW = {name: re.compile(f"</{name}\\b", re.IGNORECASE) for name in ("script", "style", "noscript", "template", "svg")}


class Piece(NamedTuple):
    """A text, or a tag in lower case with its attributes as written."""

    text: str = ""
    tag: str = ""
    inside: str = ""
    is_end: bool = False


def split_page(page: str) -> Iterator[Piece]:
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
    """Return the end of the tag or comment at `start`; -1 without any."""
    if page.startswith("<!--", start):
        closed = page.find("-->", start + 4)
        return closed + 2 if closed >= 0 else -1
    end = page.find(">", start)
    for quote in "\"'":
        if end >= 0 and page.count(quote, start, end) % 2:
            # The sign is part of a quoted value, so search after the end of the value.
            closed = page.find(quote, end)
            end = page.find(">", closed) if closed >= 0 else end
    return end


def _after_raw(page: str, piece: Piece, end: int) -> int:
    """Return the start of the end tag of a raw element, or the end of the page; `end` for other elements."""
    raw = None if piece.is_end or piece.inside.endswith("/") else _RAW.get(piece.tag)
    if raw is None:
        return end
    closed = raw.search(page, end)
    return len(page) if closed is None else closed.start() - 1


_LEFT_OUT = frozenset({"nav", "footer", "aside", "form", "iframe", "head", "hidden", "button", "select"})
_PARTS = frozenset(
    {"p", "div", "section", "article", "main", "header", "br", "hr", "li", "ul", "ol", "tr", "table", "pre"}
    | {"blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "dt", "dd", "figcaption", "title"}
)
_CORES = frozenset({"main", "article"})
_NEVER_CLOSED = frozenset({"br", "hr", "img", "input", "meta", "link", "wbr", "source", "area", "base", "col", "embed"})
_HIDDEN = re.compile(
    r"\s(?:hidden(?=[\s/=]|$)|aria-hidden\s*=\s*[\"']?true|style\s*=\s*[\"'][^\"']{0,200}display:\s*none)",
    re.IGNORECASE,
)
_SPACE = re.compile(r"[^\S\n]+")
_MAX_TAG_LENGTH = 2_000
_DEEPEST = 400
_MIN_CORE_CHARACTERS = 200


def extract_text(page: str) -> tuple[str, str]:
    """Return the title and the text of a page, or of its main part if it is marked."""
    reader = _Reader()
    for piece in split_page(page):
        reader.take(piece)
    whole, core = _lines("".join(reader.whole)), _lines("".join(reader.core))
    title = _lines("".join(reader.title)).replace("\n", " ")
    return title, core if len(core) >= _MIN_CORE_CHARACTERS else whole


class _Reader:
    def __init__(self) -> None:
        self.title: list[str] = []
        self.whole: list[str] = []
        self.core: list[str] = []
        self._open: list[tuple[str, bool]] = []
        self._names: Counter[str] = Counter()
        self._left_out = self._in_core = 0

    def take(self, piece: Piece) -> None:
        """Process the next piece."""
        if piece.tag in _PARTS:
            self._add_text("\n")
        if not piece.tag:
            self._add_text(piece.text)
        elif piece.is_end:
            self._close(piece.tag)
        elif piece.tag not in _NEVER_CLOSED and not piece.inside.endswith("/") and len(self._open) < _DEEPEST:
            is_hidden = _HIDDEN.search(piece.inside[:_MAX_TAG_LENGTH]) is not None and piece.tag not in {"html", "body"}
            self._open.append((piece.tag, is_hidden))
            self._count(piece.tag, is_hidden, 1)

    def _close(self, tag: str) -> None:
        """Close the element and open elements in it; ignore an end tag without a start tag."""
        if not self._names[tag]:
            return
        name = ""
        while name != tag:
            name, is_hidden = self._open.pop()
            self._count(name, is_hidden, -1)

    def _count(self, tag: str, is_hidden: bool, change: int) -> None:
        self._names[tag] += change
        self._left_out += change if tag in _LEFT_OUT or is_hidden else 0
        self._in_core += change if tag in _CORES else 0

    def _add_text(self, text: str) -> None:
        if self._open and self._open[-1][0] == "title":
            self.title.append(text)
        elif not self._left_out:
            self.whole.append(text)
            if self._in_core:
                self.core.append(text)


def _lines(text: str) -> str:
    """Return non-empty lines, stripped and without invisible characters."""
    visible = "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Co", "Cs"))
    lines = (_SPACE.sub(" ", line).strip() for line in visible.split("\n"))
    return "\n".join(line for line in lines if line)
