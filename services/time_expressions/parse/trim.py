"""Fit the span of a time to its words: include the preposition before it, exclude nouns such as "timer"."""

from collections.abc import Sequence

from services.time_expressions.rules.grammar import Grammar

ARTICLES = frozenset({"the"})


def trim_span(text: str, start: int, end: int, ends: Sequence[int], grammar: Grammar) -> tuple[int, int]:
    """Return the span without hints ("timer", "snooze") at its ends and with its prepositions.

    A request without this span is the content, without leftover prepositions. A preposition that ends another phrase,
    at one of `ends`, is not included: the "on" of "from now on at six".
    """
    inner = _without_hints(text, start, end, grammar.hints)
    if inner is not None and inner[0] != start:
        return inner
    if inner is not None:
        end = inner[1]
    if text[end : end + 1] == ")" and text.count("(", start, end) > text.count(")", start, end):
        end += 1
    first = _include_preposition(text, start, grammar.leads)
    return start if any(first < end_of_phrase <= start for end_of_phrase in ends) else first, end


def _without_hints(text: str, start: int, end: int, hints: tuple[str, ...]) -> tuple[int, int] | None:
    """Remove hint words, longest first, at both ends; a Chinese hint needs no word boundary."""
    while text.startswith(hints, start, end):
        hint = next((word for word in hints if _begins(text, start, end, word)), None)
        if hint is None:
            break
        start += len(hint)
        start += len(text[start:end]) - len(text[start:end].lstrip())
    while text.endswith(hints, start, end):
        hint = next((word for word in hints if _finishes(text, start, end, word)), None)
        if hint is None:
            break
        end -= len(hint)
        end = start + len(text[start:end].rstrip())
    return (start, end) if start < end else None


def _begins(text: str, start: int, end: int, word: str) -> bool:
    rest = text[start + len(word) : start + len(word) + 1]
    return text.startswith(word, start, end) and not (word[-1:].isalpha() and word.isascii() and rest.isalpha())


def _finishes(text: str, start: int, end: int, word: str) -> bool:
    before = text[end - len(word) - 1 : end - len(word)]
    return text.endswith(word, start, end) and not (word[:1].isalpha() and word.isascii() and before.isalpha())


def _include_preposition(text: str, start: int, leads: frozenset[str]) -> int:
    """Return `start` before one preposition, or before a preposition and an article."""
    before = _word_before(text, start, leads)
    if before is None or before[1] not in leads:
        return start
    if before[1] in ARTICLES:
        further = _word_before(text, before[0], leads)
        if further is not None and further[1] in leads:
            return further[0]
    return before[0]


def _word_before(text: str, end: int, leads: frozenset[str]) -> tuple[int, str] | None:
    while end and text[end - 1] == " ":
        end -= 1
    start = end
    while start and text[start - 1].isalpha() and text[start - 1] < "⺀":
        start -= 1
    if start == end and end and text[end - 1] > "⺀":
        start = end - (2 if text[end - 2 : end] in leads else 1)
    if start == end:
        return (end - 1, text[end - 1]) if end else None
    return start, text[start:end]
