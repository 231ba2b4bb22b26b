"""Sentences of a language without spaces, matched as if nobody put one between Chinese and Latin words."""

import re
from collections.abc import Sequence

from msgspec import Struct

from function_calls.understanding.templates import FIRST_BLANK, LAST_BLANK

_HAN = rf"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef{FIRST_BLANK}-{LAST_BLANK}]"
_SPACE = re.compile(rf"(?<={_HAN})\s+|\s+(?={_HAN})")


class Squeezed(Struct, frozen=True, kw_only=True):
    """A text without some of its spaces; `places` says where each of its letters, and its end, stood before."""

    text: str
    places: Sequence[int]

    def span(self, found: re.Match[str], name: str) -> tuple[int, int]:
        """Where a group that is not empty stands in the text as it was."""
        start, end = found.span(name)
        return self.places[start], self.places[end - 1] + 1


def squeeze(text: str, *, is_spaced: bool) -> Squeezed:
    """`text` without the spaces beside Chinese characters and blanks; all of it where the language has spaces."""
    gaps = [] if is_spaced else [gap.span() for gap in _SPACE.finditer(text)]
    if not gaps:
        return Squeezed(text=text, places=range(len(text) + 1))
    gone = {place for start, end in gaps for place in range(start, end)}
    kept = [place for place in range(len(text)) if place not in gone]
    return Squeezed(text="".join(text[place] for place in kept), places=(*kept, len(text)))
