"""ROUGE-1, -2 and -L as F measures, for English (stemmed words) and Chinese (characters and Latin words).

Source: C.-Y. Lin, "ROUGE: a package for automatic evaluation of summaries", 2004.
"""

import re
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from benchmarks.evaluation.content_match import longest_common
from benchmarks.evaluation.porter import stem

_STEMMED_FROM = 4
"""Shorter English words are left as they are."""


class Rouge(Struct, frozen=True, kw_only=True):
    """F measures, 0 to 1."""

    one: float
    two: float
    longest: float


def rouge(text: str, references: Sequence[str], language: str) -> Rouge:
    """Compare `text` with each reference and take the mean."""
    words = tokens(text, language)
    each = [_against(words, tokens(reference, language)) for reference in references]
    count = max(1, len(each))
    return Rouge(
        one=sum(one for one, _, _ in each) / count,
        two=sum(two for _, two, _ in each) / count,
        longest=sum(longest for _, _, longest in each) / count,
    )


def tokens(text: str, language: str) -> list[str]:
    """Return what is compared: in Chinese each character counts as a word."""
    if language == "zh":
        return re.findall(r"[a-z0-9]+|[\u3400-\u9fff]", text.lower())
    words = re.sub(r"[^a-z0-9]+", " ", text.lower()).split()
    return [stem(word) if len(word) >= _STEMMED_FROM else word for word in words]


def _against(words: Sequence[str], reference: Sequence[str]) -> tuple[float, float, float]:
    return (
        _shared(words, reference, 1),
        _shared(words, reference, 2),
        _measure(longest_common(words, reference), len(words), len(reference)),
    )


def _shared(words: Sequence[str], reference: Sequence[str], length: int) -> float:
    ours, theirs = _runs(words, length), _runs(reference, length)
    return _measure((ours & theirs).total(), ours.total(), theirs.total())


def _runs(words: Sequence[str], length: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[place : place + length]) for place in range(len(words) - length + 1))


def _measure(shared: int, ours: int, theirs: int) -> float:
    return 2 * shared / (ours + theirs) if shared else 0.0
