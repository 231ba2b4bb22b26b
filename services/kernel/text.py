"""Fold, shorten and clean texts, and suggest similar names."""

import codecs
import html
import re
import unicodedata
from collections.abc import Iterable
from typing import Final

_ACCENTS: Final = re.compile("[\u0300-\u036f]")  # other combining marks, as in Japanese, make another letter


def fold_accents(text: str) -> str:
    """Return `text` in small letters without accents, as people often leave them out: "capitulo" for "Capítulo"."""
    folded = text.casefold()
    if folded.isascii():
        return folded
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", folded)))


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


_NO_CHARSETS: Final = frozenset({"punycode", "idna", "undefined", "unicode-escape", "raw-unicode-escape", "utf-7"})
"""Encodings that no browser knows: decoding takes quadratic time, fails, or gives lone surrogates."""


def decode_text(content: bytes, encoding: str) -> str:
    """Decode `content`, by UTF-8 if `encoding` is unknown; invalid bytes become U+FFFD."""
    try:
        name = codecs.lookup(encoding).name
        return content.decode("utf-8" if name in _NO_CHARSETS else name, errors="replace")
    except LookupError:
        return content.decode("utf-8", errors="replace")


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
