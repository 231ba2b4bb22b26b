"""Detect the language of a text, suggest similar names and unescape untrusted HTML."""

import html
import re
from collections.abc import Iterable
from typing import Final

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")


def language_of(text: str, default: str) -> str:
    """Return the language of `text` as `zh` or `en`; `default` where it shows none ("ok", "12:30", an emoji).

    Two Chinese characters outweigh any number of Latin words: names and product names stay Latin in Chinese text.
    """
    han = len(_HAN.findall(text))
    words = len(_LATIN_WORD.findall(text))
    if han >= 2 or (han and not words):
        return "zh"
    return "en" if words else default


def closest_name(name: str, known: Iterable[str], *, count: int = 1, at_least: float = 0.5) -> list[str]:
    """Return up to `count` of `known` that resemble `name`, the likeliest first.

    `at_least` is how alike they must be, from 0 to 1: `difflib.SequenceMatcher.ratio`.
    """
    from difflib import get_close_matches  # a slip is rare, and difflib is no small module

    return get_close_matches(name, list(known), n=count, cutoff=at_least)


# `html.unescape` raises ValueError on numbers of more digits than `int` reads; no character needs twelve.
_IMPOSSIBLE_REFERENCE: Final = re.compile(r"&#[0-9]{12,};?")


def unescape_html(text: str) -> str:
    """Replace character references in `text`; impossible numbers become U+FFFD, as in browsers."""
    return html.unescape(_IMPOSSIBLE_REFERENCE.sub("\N{REPLACEMENT CHARACTER}", text))
