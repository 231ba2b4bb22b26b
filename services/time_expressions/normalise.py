"""Fold a text to the one form that the rules are written in, and remember where each character came from."""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

QUOTES = {
    "’": "'",
    "‘": "'",
    "–": "-",
    "—": "-",
    "−": "-",
    "～": "~",
    "、": ", ",
    "。": ";",
    "½": " 1/2",
    "¼": " 1/4",
    "¾": " 3/4",
}
_ADDRESS = re.compile(r"(?:https?://|www\.)[!-~]+", re.IGNORECASE)


class Folded(NamedTuple):
    """A folded text; `offsets` is None where every character kept its place."""

    text: str
    offsets: tuple[int, ...] | None

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Map a half-open span of the folded text to the original one."""
        if self.offsets is None:
            return start, end
        return self.offsets[start], self.offsets[end - 1] + 1


def without_addresses(text: str) -> str:
    """Return `text` with a line in the place of each web address, whose figures are no times."""
    return _ADDRESS.sub(lambda found: "_" * len(found[0]), text) if "://" in text or "www." in text else text


def fold(text: str, characters: Mapping[int, int]) -> Folded:
    """Apply NFKC, lower case, and `characters` (traditional to simplified, and the like) to `text`."""
    if text.isascii():
        return Folded(text=text.lower(), offsets=None)
    pieces = [_plain(char) for char in text]
    folded = "".join(pieces).translate(characters)
    if len(folded) == len(text):
        return Folded(text=folded, offsets=None)
    return Folded(text=folded, offsets=tuple(place for place, piece in enumerate(pieces) for _ in piece))


@lru_cache(maxsize=4096)
def _plain(char: str) -> str:
    """One character, or what stands for it, in small letters."""
    return QUOTES.get(char) or unicodedata.normalize("NFKC", char).lower()
