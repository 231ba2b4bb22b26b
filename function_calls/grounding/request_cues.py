"""Detect by cue words, per language as data, whether a message asks for something."""

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from msgspec import Struct

from function_calls.understanding.clauses import LONGEST, tidy
from function_calls.understanding.pack import LanguagePack
from function_calls.understanding.questions import load_questions


class Signs(Struct, frozen=True, kw_only=True):
    """The compiled cues of one language; any may be missing from its data."""

    asking: re.Pattern[str]
    telling: re.Pattern[str]
    news: re.Pattern[str]
    close: re.Pattern[str]
    question: re.Pattern[str]
    talk: re.Pattern[str]


def only_tells(text: str, pack: LanguagePack) -> bool:
    """Return whether `text` takes back its request, or reports something and has no cue of asking."""
    plain = pack.fold(text.strip())
    if pack.taken_back.search(plain):
        return True
    signs = load_signs(pack.language)
    return signs.telling.search(plain) is not None and signs.asking.search(plain) is None


def asks_for_news(text: str, pack: LanguagePack) -> bool:
    """Return whether `text` is a question about what changes in the world, and not about the chat and its people."""
    plain = pack.fold(tidy(text, pack))[:LONGEST]
    patterns, signs = load_questions(pack.language), load_signs(pack.language)
    is_question = patterns.form.search(plain) or signs.question.search(plain)
    if not is_question or patterns.chatty.search(plain):
        return False
    return signs.news.search(plain) is not None and signs.close.search(plain) is None


def asks_about_talk(text: str, pack: LanguagePack) -> bool:
    """Return whether `text` asks what people have been talking about here."""
    return load_signs(pack.language).talk.search(pack.fold(tidy(text, pack))[:LONGEST]) is not None


@cache
def load_signs(language: str) -> Signs:
    """Read and compile `cues/<language>.toml`; a language without one has no cues."""
    file = files(__package__).joinpath("cues", f"{language}.toml")
    table = tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return Signs(**{name: _any(table.get(name, ())) for name in Signs.__struct_fields__})


def _any(patterns: Iterable[str]) -> re.Pattern[str]:
    """Join patterns; without any, match nothing."""
    return re.compile("|".join(patterns) or r"(?!)", re.IGNORECASE)
