"""Fold a text to the form in which the rules are written, and keep the original offset of each character."""

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
    """A folded text; `offsets` maps its characters to the original, None if they are the same."""

    text: str
    offsets: tuple[int, ...] | None

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Map a half-open span of the folded text to the original one."""
        if self.offsets is None:
            return start, end
        return self.offsets[start], self.offsets[end - 1] + 1


def mask_addresses(text: str) -> str:
    """Replace web addresses in `text` by underscores of the same length, as their figures are not times."""
    return _ADDRESS.sub(lambda found: "_" * len(found[0]), text) if "://" in text or "www." in text else text


def fold(text: str, characters: Mapping[int, int]) -> Folded:
    """Apply NFKC, lower case, and the mapping `characters` (such as traditional to simplified) to `text`."""
    if text.isascii():
        return Folded(text=text.lower(), offsets=None)
    pieces = [_plain(char) for char in text]
    folded = "".join(pieces).translate(characters)
    if len(folded) == len(text):
        return Folded(text=folded, offsets=None)
    return Folded(text=folded, offsets=tuple(place for place, piece in enumerate(pieces) for _ in piece))


@lru_cache(maxsize=4096)
def _plain(char: str) -> str:
    """Return the lower-case replacement of a character."""
    return QUOTES.get(char) or unicodedata.normalize("NFKC", char).lower()
