"""Detect by cue words, per language as data, whether a message reports something and asks for nothing."""

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from msgspec import Struct

from function_calls.language.recognized_phrases import folded


class Cues(Struct, frozen=True, kw_only=True):
    """The compiled cues of one language; any may be missing from its data."""

    asking: re.Pattern[str]
    telling: re.Pattern[str]
    taken_back: re.Pattern[str]
    close: re.Pattern[str]
    talk: re.Pattern[str]


def only_tells(text: str, language: str) -> bool:
    """Return whether `text` takes back its request, or reports something and has no cue of asking."""
    plain, cues = folded(text).strip(), load_cues(language)
    if cues.taken_back.search(plain):
        return True
    return cues.telling.search(plain) is not None and cues.asking.search(plain) is None


def asks_about_talk(text: str, language: str) -> bool:
    """Return whether `text` asks what people have been talking about here."""
    return load_cues(language).talk.search(folded(text)) is not None


def asks_each_other(text: str, language: str) -> bool:
    """Return whether a question in `text` is about the chat and its people, and not about the world."""
    return load_cues(language).close.search(folded(text)) is not None


@cache
def load_cues(language: str) -> Cues:
    """Read and compile `cues/<language>.toml`; a language without one has no cues."""
    file = files(__package__).joinpath("cues", f"{language}.toml")
    table = tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return Cues(**{name: _any(table.get(name, ())) for name in Cues.__struct_fields__})


def _any(patterns: Iterable[str]) -> re.Pattern[str]:
    """Join patterns; without any, match nothing."""
    return re.compile("|".join(patterns) or r"(?!)", re.IGNORECASE)
