"""Detect the language of a text: Chinese if it has Chinese characters, English if it has Latin words."""

import re

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
