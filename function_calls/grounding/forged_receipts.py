"""Find and remove forged receipts in a model's text: marks and ids that only real changes have."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

# Ids begin with a letter; those without a digit are kept, since a word in brackets is mostly a word, and so are
# subscripts of code (`items[index0]`) and links of Markdown.
_BRACKETED_ID: Final = re.compile(
    r"(?<![a-z0-9_\])])[\[【〔「][\W_]{0,4}([a-z](?=[a-z]*\d)[a-z0-9]{5,8})[\W_]{0,4}[\]】〕」](?!\() ?", re.IGNORECASE
)
_LATEST_START: Final = 25  # characters of a line before the id of a receipt
_MARKS: Final = re.compile("[✅☑✔🗑✏💤⏭⏸▶↩⏰] ?")
_VARIATION_SELECTORS: Final = ("\ufe0e", "\ufe0f")
_EMPHASIS: Final = re.compile(r"[*_~`#>|\\]+")


def is_forged(text: str, shown: Iterable[str] = ()) -> bool:
    """Return whether `text` has the form of a receipt with an id that is in none of the texts `shown` in this turn."""
    visible = visible_text(text)
    has_mark = _MARKS.search(visible) is not None
    starts = (match.start() for match in _unknown_ids(visible, shown))
    return any(has_mark or start - visible.rfind("\n", 0, start) <= _LATEST_START for start in starts)


def strip_receipt_marks(text: str, shown: Iterable[str] = ()) -> str:
    """Return `text` without the emoji of receipts and without bracketed ids that none of the texts `shown` has.

    Unchanged where there is nothing to remove; else in NFKC and without invisible characters, which hide such marks.
    """
    visible = visible_text(text)
    stripped = visible
    for match in reversed(list(_unknown_ids(visible, shown))):
        stripped = stripped[: match.start()] + stripped[match.end() :]
    stripped = _MARKS.sub("", stripped)
    return text if stripped == visible else stripped.strip()


def visible_text(text: str) -> str:
    """Return `text` in NFKC without format characters and variation selectors."""
    if text.isascii():
        return text
    kept = (each for each in text if unicodedata.category(each) != "Cf" and each not in _VARIATION_SELECTORS)
    return unicodedata.normalize("NFKC", "".join(kept))


def bare_text(text: str) -> str:
    """Return `visible_text` without the signs of Markdown, for patterns of words."""
    return _EMPHASIS.sub("", visible_text(text))


def _unknown_ids(visible: str, shown: Iterable[str]) -> Iterator[re.Match[str]]:
    found = list(_BRACKETED_ID.finditer(visible))
    known = " ".join(shown).lower() if found else ""
    return (match for match in found if match[1].lower() not in known)
