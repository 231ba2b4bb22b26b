"""Strip marks and small words around the words that count, and tell whether there are others."""

import re
from collections.abc import Collection, Iterable

from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.tokens import CLAUSE_ENDS, Token
from services.people.zones import find_zone

EDGE = " \t\n,，.。;；:：、!！?？~…-—"
QUOTES = "\"“”'‘’「」『』"


def tidy(piece: str, before: Iterable[str]) -> str:
    """Return `piece` without marks around it and without the words in `before` in front of it."""
    piece = trim_marks(piece)
    for word in before:
        is_ahead = piece.casefold().startswith(word) and len(piece) > len(word) + 1
        if is_ahead and (not word[-1].isascii() or not piece[len(word)].isalnum()):
            piece = trim_marks(piece[len(word) :])
    return piece


def trim_marks(piece: str) -> str:
    """Return `piece` without spaces and marks around it, nor the quotes of a quoted one."""
    piece = piece.strip(EDGE)
    if piece[:1] in QUOTES and piece[-1:] in QUOTES and len(piece) > 1:
        piece = piece[1:-1].strip(EDGE)
    return piece


def strip_leading_word(piece: str, leading: Iterable[str], joint: str) -> str:
    """Return `piece` without the first of the words `leading` that it begins with."""
    bare = piece.strip()
    for word in leading:
        if bare.casefold().startswith(word + joint):
            return bare[len(word + joint) :].strip()
    return bare


def sort_longest_first(words: Iterable[str]) -> list[str]:
    """Return `words` with the longest first, and equally long ones by the alphabet, as a set has no order."""
    return sorted(words, key=lambda word: (-len(word), word))


def match_any(words: Iterable[str]) -> str:
    """Return a pattern that matches any of `words` but empty ones, the longest first."""
    return "|".join(map(re.escape, sort_longest_first(filter(None, words))))


def find_longest_ending(text: str, endings: Iterable[str]) -> str:
    """Return the longest of `endings` with which `text` ends; "" for none."""
    return max(filter(text.endswith, endings), key=len, default="")


def strip_edges(text: str, small: Iterable[str], joint: str) -> tuple[str, set[str]]:
    """Return `text` without marks and the words `small` at its edges, and those of them that stood there."""
    ordered, removed = sort_longest_first(small), set[str]()

    def is_apart(beside: str) -> bool:
        return not (joint and beside.isalnum())

    while True:
        text = text.strip("".join(sign for sign in set(text) if not sign.isalnum()))
        first = next((word for word in ordered if text.startswith(word) and is_apart(text[len(word) :][:1])), "")
        last = next((word for word in ordered if text.endswith(word) and is_apart(text[: -len(word)][-1:])), "")
        word = first or last
        if not word or word == text:
            return text, removed
        removed.add(word)
        text = text[len(word) :] if first else text[: -len(word)]


def are_function_words(forms: Iterable[str], words: Lexicon, others: Iterable[str] = ()) -> bool:
    """Return whether words are no more than courtesies, links, prepositions of times and `others`."""
    small = {
        *others,
        *words.courtesies,
        *words.links,
        *words.around_time,
        *words.polite,
        *words.correction_fillers,
        *words.corrections,
    }
    if words.joint:
        return all(form in small or not form.isalpha() for form in forms)
    rest = "".join(forms)
    for word in sort_longest_first(small):
        rest = rest.replace(word, "")
    return not any(map(str.isalnum, rest))


def trim_tokens(tokens: tuple[Token, ...], words: Lexicon, *, is_first: bool = False) -> tuple[Token, ...]:
    """Return the tokens of a part without marks at its edges and without the word that joins it to another part."""
    while tokens and not is_first and (tokens[0].form in words.and_words or tokens[0].form in words.lead_in_words):
        tokens = tokens[1:]
    going_on = [tuple(word.split() if words.joint else word) for word in words.going_on]
    while tokens and (tokens[-1].form in CLAUSE_ENDS or tuple(each.form for each in tokens[-2:]) in going_on):
        tokens = tokens[: -1 if tokens[-1].form in CLAUSE_ENDS else -2]
    while tokens and tokens[0].form in CLAUSE_ENDS:
        tokens = tokens[1:]
    return tokens


def is_figure(piece: str) -> bool:
    """Return whether `piece` is a number and nothing else."""
    return piece.strip(EDGE).isdecimal()


def find_place(text: str, around: Collection[str], words: Lexicon) -> str:
    """Return the place that `text` is but for the words `around` it; "" for other texts."""
    place, _ = strip_edges(words.fold(text), around, words.joint)
    return place if find_zone(place) is not None else ""
