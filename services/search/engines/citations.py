"""Renumber citations from 1 in the order of the text, and remove those of unknown sources."""

import re
from collections.abc import Sequence

from services.search.model import Source

_MARKER = re.compile(r" ?\[(\d{1,3}(?:\s?[,，]\s?\d{1,3})*)\](?:\(https?://[^)\s]*\))?")
_UNFINISHED = re.compile(r" ?(?:\[[\d\s,，]{0,24}(?:\](?:\([^)\s]{0,500})?)?)?$")


class CitationNumbering:
    """Renumbers [n] markers in a text that may arrive in pieces; markers of unknown sources are removed.

    A source without an address counts as unknown.
    """

    def __init__(self) -> None:
        self._cited: list[int] = []
        self._held = ""

    def feed(self, piece: str, sources: Sequence[Source]) -> str:
        """Return what of the text so far can be shown; the beginning of a marker is held back."""
        text = self._held + piece
        unfinished = _UNFINISHED.search(text)
        end = unfinished.start() if unfinished else len(text)
        self._held = text[end:]
        return self._renumbered(text[:end], sources)

    def finish(self, sources: Sequence[Source]) -> str:
        """Return the rest of the text."""
        rest, self._held = self._held, ""
        return self._renumbered(rest, sources)

    def cited(self, sources: Sequence[Source]) -> tuple[Source, ...]:
        """Return the sources that the text cites, in the order of their new numbers."""
        return tuple(sources[number - 1] for number in self._cited)

    def _renumbered(self, text: str, sources: Sequence[Source]) -> str:
        return _MARKER.sub(lambda marker: self._marker(marker, sources), text)

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
    return shown, numbering.cited(sources)
