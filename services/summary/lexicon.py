"""Load word lists and patterns of every language from `lexicons/*.toml`, and split text into content terms."""

import functools
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from importlib import resources

from msgspec import Struct


class _LanguageFile(Struct, frozen=True, kw_only=True):
    """One `lexicons/*.toml`; the field names are its keys."""

    stop_words: str
    stop_characters: str
    numbers: dict[str, str]
    fragments: dict[str, str]
    patterns: dict[str, list[str]]


class Lexicon(Struct, frozen=True, kw_only=True):
    """The rules of all languages together, because chats mix languages.

    `numbers` maps number words to digits. `command` and `chatter` match whole messages, other patterns any part.
    `inquiry` matches questions without a question mark, `note` what the bot is asked to remember.
    """

    stop_words: frozenset[str]
    stop_characters: frozenset[str]
    numbers: Mapping[str, str]
    decision: re.Pattern[str]
    decision_denied: re.Pattern[str]
    question: re.Pattern[str]
    inquiry: re.Pattern[str]
    quantity_question: re.Pattern[str]
    quantity_answer: re.Pattern[str]
    answer: re.Pattern[str]
    date: re.Pattern[str]
    command: re.Pattern[str]
    note: re.Pattern[str]
    chatter: re.Pattern[str]
    instruction: re.Pattern[str]


_FRAGMENT = re.compile(r"%(\w+)%")


def _expand(pattern: str, fragments: Mapping[str, str]) -> str:
    while _FRAGMENT.search(pattern):
        pattern = _FRAGMENT.sub(lambda match: f"(?:{fragments[match[1]]})", pattern)
    return pattern


def _pattern(files: Iterable[_LanguageFile], name: str) -> re.Pattern[str]:
    """Join the patterns of one kind of all languages; within a language, longer alternatives are first."""
    parts = [_expand(text, language.fragments) for language in files for text in language.patterns.get(name, [])]
    return re.compile("|".join(f"(?:{part})" for part in parts), re.IGNORECASE | re.DOTALL)


def _read_files() -> list[_LanguageFile]:
    folder = resources.files("services.summary") / "lexicons"
    entries = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".toml")), key=lambda e: e.name)
    return [_LanguageFile(**tomllib.loads(entry.read_text(encoding="utf-8"))) for entry in entries]


@functools.cache
def lexicon() -> Lexicon:
    """Return the rules of all languages, read and compiled once per process."""
    files = _read_files()
    names = {name for language in files for name in language.patterns}
    return Lexicon(
        stop_words=frozenset(word for language in files for word in language.stop_words.split()),
        stop_characters=frozenset(character for language in files for character in language.stop_characters),
        numbers={word: digits for language in files for word, digits in language.numbers.items()},
        **{name: _pattern(files, name) for name in names},
    )


_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_RUN = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
_CJK_RUN = re.compile(rf"[{_CJK}]")
LINK = re.compile(r"(?:https?://|\bwww\.)[^\s<>\"'，。；！？、）】》「」]+", re.IGNORECASE)
"""A link, possibly with punctuation after it; phones write the first letter as a capital."""
_LINK_TAIL = ".,;:!?)]}"
_LINK_WORD = re.compile(r"(?:https?://|\bwww\.)\S+")
_CJK_WIDTH = 3
"""One Chinese character counts as three Latin letters."""


def terms(text: str) -> list[str]:
    """Return the content terms of `text` in order, with repetitions.

    Chinese is split into overlapping pairs of characters, without pairs of two function characters. Words lose a plural
    s; stop words, single letters and links are dropped.
    """
    found: list[str] = []
    for run in _RUN.findall(_LINK_WORD.sub(" ", unicodedata.normalize("NFKC", text).casefold())):
        if is_cjk(run[0]):
            found.extend(_pairs(run))
        elif len(run) > 1 and run not in lexicon().stop_words:
            found.append(_singular(run))
    return found


def find_links(text: str) -> list[str]:
    """Return the links in `text` in order, without the punctuation after them."""
    return [_trim_link(found) for found in LINK.findall(text)]


def _trim_link(link: str) -> str:
    """Return `link` without the punctuation at its end, except a parenthesis that closes one of the link."""
    bare = link.rstrip(_LINK_TAIL)
    is_open = bare.count("(") > bare.count(")") and link.startswith(")", len(bare))
    return f"{bare})" if is_open else bare


def is_cjk(character: str) -> bool:
    """Return whether `character` belongs to a script without spaces."""
    return _CJK_RUN.match(character) is not None


def reading_length(text: str) -> int:
    """Return the reading length of `text` in Latin letters, comparable between languages."""
    cjk = len(_CJK_RUN.findall(text))
    return len(text) + (_CJK_WIDTH - 1) * cjk


def _pairs(run: str) -> list[str]:
    stop = lexicon().stop_characters
    return [run[i : i + 2] for i in range(len(run) - 1) if run[i] not in stop or run[i + 1] not in stop]


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
