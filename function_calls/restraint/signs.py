"""Signs in the words of a message that somebody asks for something, or only tells; per language as data."""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from function_calls.offline.pack import LanguagePack


@dataclass(frozen=True, kw_only=True, slots=True)
class Signs:
    """The compiled signs of one language; either may be missing from its data."""

    asking: re.Pattern[str]
    telling: re.Pattern[str]


def only_tells(text: str, pack: LanguagePack) -> bool:
    """Whether `text` takes back what it asked, or tells something and shows no sign of asking."""
    plain = pack.fold(text.strip())
    if pack.taken_back.search(plain):
        return True
    signs = load_signs(pack.language)
    return signs.telling.search(plain) is not None and signs.asking.search(plain) is None


@cache
def load_signs(language: str) -> Signs:
    """Read and compile `<language>.toml`; a language without one shows no signs."""
    file = files(__package__).joinpath(f"{language}.toml")
    table = tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return Signs(asking=_any(table.get("asking", ())), telling=_any(table.get("telling", ())))


def _any(patterns: Iterable[str]) -> re.Pattern[str]:
    """A pattern that matches what any of them matches; of none, nothing."""
    return re.compile("|".join(patterns) or r"(?!)", re.IGNORECASE)
