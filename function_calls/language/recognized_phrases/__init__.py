"""Load the phrases recognised without an interpreter from one TOML file per language."""

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from msgspec import Struct

LANGUAGES = ("en", "zh", "es")
ACTIONS = ("delete", "forget")
"""Those that a yes alone does not confirm where a tool says so; the keys of `Phrases.confirms`."""
_EDGES = " \t\n.,;:!?¿¡~…。，；：！？、～·'\"“”‘’「」()（）@"
_SHADES = re.compile("[\ufe0f\U0001f3fb-\U0001f3ff]")  # variants of an emoji


class Phrases(Struct, frozen=True, kw_only=True):
    """The phrases of one language.

    Attributes:
        yes: whole messages, like `no` and `picks`.
        picks: the answers to numbered options by `1`, `2` …, `once` and `always`.
        confirms: the words for actions that a yes alone does not confirm; those with a `+` count only after a yes.
        folding: traditional characters, mapped to simplified ones.
        clocks: clock times without other words; `clocks_without_half` may be in either half of the day.
        until: the words before the end of a period.
        each: the template for weekdays that recur, with `{days}`.
        daily_until: the template for an end of days, with `{day}`.
        own: the words for the sender's own reminders, which do not count beside words for all of the chat, `common`.
    """

    yes: frozenset[str]
    no: frozenset[str]
    picks: dict[str, frozenset[str]]
    confirms: dict[str, frozenset[str]]
    switch_on: frozenset[str]
    switch_off: frozenset[str]
    folding: dict[int, int]
    clocks: re.Pattern[str]
    clocks_without_half: re.Pattern[str]
    until: re.Pattern[str]
    each: str
    daily_until: str
    own: re.Pattern[str]
    common: re.Pattern[str]


class Claims(Struct, frozen=True, kw_only=True):
    """The patterns with which a model's text claims a change in one language.

    Attributes:
        gate: matches every text with a claim; a quick check before the others.
        says: a sentence that matches it claims a change, unless it matches `excused` too.
        alone: a whole answer that claims a change, if it answers a request for one.
        promises: an answer that only sounds like a change; if the message plainly requests one, it is made.
    """

    gate: re.Pattern[str]
    says: re.Pattern[str]
    alone: re.Pattern[str]
    excused: re.Pattern[str]
    promises: re.Pattern[str]


class ChangeWords(Struct, frozen=True, kw_only=True):
    """The words of a change in all languages.

    Attributes:
        only: the change of one occurrence. "Just move it" does not tell how many.
        again: another delivery: "remind me again on Friday", but not "push it back again".
        relative: a time before or after an event, which is the named one: "ten minutes before the meeting at two".
        also: another time as well.
        once: another time that does not repeat.
    """

    only: re.Pattern[str]
    again: re.Pattern[str]
    relative: re.Pattern[str]
    also: re.Pattern[str]
    once: re.Pattern[str]


@cache
def phrases(language: str) -> Phrases:
    """Return the phrases of `language`, one of `LANGUAGES`."""
    table = _file(language)
    yes_no, tools = table["yes_no"], table["tools"]
    folding = table.get("folding", {"traditional": "", "simplified": ""})
    return Phrases(
        yes=frozenset(yes_no["yes"]),
        no=frozenset(yes_no["no"]),
        picks={name: frozenset(words) for name, words in yes_no["picks"].items()},
        confirms={name: frozenset(words) for name, words in yes_no["confirms"].items()},
        switch_on=frozenset(tools["on"]),
        switch_off=frozenset(tools["off"]),
        folding=str.maketrans(folding["traditional"], folding["simplified"]),
        clocks=any_of(table["clock"]["times"]),
        clocks_without_half=any_of(table["clock"]["without_half"]),
        until=any_of(table["clock"]["until"]),
        each=table["repetition"]["each"],
        daily_until=table["repetition"]["daily_until"],
        own=any_of(table["list"]["own"]),
        common=any_of(table["list"]["common"]),
    )


@cache
def every_claim() -> tuple[Claims, ...]:
    """Return the claim patterns of all languages."""
    tables = (_file(language)["claim"] for language in LANGUAGES)
    return tuple(Claims(**{name: any_of(table[name]) for name in Claims.__struct_fields__}) for table in tables)


@cache
def change_words() -> ChangeWords:
    """Return the words of a change in all languages: people mix them."""
    tables = [_file(language)["change"] for language in LANGUAGES]
    words = {name: [word for table in tables for word in table[name]] for name in ChangeWords.__struct_fields__}
    return ChangeWords(**{name: any_of(patterns, re.IGNORECASE) for name, patterns in words.items()})


def examples_of(tool: str) -> list[str]:
    """Return the sentences in all languages that mean the built-in function `tool`, with `{argument}` slots."""
    return [sentence for language in LANGUAGES for sentence in _file(language)["examples"].get(tool, ())]


@cache
def foreign_change_requests() -> tuple[str, ...]:
    """Return beginnings of words that ask for a change in languages the rules do not read, `folded`."""
    text = files(__name__).joinpath("change_requests.toml").read_text(encoding="utf-8")
    return tuple(folded(word) for word in tomllib.loads(text)["words"])


def every_language() -> Iterator[Phrases]:
    """Yield the phrases of all languages: people mix them."""
    return (phrases(language) for language in LANGUAGES)


def folded(text: str) -> str:
    """Normalise `text`: wide and traditional characters, case, apostrophes and variants of emoji."""
    if text.isascii():
        return text.casefold()
    plain = _SHADES.sub("", unicodedata.normalize("NFKC", text)).replace("’", "'").casefold()
    for each in every_language():
        plain = plain.translate(each.folding)
    return plain


def bare(text: str, name: str) -> str:
    """Return the `folded` text without punctuation at its ends, and without the `name` of the bot."""
    plain = folded(text).strip(_EDGES)
    called = folded(name)
    return plain.removeprefix(called).removesuffix(called).strip(_EDGES)


@cache
def call_pattern(name: str) -> str:
    """Return the pattern of a call of the bot at the beginning of a text ("hey Bubbles")."""
    return rf"\s*(?:(?:{_greetings()})[\s,，!！]*)?@?{re.escape(name)}"


def is_greeting(text: str) -> bool:
    """Return whether `text` has only greetings ("hi, good morning")."""
    return re.fullmatch(rf"(?:(?:{_greetings()})[\s,.!，。！]*)+", folded(text).strip(_EDGES)) is not None


@cache
def _greetings() -> str:
    return "|".join(re.escape(each) for language in LANGUAGES for each in _file(language)["call"]["greetings"])


def is_clock(text: str) -> bool:
    """Return whether `text` is a time of the clock and names no day."""
    plain = folded(text).strip()
    return any(each.clocks.fullmatch(plain) for each in every_language())


def is_clock_without_half(text: str) -> bool:
    """Return whether `text` is a clock time that is ambiguous between the halves of the day."""
    plain = folded(text).strip()
    return any(each.clocks_without_half.fullmatch(plain) for each in every_language())


@cache
def _file(language: str) -> dict[str, Any]:
    return tomllib.loads(files(__name__).joinpath(f"{language}.toml").read_text(encoding="utf-8"))


def any_of(patterns: Sequence[str], flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """Compile a pattern for any of `patterns`."""
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), flags)
