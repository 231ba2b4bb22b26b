"""Signs in the words of a message of whether it asks for something, and for what; per language as data."""

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
    """The compiled signs of one language; any may be missing from its data."""

    asking: re.Pattern[str]
    telling: re.Pattern[str]
    changing: re.Pattern[str]
    close: re.Pattern[str]
    question: re.Pattern[str]
    talk: re.Pattern[str]


def only_tells(text: str, pack: LanguagePack) -> bool:
    """Whether `text` takes back what it asked, or tells something and shows no sign of asking."""
    plain = pack.fold(text.strip())
    if pack.taken_back.search(plain):
        return True
    signs = load_signs(pack.language)
    return signs.telling.search(plain) is not None and signs.asking.search(plain) is None


def asks_for_news(text: str, pack: LanguagePack) -> bool:
    """Whether `text` is a question about what changes in the world, and not about the chat and its people."""
    plain = pack.fold(tidy(text, pack))[:LONGEST]
    patterns, signs = load_questions(pack.language), load_signs(pack.language)
    is_question = patterns.form.search(plain) or signs.question.search(plain)
    if not is_question or patterns.chatty.search(plain):
        return False
    return signs.changing.search(plain) is not None and signs.close.search(plain) is None


def asks_what_was_said(text: str, pack: LanguagePack) -> bool:
    """Whether `text` asks what people have been talking about here."""
    return load_signs(pack.language).talk.search(pack.fold(tidy(text, pack))[:LONGEST]) is not None


@cache
def load_signs(language: str) -> Signs:
    """Read and compile `<language>.toml`; a language without one shows no signs."""
    file = files(__package__).joinpath(f"{language}.toml")
    table = tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return Signs(**{name: _any(table.get(name, ())) for name in Signs.__struct_fields__})


def _any(patterns: Iterable[str]) -> re.Pattern[str]:
    """A pattern that matches what any of them matches; of none, nothing."""
    return re.compile("|".join(patterns) or r"(?!)", re.IGNORECASE)
