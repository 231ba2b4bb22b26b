"""Find the language of the terminal from the locale variables."""

import os
import re
from collections.abc import Mapping
from typing import Final

_VARIABLES: Final = ("LC_ALL", "LC_MESSAGES", "LANG")


def speaks_chinese(environment: Mapping[str, str]) -> bool:
    """Return whether the locale of the terminal is Chinese; the first variable that is set decides."""
    chosen = next((environment[name] for name in _VARIABLES if environment.get(name)), "")
    return chosen.lower().startswith("zh")


def language_here(bots: str) -> str:
    """Return the language of the terminal: Chinese at a Chinese one, else that of the bot (`bots`)."""
    return "zh" if speaks_chinese(os.environ) else bots


# The control characters but tab and line feed, escape sequences being made of them, and those that turn text round.
_STEERING: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """Remove control characters from `text`."""
    return _STEERING.sub("", text)
