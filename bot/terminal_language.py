"""The language of the terminal that a command is given in."""

import os
from collections.abc import Mapping
from typing import Final

_VARIABLES: Final = ("LC_ALL", "LC_MESSAGES", "LANG")


def speaks_chinese(environment: Mapping[str, str]) -> bool:
    """True where the terminal is a Chinese one.

    The first of the variables that is set decides, as for other programs.
    """
    chosen = next((environment[name] for name in _VARIABLES if environment.get(name)), "")
    return chosen.lower().startswith("zh")


def language_here(bots: str) -> str:
    """The language for whoever sits at the terminal: Chinese at a Chinese one, else that of the bot (`bots`)."""
    return "zh" if speaks_chinese(os.environ) else bots
