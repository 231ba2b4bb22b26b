"""Build sources and answers from the pages that engines return, and renumber their citations."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from services.kernel.text import unescape_html
from services.search.model import SearchAnswer, Source

_CITATION = re.compile(r" ?\[(\d{1,3}(?:\s?[,，]\s?\d{1,3})*)\](?:\(https?://[^)\s]*\))?")
_UNFINISHED = re.compile(r" ?(?:\[[\d\s,，]{0,24}(?:\](?:\([^)\s]{0,500})?)?)?$")


class CitationNumbering:
    """Renumbers [n] markers in a text that may arrive in pieces; markers of unknown sources are removed.

    A source without a URL counts as unknown.
    """

    def __init__(self) -> None:
        self._cited: list[int] = []
        self._held = ""

    def feed(self, piece: str, sources: Sequence[Source]) -> str:
        """Return the next part of the text with renumbered markers; an incomplete marker is held back."""
        text = self._held + piece
        unfinished = _UNFINISHED.search(text)
        end = unfinished.start() if unfinished else len(text)
        self._held = text[end:]
        return self._renumber(text[:end], sources)

    def finish(self, sources: Sequence[Source]) -> str:
        """Return the rest of the text."""
        rest, self._held = self._held, ""
        return self._renumber(rest, sources)

    def list_cited(self, sources: Sequence[Source]) -> tuple[Source, ...]:
        """Return the sources that the text cites, in the order of their new numbers."""
        return tuple(sources[number - 1] for number in self._cited)

    def _renumber(self, text: str, sources: Sequence[Source]) -> str:
        return _CITATION.sub(lambda marker: self._marker(marker, sources), text)

    def _marker(self, marker: re.Match[str], sources: Sequence[Source]) -> str:
        numbers = [int(number) for number in re.findall(r"\d+", marker[1])]
        known = [number for number in numbers if 1 <= number <= len(sources) and sources[number - 1].url]
        for number in known:
            if number not in self._cited:
                self._cited.append(number)
        gap = " " if marker[0].startswith(" ") and known else ""
        return gap + "".join(f"[{self._cited.index(number) + 1}]" for number in known)


def renumber(text: str, sources: Sequence[Source]) -> tuple[str, tuple[Source, ...]]:
    """Return `text` with its citations renumbered, and the cited sources in that order."""
    numbering = CitationNumbering()
    shown = numbering.feed(text, sources) + numbering.finish(sources)
    return shown, numbering.list_cited(sources)


_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
_MARKER = re.compile(r" ?\[\d{1,3}\]")
_TITLE_LENGTH = 120
_SNIPPET_LENGTH = 280
TEXT_LENGTH = 8_000
_MAX_QUOTES = 3
_KEPT_CONTROLS = "\n\t"


def page(*, url: str, title: str = "", snippet: str = "") -> Source | None:
    """Return a source with sanitized short texts; None if `url` is not a web address."""
    address = url.strip()
    if not address.lower().startswith(("http://", "https://")) or any(character.isspace() for character in address):
        return None
    return Source(title=_line(title, _TITLE_LENGTH), url=address, snippet=_line(snippet, _SNIPPET_LENGTH))


def distinct(pages: Iterable[Source | None]) -> tuple[Source, ...]:
    """Return the pages with a web address, each address once."""
    by_url: dict[str, Source] = {}
    for found in pages:
        if found is not None:
            by_url.setdefault(found.url, found)
    return tuple(by_url.values())


def answer_with_quotes(engine: str, pages: Sequence[Source], *, lead: str = "") -> SearchAnswer:
    """Build an answer with quotations of the first pages; `lead` is the engine's own short answer."""
    quoted = [found for found in pages if found.snippet][:_MAX_QUOTES]
    quotes = [f"{_MARKER.sub('', found.snippet)} [{number}]" for number, found in enumerate(quoted, start=1)]
    opening = [_MARKER.sub("", plain(lead))] if lead.strip() else []
    return SearchAnswer(text="\n".join([*opening, *quotes]), sources=tuple(quoted), engine=engine)


def plain(text: str) -> str:
    """Return at most 8,000 characters of `text`, without invisible ones."""
    return visible(text[:TEXT_LENGTH]).strip()


def visible(text: str) -> str:
    """Return `text` without control and invisible format characters; line ends and tabs stay."""
    return "".join(c for c in text if c in _KEPT_CONTROLS or unicodedata.category(c) not in ("Cc", "Cf"))


def _line(text: str, limit: int) -> str:
    """Return `text` without mark-up on one line, truncated at `limit` characters."""
    bare = " ".join(plain(unescape_html(_TAG.sub("", text))).split())
    return bare if len(bare) <= limit else bare[: limit - 1].rstrip() + "…"
