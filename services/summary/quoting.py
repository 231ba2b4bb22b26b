"""Shorten messages to quotations for a list."""

import re

from services.summary.terms import reading_length, terms

_SENTENCE = re.compile(r".+?(?:[.!?…]+(?=\s|$)|[。！？；]+|$)")
_CUT = "…"
_LOOKED_AT = 4_000
"""A longer message is quoted from this many of its first characters."""


def quote(text: str, *, about: frozenset[str] = frozenset(), limit: int = 240) -> str:
    """Return `text` on one line, at most about `limit` Latin letters long (a Chinese character counts as three).

    A longer text gives the run of its sentences that holds most of the terms in `about`, marked where it was cut.
    """
    line = " ".join(text[:_LOOKED_AT].split())
    if reading_length(line) <= limit:
        return line
    sentences = [match.group().strip() for match in _SENTENCE.finditer(line)]
    start, end = _best_run(sentences, about, limit)
    run = _clipped(" ".join(sentences[start:end]), limit)
    return f"{_CUT if start else ''}{run}{_CUT if end < len(sentences) and not run.endswith(_CUT) else ''}"


def _best_run(sentences: list[str], about: frozenset[str], limit: int) -> tuple[int, int]:
    worth = [len(about.intersection(terms(sentence))) for sentence in sentences]
    lengths = [reading_length(sentence) for sentence in sentences]
    best = (0, 1)
    best_worth = -1
    for start in range(len(sentences)):
        end, length = start + 1, lengths[start]
        while end < len(sentences) and length + lengths[end] <= limit:
            length += lengths[end]
            end += 1
        if sum(worth[start:end]) > best_worth:
            best, best_worth = (start, end), sum(worth[start:end])
    return best


def _clipped(text: str, limit: int) -> str:
    """Cut one overlong sentence at a word, or anywhere in a script without spaces."""
    if reading_length(text) <= limit:
        return text
    kept = 0
    length = 0
    while length < limit:
        length += reading_length(text[kept])
        kept += 1
    head = text[:kept]
    at_word = head.rsplit(" ", 1)[0]
    return (at_word if len(at_word) > kept // 2 else head).rstrip() + _CUT
