"""Find the language of the terminal, and remove control characters from texts for it."""

import os
import re
from collections.abc import Mapping
from typing import Final

_LANGUAGES: Final = frozenset({"zh", "es"})
_VARIABLES: Final = ("LC_ALL", "LC_MESSAGES", "LANG")


def terminal_language(environment: Mapping[str, str]) -> str | None:
    """Return the language of the terminal; None for English and languages without messages.

    The first of the variables that is set decides, as for other programs.
    """
    chosen = next((environment[name] for name in _VARIABLES if environment.get(name)), "")
    language = chosen.lower().partition("_")[0]
    return language if language in _LANGUAGES else None


def display_language(default: str) -> str:
    """Return the language of the terminal, else `default`."""
    return terminal_language(os.environ) or default


# Control characters, with which escape sequences begin, except tab and line feed, and those for the text direction.
_CONTROL_CHARACTERS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """Remove control characters from `text`."""
    return _CONTROL_CHARACTERS.sub("", text)
