"""Split text into content terms: words where spaces separate them, character pairs in Chinese."""

import re
import unicodedata

from services.summary.lexicon import lexicon

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_RUN = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
_CJK_RUN = re.compile(rf"[{_CJK}]")
_LINK = re.compile(r"https?://\S+")
_CJK_WIDTH = 3
"""One Chinese character says about as much as three Latin letters."""


def terms(text: str) -> list[str]:
    """Return the content terms of `text` in order, with repetitions.

    Chinese is cut into overlapping character pairs (no dictionary needed); a pair of two function characters is
    dropped. Words lose a plural s; stop words, single letters and links are dropped.
    """
    found: list[str] = []
    for run in _RUN.findall(_LINK.sub(" ", unicodedata.normalize("NFKC", text).casefold())):
        if is_cjk(run[0]):
            found.extend(_pairs(run))
        elif len(run) > 1 and run not in lexicon().stop_words:
            found.append(_singular(run))
    return found


def is_cjk(character: str) -> bool:
    """Return whether `character` belongs to a script written without spaces."""
    return _CJK_RUN.match(character) is not None


def reading_length(text: str) -> int:
    """Return how long `text` is to read, in Latin letters, so that languages compare."""
    cjk = len(_CJK_RUN.findall(text))
    return len(text) + (_CJK_WIDTH - 1) * cjk


def _pairs(run: str) -> list[str]:
    stop = lexicon().stop_characters
    return [run[i : i + 2] for i in range(len(run) - 1) if run[i] not in stop or run[i + 1] not in stop]


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
