"""Detect the language of a text by its script and its common words."""

import re
import tomllib
from collections.abc import Collection, Mapping
from functools import cache
from importlib.resources import files

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
    return detect_latin_language(text, "en") if words else default


def detect_latin_language(text: str, usual: str) -> str:
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
