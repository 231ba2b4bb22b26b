"""Words that are left in the content of a reminder though they speak of its time, its days or its people."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from function_calls.language.recognized_phrases import folded

LANGUAGES = ("en", "zh")
_OPEN = "…"
_QUOTED = re.compile(r"[\"“「『‘`].+[\"”」』’`]")
_LATIN = re.compile(r"[a-z]")
_HAN = re.compile(r"[\u3400-\u9fff]")


def leftover(content: str) -> str:
    """Return the first words of `content` that the lists name, as written; empty where nothing is left over.

    A content that quotes something is taken as it is.
    """
    if _QUOTED.search(content):
        return ""
    plain = folded(content).strip()
    if len(plain) != len(content.strip()):  # a spelling changed the length: the folded words are shown
        content = plain
    language = "zh" if _HAN.search(plain) else "en"
    found = _markers(language, "leftover").search(plain) or (_foreign(plain) if language == "zh" else None)
    return content.strip()[found.start() : found.end()].strip(" ,，:：") if found else ""


def deadline(text: str) -> str:
    """Return the first words of `text` that say before which clock time something is to be done; empty without any."""
    plain = folded(text)
    found = _markers("zh" if _HAN.search(plain) else "en", "deadline").search(plain)
    return plain[found.start() : found.end()].strip() if found else ""


def _foreign(plain: str) -> re.Match[str] | None:
    """Find words of time in another language than that of the rest of `plain`, which has Chinese words in it."""
    found = _markers("en", "foreign").search(plain)
    if found:
        return found
    chinese = _markers("zh", "foreign").search(plain)
    if chinese is None:
        return None
    rest = plain[: chinese.start()] + plain[chinese.end() :]
    return chinese if _LATIN.search(rest) and not _HAN.search(rest) else None


@cache
def _markers(language: str, section: str) -> re.Pattern[str]:
    """Compile the phrases of a section of the list of `language`."""
    table = tomllib.loads(files(__name__).joinpath(f"{language}.toml").read_text(encoding="utf-8"))
    named = {name: _any_of(words) for name, words in table["words"].items()}
    phrases = [phrase for each in table[section].values() for phrase in each]
    return re.compile("|".join(_pattern(phrase, named, language) for phrase in phrases))


def _pattern(phrase: str, named: Mapping[str, str], language: str) -> str:
    """Turn a phrase of the lists into a pattern: "…" is open text, without it the content begins or ends there."""
    is_spaced = language == "en"
    inside = "(?<!\\w)" if is_spaced else ""
    front = inside if phrase.startswith(_OPEN) else "^"
    behind = "(?!\\w)" if is_spaced else ""
    end = behind if phrase.endswith(_OPEN) else "$"
    bare = phrase.strip(_OPEN).strip()
    words = "".join(_word(word, named) for word in re.split(r"(\{\w+\})", bare))
    return f"{front}{words}{end}"


def _any_of(words: Sequence[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})"


def _word(word: str, named: Mapping[str, str]) -> str:
    return named[word[1:-1]] if word.startswith("{") else re.escape(word)
