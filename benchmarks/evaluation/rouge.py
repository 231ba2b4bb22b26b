"""Compute ROUGE-1, -2 and -L as F measures for English (stemmed words) and Chinese (characters and Latin words).

Source: C.-Y. Lin, "ROUGE: a package for automatic evaluation of summaries", 2004.
"""

import re
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from benchmarks.evaluation.content_match import measure_common_subsequence
from benchmarks.evaluation.porter import stem

_MIN_STEMMED_LENGTH = 4
"""Shorter English words are not stemmed."""


class Rouge(Struct, frozen=True, kw_only=True):
    """F measures from 0 to 1."""

    one: float
    two: float
    longest: float


def compute_rouge(text: str, references: Sequence[str], language: str) -> Rouge:
    """Return the mean over the references."""
    words = tokenize(text, language)
    results = [_compare(words, tokenize(reference, language)) for reference in references]
    count = max(1, len(results))
    return Rouge(
        one=sum(one for one, _, _ in results) / count,
        two=sum(two for _, two, _ in results) / count,
        longest=sum(longest for _, _, longest in results) / count,
    )


def tokenize(text: str, language: str) -> list[str]:
    """Return the stems of English words; in Chinese, single characters and Latin words."""
    if language == "zh":
        return re.findall(r"[a-z0-9]+|[\u3400-\u9fff]", text.lower())
    words = re.sub(r"[^a-z0-9]+", " ", text.lower()).split()
    return [stem(word) if len(word) >= _MIN_STEMMED_LENGTH else word for word in words]


def _compare(words: Sequence[str], reference: Sequence[str]) -> tuple[float, float, float]:
    return (
        _compare_ngrams(words, reference, 1),
        _compare_ngrams(words, reference, 2),
        _compute_f(measure_common_subsequence(words, reference), len(words), len(reference)),
    )


def _compare_ngrams(words: Sequence[str], reference: Sequence[str], length: int) -> float:
    counts, expected = _count_ngrams(words, length), _count_ngrams(reference, length)
    return _compute_f((counts & expected).total(), counts.total(), expected.total())


def _count_ngrams(words: Sequence[str], length: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[place : place + length]) for place in range(len(words) - length + 1))


def _compute_f(shared: int, count: int, expected: int) -> float:
    return 2 * shared / (count + expected) if shared else 0.0
