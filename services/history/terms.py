"""Split messages and queries into terms for a full-text index, in English and Chinese."""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import TypeVar

from services.kernel.chat import Attachment

VERSION = 2
"""The version of the terms; an index of another version is rebuilt."""

_HAN = "\\u3041-\\u3096\\u30a1-\\u30fa\\u30fc-\\u30fe\\u3400-\\u4dbf\\u4e00-\\u9fff"
_RUN = re.compile(rf"[{_HAN}]+|[^\W_{_HAN}]+")
_HAN_CHARACTER = re.compile(f"[{_HAN}]")
_LONGEST_TEXT = 20_000
_LONGEST_WORD = 64
_MOST_WANTED = 12
_DOUBLED = re.compile(r"([bdfgmnprt])\1$")


def index_terms(text: str) -> list[str]:
    """Return the terms of a message, each once: words by their stem, Chinese characters alone and in pairs.

    Pairs find Chinese words without a dictionary, single characters find one-character words (茶).
    """
    found: dict[str, None] = {}
    for run in _runs(text):
        if _is_han(run):
            found.update(dict.fromkeys(run))
            found.update(dict.fromkeys(_pairs(run)))
        else:
            found[_stem(run)] = None
    return list(found)


def query_terms(query: str) -> list[str]:
    """Return the terms to search for, at most 12, without stop words unless there are no others."""
    found: dict[str, None] = {}
    for run in _runs(query):
        if _is_han(run):
            found.update(dict.fromkeys(_pairs(run) if len(run) > 1 else run))
        else:
            found[_stem(run)] = None
    telling = [term for term in found if term not in _stop_terms()]
    return (telling or list(found))[:_MOST_WANTED]


def _runs(text: str) -> Iterator[str]:
    """Yield runs of letters and figures, in one form: folded case, full width made half, accents left off."""
    folded = unicodedata.normalize("NFKC", text[:_LONGEST_TEXT]).casefold()
    if not folded.isascii():
        bare = (each for each in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(each))
        folded = unicodedata.normalize("NFKC", "".join(bare))
    return (match[0] for match in _RUN.finditer(folded))


def _is_han(run: str) -> bool:
    return not run[0].isascii() and _HAN_CHARACTER.match(run) is not None


def _pairs(run: str) -> list[str]:
    return [run[place : place + 2] for place in range(len(run) - 1)]


def _stem(word: str) -> str:
    """Return a word without its English ending: releases, released and releasing are all `releas`.

    Deliberately light (Harman's "S" stemmer with -ing and -ed): it must be the same in every database.
    Source: Harman, How effective is suffixing?, JASIS 42(1), 1991.
    """
    if len(word) < 4 or not word.isascii():
        return word[:_LONGEST_WORD]
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = _DOUBLED.sub(r"\1", word[: -len(ending)])
            break
    return word.removesuffix("e")[:_LONGEST_WORD]


@cache
def _stop_terms() -> frozenset[str]:
    table = tomllib.loads(files(__package__ or "").joinpath("stop_words.toml").read_text(encoding="utf-8"))
    return frozenset([_stem(word) for word in table["en"].split()] + table["zh"].split())


Found = TypeVar("Found")

NEWEST_OF_A_TERM = 50
"""The number of newest messages with one of the terms that are compared when none has all of them."""


def searchable_text(text: str, attachments: Sequence[Attachment] = ()) -> str:
    """Return the searchable text of a message: the descriptions of its attachments, and its text."""
    described = [each.description for each in attachments if each.description]
    return "\n".join([*described, text]) if described else text


def rank(candidates: Iterable[tuple[Found, frozenset[str]]], wanted: Sequence[str], limit: int) -> list[Found]:
    """Return at most `limit` of `candidates` (newest first, each with its terms) that have half of `wanted` or more.

    A term weighs more when fewer candidates have it; of equals the newest comes first.
    """
    kept = list(candidates)
    worth = {term: 1 / (1 + sum(term in terms for _, terms in kept)) for term in wanted}
    fewest = (len(wanted) + 1) // 2
    scored = [
        (sum(worth[term] for term in wanted if term in terms), found)
        for found, terms in kept
        if sum(term in terms for term in wanted) >= fewest
    ]
    scored.sort(key=lambda each: -each[0])  # stable: equals stay newest first
    return [found for _, found in scored[:limit]]
