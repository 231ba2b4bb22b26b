"""Detect the language of a text, fold and shorten it, suggest similar names, and clean text of other programs."""

import html
import re
import tomllib
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Final

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
_WORD = re.compile(r"(?<![\w-])[^\W\d_]+(?:['’][^\W\d_]+)?(?![\w-])")  # excludes parts of a code such as link-4y3h


def language_of(text: str, default: str) -> str:
    """Return the language of `text`, such as `zh` or `en`; `default` if it is undecidable ("ok", "12:30", an emoji).

    Two Chinese characters outweigh any number of Latin words, because Chinese text has Latin names.
    """
    han = len(_HAN.findall(text))
    words = len(_LATIN_WORD.findall(text))
    if han >= 2 or (han and not words):
        return "zh"
    return latin_language(text, "en") if words else default


def latin_language(text: str, usual: str) -> str:
    """Return the language in Latin script with the most common words in `text`; `usual` if that is ambiguous."""
    words = _WORD.findall(text.casefold())
    seen = {language: len(common.intersection(words)) for language, common in _common_words().items()}
    *_, second, best = sorted(seen, key=seen.__getitem__)
    return best if seen[best] > seen[second] else usual


def latin_languages() -> Collection[str]:
    """Return the languages in Latin script that are told apart by their words."""
    return _common_words().keys()


@cache
def _common_words() -> Mapping[str, frozenset[str]]:
    table = tomllib.loads(files(__package__).joinpath("common_words.toml").read_text(encoding="utf-8"))
    return {language: frozenset(words.split()) for language, words in table.items()}


def fold_accents(text: str) -> str:
    """Return `text` in small letters without accents, as people often leave them out: "capitulo" for "Capítulo"."""
    folded = text.casefold()
    if folded.isascii():
        return folded
    return "".join(each for each in unicodedata.normalize("NFD", folded) if not unicodedata.combining(each))


def shorten(text: str, longest: int) -> str:
    """Return the first `longest` characters of `text`, with an ellipsis behind them if it has more."""
    return text if len(text) <= longest else f"{text[:longest]}…"


def closest_names(name: str, known: Iterable[str], *, count: int = 1, at_least: float = 0.5) -> list[str]:
    """Return up to `count` names of `known` with a difflib ratio to `name` of `at_least`, the closest first."""
    from difflib import get_close_matches  # rarely needed and slow to import

    return get_close_matches(name, list(known), n=count, cutoff=at_least)


# `html.unescape` raises ValueError on numbers of more digits than `int` reads; no character needs twelve.
_IMPOSSIBLE_REFERENCE: Final = re.compile(r"&#[0-9]{12,};?")


def unescape_html(text: str) -> str:
    """Replace character references in `text`; impossible numbers become U+FFFD, as in browsers."""
    return html.unescape(_IMPOSSIBLE_REFERENCE.sub("\N{REPLACEMENT CHARACTER}", text))


_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")


def replace_unstorable(text: str) -> str:
    """Replace lone surrogates and NUL in `text` with U+FFFD; JSON can contain them, and databases refuse them."""
    return _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def replace_unstorable_in(value: object) -> object:
    """Return a JSON value with `replace_unstorable` applied to all of its texts."""
    if isinstance(value, str):
        return replace_unstorable(value)
    if isinstance(value, dict):
        return {replace_unstorable_in(key): replace_unstorable_in(member) for key, member in value.items()}
    return [replace_unstorable_in(item) for item in value] if isinstance(value, list) else value
