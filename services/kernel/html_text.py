"""Unescape untrusted HTML text."""

import html
import re
from typing import Final

# `html.unescape` raises ValueError on numbers of more digits than `int` reads; no character needs twelve.
_IMPOSSIBLE_REFERENCE: Final = re.compile(r"&#[0-9]{12,};?")


def unescape_html(text: str) -> str:
    """Replace character references in `text`; impossible numbers become U+FFFD, as in browsers."""
    return html.unescape(_IMPOSSIBLE_REFERENCE.sub("\N{REPLACEMENT CHARACTER}", text))
