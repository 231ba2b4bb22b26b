"""Split messages and queries into terms of a full-text index, in English, Chinese and Spanish."""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import TypeVar

from services.kernel.chat import Attachment

VERSION = 2
"""The version of the terms; an index of another version is rebuilt."""

_HAN = "\\u3041-\\u3096\\u30a1-\\u30fa\\u30fc-\\u30fe\\u3400-\\u4dbf\\u4e00-\\u9fff"
_RUN = re.compile(rf"[{_HAN}]+|[^\W_{_HAN}]+")
_HAN_CHARACTER = re.compile(f"[{_HAN}]")
_MAX_TEXT_LENGTH = 20_000
_MAX_WORD_LENGTH = 64
_MAX_CACHED_LENGTH = 80  # a stem is less than 16 characters shorter than its word, so the rest does not matter
_MAX_WANTED_TERMS = 12
_DOUBLED = re.compile(r"([bdfgmnprt])\1$")


def index_terms(text: str) -> list[str]:
    """Return the distinct terms of a message: stems of words, Chinese characters and pairs of them.

    Pairs find Chinese words without a dictionary, single characters find one-character words (茶).
    """
    found: dict[str, None] = {}
    for run in _runs(text):
        if _is_han(run):
            found.update(dict.fromkeys(run))
            found.update(dict.fromkeys(_pairs(run)))
        else:
            found[_stem(run[:_MAX_CACHED_LENGTH])] = None
    return list(found)


def query_terms(query: str) -> list[str]:
    """Return the terms of a query, at most 12, without stop words unless there are only stop words."""
    found: dict[str, None] = {}
    for run in _runs(query):
        if _is_han(run):
            for part in _question_words().sub(" ", run).split() or [run]:
                found.update(dict.fromkeys(_pairs(part) if len(part) > 1 else part))
        else:
            found[_stem(run[:_MAX_CACHED_LENGTH])] = None
    specific = [term for term in found if term not in _stop_terms()]
    return (specific or list(found))[:_MAX_WANTED_TERMS]


def _runs(text: str) -> list[str]:
    """Return normalised runs of letters and digits: folded case, half width, without accents."""
    folded = unicodedata.normalize("NFKC", text[:_MAX_TEXT_LENGTH]).casefold()
    if not folded.isascii():
        bare = (
            character for character in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(character)
        )
        folded = unicodedata.normalize("NFKC", "".join(bare))
    return _RUN.findall(folded)


def _is_han(run: str) -> bool:
    return not run[0].isascii() and _HAN_CHARACTER.match(run) is not None


def _pairs(run: str) -> list[str]:
    return [run[place : place + 2] for place in range(len(run) - 1)]


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    """Return the stem of an English word: releases, released and releasing are all `releas`.

    A simple algorithm (Harman's "S" stemmer with -ing and -ed), because it must be the same in every database.
    Source: Harman, How effective is suffixing?, JASIS 42(1), 1991.
    """
    if len(word) < 4 or not word.isascii():
        return word[:_MAX_WORD_LENGTH]
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = _DOUBLED.sub(r"\1", word[: -len(ending)])
            break
    return word.removesuffix("e")[:_MAX_WORD_LENGTH]


@cache
def _question_words() -> re.Pattern[str]:
    return re.compile("|".join(_stop_words()["zh_question"].split()))


@cache
def _stop_words() -> dict[str, str]:
    return tomllib.loads(files(__package__ or "").joinpath("stop_words.toml").read_text(encoding="utf-8"))


@cache
def _stop_terms() -> frozenset[str]:
    table = _stop_words()
    return frozenset([_stem(word) for word in (table["en"] + table["es"]).split()] + table["zh"].split())


Found = TypeVar("Found")

NEWEST_OF_A_TERM = 50
"""The number of latest messages per term that are compared if no message has all terms."""


def searchable_text(text: str, attachments: Sequence[Attachment] = ()) -> str:
    """Return the searchable text of a message: the descriptions of its attachments and its text."""
    described = [attachment.description for attachment in attachments if attachment.description]
    return "\n".join([*described, text]) if described else text


def rank(candidates: Iterable[tuple[Found, frozenset[str]]], wanted: Sequence[str], limit: int) -> list[Found]:
    """Return at most `limit` of `candidates` (newest first, with their terms) that have half of `wanted` or more.

    A term weighs more if fewer candidates have it; of equal candidates the newest is first.
    """
    kept = list(candidates)
    worth = {term: 1 / (1 + sum(term in terms for _, terms in kept)) for term in wanted}
    fewest = (len(wanted) + 1) // 2
    scored = [
        (sum(worth[term] for term in wanted if term in terms), found)
        for found, terms in kept
        if sum(term in terms for term in wanted) >= fewest
    ]
    scored.sort(key=lambda entry: -entry[0])  # stable: equals stay newest first
    return [found for _, found in scored[:limit]]
