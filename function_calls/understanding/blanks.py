"""Blank out the time words of a sentence, so that templates see one character where a time stood."""

import re
import unicodedata
from collections.abc import Collection, Sequence

from msgspec import Struct

from function_calls.understanding.templates import BLANK, FIRST_BLANK, LAST_BLANK
from function_calls.understanding.time_words import TimeWords

_BLANK = re.compile(BLANK)
_PICTURE = "So"
_MOST = ord(LAST_BLANK) - ord(FIRST_BLANK)


class Blanked(Struct, frozen=True, kw_only=True):
    """A sentence with a private-use character in place of each run of time words.

    `words[n]` stood where the n-th blank stands, and belongs to `times[owners[n]]`.
    """

    text: str
    words: tuple[str, ...]
    owners: tuple[int, ...]
    times: tuple[TimeWords, ...]

    def owners_in(self, piece: str) -> tuple[int, ...]:
        """Which times have words in `piece`, in order of appearance."""
        return tuple(dict.fromkeys(self.owners[_index(mark)] for mark in _BLANK.findall(piece)))

    def restore(self, piece: str, *, keep: Collection[int] = ()) -> str:
        """Put the time words back into `piece`; those of the times in `keep` stay blank."""

        def word(match: re.Match[str]) -> str:
            index = _index(match[0])
            return match[0] if self.owners[index] in keep else self.words[index]

        return _BLANK.sub(word, piece)


def blank_out(text: str, times: Sequence[TimeWords]) -> Blanked:
    """Blank out in `text` every span of `times`."""
    spans = sorted((start, end, owner) for owner, time in enumerate(times) for start, end in time.spans if end > start)
    pieces: list[str] = []
    words: list[str] = []
    owners: list[int] = []
    at = 0
    for start, end, owner in spans[:_MOST]:
        if start < at:
            continue
        pieces += [text[at:start], chr(ord(FIRST_BLANK) + len(words))]
        words.append(text[start:end])
        owners.append(owner)
        at = end
    pieces.append(text[at:])
    return Blanked(text="".join(pieces), words=tuple(words), owners=tuple(owners), times=tuple(times))


def has_words(piece: str) -> bool:
    """Whether `piece` holds a letter or digit beside blanks and punctuation."""
    return any(character.isalnum() for character in piece)


def has_content(piece: str) -> bool:
    """Whether `piece` holds anything to be reminded of: words, or a picture ("🎂")."""
    return has_words(piece) or any(unicodedata.category(character) == _PICTURE for character in piece)


def without_blanks(text: str) -> str:
    """Drop the characters that stand for blanks, which nobody types."""
    return _BLANK.sub("", text)


def _index(mark: str) -> int:
    return ord(mark) - ord(FIRST_BLANK)
