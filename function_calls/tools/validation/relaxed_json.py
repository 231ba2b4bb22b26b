"""Parse JSON as models write it: strictly first, then with unambiguous mistakes.

Other quotation marks, a trailing comma, Python's None and True and a fence are accepted and reported. Text that is cut
off, too large, too deep or has invalid numbers is refused with the position; content is never guessed.
"""

import json
import re
from typing import Final

from msgspec import Struct

from function_calls.tools.validation.argument_errors import lone_surrogates
from function_calls.tools.validation.relaxed_reader import (
    DEEPEST,
    INVISIBLE,
    SPACE,
    RelaxedReader,
    Unreadable,
    finite,
    refuse_constant,
)

__all__ = ["DEEPEST", "MAX_BYTES", "Read", "Unreadable", "read_json", "read_object"]

MAX_BYTES: Final = 1_000_000
_DECODER: Final = json.JSONDecoder(parse_constant=refuse_constant, parse_float=finite)
_FENCE: Final = re.compile(r"(?:```|~~~)[ \t]*+[\w+-]*+(?P<body>.*?)(?:```|~~~)", re.DOTALL)
# A text, even one that is cut off, or a bracket; possessive, since a search from each quotation mark is quadratic.
_STRUCTURE: Final = re.compile(r'"(?:[^"\\]|\\.?)*+"?|[\[\]{}]', re.DOTALL)


class Read(Struct, frozen=True, kw_only=True):
    """A parsed value, and the tolerated deviations from JSON."""

    value: object
    steps: tuple[str, ...] = ()


def read_json(text: str) -> Read:
    """Parse `text`, tolerating unambiguous mistakes.

    Raises:
        Unreadable: the text is too large, too deep, cut off, or not JSON.
    """
    _check_text(text)
    _check_depth(text)
    try:
        value = _DECODER.decode(text)
    except ValueError:
        read = _read_relaxed(text)
    else:
        read = Read(value=value)
    if ("\\u" in text or "\\U" in text) and lone_surrogates(read.value):
        raise Unreadable("an escape stands for half a character (a lone surrogate)")
    return read


def read_object(text: str) -> dict[str, object] | None:
    """Parse `text` like `read_json`; None where it is no JSON or no object."""
    try:
        value = read_json(text).value
    except Unreadable:
        return None
    return value if isinstance(value, dict) else None


def _check_text(text: str) -> None:
    if len(text) > MAX_BYTES:
        raise Unreadable(f"the text is longer than {MAX_BYTES:,} bytes")
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise Unreadable(f"it has half a character (a lone surrogate) at character {error.start + 1}") from error
    if size > MAX_BYTES:
        raise Unreadable(f"the text is longer than {MAX_BYTES:,} bytes")


def _check_depth(text: str) -> None:
    """Refuse JSON that is nested too deeply; with few brackets, those inside of texts are counted too."""
    if text.count("[") + text.count("{") + text.count("｛") + text.count("［") <= DEEPEST:
        return
    depth = 0
    for mark in _STRUCTURE.findall(text):
        depth += 1 if mark in "[{" else -1 if mark in "]}" else 0
        if depth > DEEPEST:
            raise Unreadable(f"it is nested more than {DEEPEST} levels deep")


def _read_relaxed(text: str) -> Read:
    stripped = text.strip(SPACE)
    if not stripped:
        return Read(value={}, steps=("read empty text as no arguments",))
    fence = _FENCE.search(stripped) if stripped[:1] not in {"{", "["} else None
    reader = RelaxedReader(text=fence["body"].strip(SPACE) if fence else stripped)
    if fence:
        reader.note("took the JSON out of its Markdown fence")
    elif text[0] in INVISIBLE or text[-1] in INVISIBLE:
        reader.note("skipped invisible characters")
    value = reader.read()
    return Read(value=value, steps=tuple(dict.fromkeys(reader.steps)))
