"""Put right a word of what was just set: "tim, not jim", 不是小李，是小王."""

import re
from collections.abc import Callable

from function_calls.understanding.clauses import LONGEST, trimmed
from function_calls.understanding.pack import LanguagePack


def put_right(text: str, content: str, pack: LanguagePack, is_time: Callable[[str], bool]) -> str:
    """`content` with the word that `text` takes back replaced; nothing where it takes back none of its words.

    "Change yoga to Mondays at 6" names no other word: of what `is_time` the content does not become.
    """
    if len(text) > LONGEST:
        return ""
    plain = trimmed(text)
    for pattern in pack.replacing:
        found = pattern.fullmatch(pack.fold(plain))
        if found is None:
            continue
        wrong, right = (trimmed(plain[slice(*found.span(name))]) for name in ("wrong", "right"))
        if is_time(right):
            continue
        edge = r"\b" if pack.data.is_spaced else ""
        said = re.search(f"{edge}{re.escape(pack.fold(wrong))}{edge}", pack.fold(content)) if wrong and right else None
        if said is not None:
            return content[: said.start()] + right + content[said.end() :]
    return ""
