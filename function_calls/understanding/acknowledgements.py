"""Detect acknowledgements: thanks, laughter, "ok" and emoji, which need no answer even where the bot is addressed."""

import re
import tomllib
from functools import cache
from importlib.resources import files

_MAX_LETTERS = 60
"""The longest acknowledgement; longer messages are requests or talk."""


def is_acknowledgement(text: str) -> bool:
    """Return whether `text`, without the bot's name, has only thanks, "ok", laughter or signs ("👍")."""
    phrase = " ".join(text.casefold().replace("’", "'").split())
    if not 0 < len(phrase) <= _MAX_LETTERS:
        return False
    place = 0
    while place < len(phrase):
        # One after the other and never back: as one expression it would try every way to part the words.
        match = _load_pattern().match(phrase, place)
        if match is None:
            return False
        place = match.end()
    return True


@cache
def _load_pattern() -> re.Pattern[str]:
    """Return the expression for one word or sign of thanks in any language."""
    table = tomllib.loads((files("function_calls.understanding") / "acknowledgements.toml").read_text(encoding="utf-8"))
    spaced, unspaced = "|".join((*table["en"], *table["es"])), "|".join(table["zh"])
    # Signs and pictures but no question mark: "?" by itself asks what is going on.
    return re.compile(rf"\b(?:{spaced})\b|{unspaced}|[^\w?？]+")
