"""Fold a text to the one form that the rules are written in, and remember where each character came from."""

import unicodedata
from collections.abc import Mapping
from typing import NamedTuple

QUOTES = {"’": "'", "‘": "'", "–": "-", "—": "-", "−": "-", "～": "~", "、": ",", "。": ";"}


class Folded(NamedTuple):
    """A folded text; `offsets` is None where every character kept its place."""

    text: str
    offsets: tuple[int, ...] | None

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Map a half-open span of the folded text to the original one."""
        if self.offsets is None:
            return start, end
        return self.offsets[start], self.offsets[end - 1] + 1


def fold(text: str, characters: Mapping[str, str]) -> Folded:
    """Apply NFKC, lower case, and `characters` (traditional to simplified, and the like) to `text`."""
    if text.isascii():
        return Folded(text=text.lower(), offsets=None)
    pieces: list[str] = []
    offsets: list[int] = []
    for place, char in enumerate(text):
        folded = QUOTES.get(char)
        if folded is None:
            folded = char if char.isascii() else unicodedata.normalize("NFKC", char)
            folded = "".join(characters.get(one, one) for one in folded.lower())
        pieces.append(folded)
        offsets.extend([place] * len(folded))
    return Folded(text="".join(pieces), offsets=tuple(offsets))
