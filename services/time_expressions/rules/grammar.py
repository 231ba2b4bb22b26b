"""Compile the lexicons of one or more languages into a vocabulary and a graph of rules for each."""

import re
import sys
from _thread import allocate_lock  # and not threading, which brings weak sets along
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from os import scandir
from typing import Any, Final, NamedTuple

from services.time_expressions.model import DateOrder
from services.time_expressions.rules.actions import find_action
from services.time_expressions.rules.patterns import Node, Rule, build_graph

_LEXICONS = f"{__file__.rsplit('rules', 1)[0]}lexicons"
_BUILDING: Final = allocate_lock()
_GRAPHS: Final[dict[str, tuple[Node, frozenset[str]]]] = {}


Sense = tuple[str, Any]
"""A symbol that a word may stand for, with its value."""


class Grammar(NamedTuple):
    """The compiled lexicons of the languages of a text; `roots` are their graphs of rules.

    `idioms` matches phrases that contain time words and name no time.
    """

    words: Mapping[str, tuple[Sense, ...]]
    roots: tuple[Node, ...]
    joints: frozenset[str]
    leads: frozenset[str]
    hints: tuple[str, ...]
    requests: tuple[str, ...]
    changes: tuple[str, ...]
    conjunctions: frozenset[str]
    alternatives: frozenset[str]
    unchanged: frozenset[str]
    contrasts: frozenset[str]
    before_hours: tuple[str, ...]
    of_hours: tuple[str, ...]
    courtesies: frozenset[str]
    characters: Mapping[int, int]
    lengths: Mapping[str, tuple[int, ...]]
    idioms: re.Pattern[str]
    figured: str
    order: DateOrder


@lru_cache
def languages() -> tuple[str, ...]:
    """Return the codes of the languages that have a lexicon."""
    names = (entry.name for entry in scandir(_LEXICONS))
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


@lru_cache
def lexicon(language: str) -> dict[str, Any]:
    """Load the lexicon of `language`; its rules are removed when they are compiled."""
    import tomllib

    with open(f"{_LEXICONS}/{language}.toml", "rb") as file:  # noqa: PTH123 - pathlib imports urllib and ipaddress
        return tomllib.load(file)


@lru_cache
def vocabulary(language: str) -> frozenset[str]:
    """Return the words of the lexicon of `language`, by which the language of a text is detected."""
    return frozenset(word for words in lexicon(language)["words"].values() for word in words)


@lru_cache(maxsize=16)
def grammar(chosen: tuple[str, ...]) -> Grammar:
    """Compile the lexicons of the `chosen` languages; the first one determines the usual order of dates."""
    words: dict[str, tuple[Sense, ...]] = {}
    roots: list[Node] = []
    groups: dict[str, set[str]] = {"joints": set(), "leads": set(), "hints": set(), "requests": set()}
    groups |= {"changes": set(), "conjunctions": set(), "alternatives": set(), "courtesies": set()}
    groups |= {"unchanged": set(), "contrasts": set(), "before_hours": set(), "of_hours": set()}
    characters: dict[int, int] = {}
    idioms: list[str] = []
    for language in chosen:
        data = lexicon(language)
        for name, members in groups.items():
            members.update(data.get(name, ()))
        idioms += data.get("idioms", ())
        traditional = data.get("characters", {})
        characters |= str.maketrans(traditional.get("from", ""), traditional.get("to", ""))
        roots.append(_graph(language)[0])
        for word, senses in _words(language).items():
            words[word] = (*words[word][:-1], *senses) if word in words else senses
    return Grammar(
        words=words,
        roots=tuple(roots),
        joints=frozenset(groups["joints"]),
        leads=frozenset(groups["leads"]),
        hints=tuple(sorted(groups["hints"], key=lambda word: (-len(word), word))),
        requests=tuple(sorted(groups["requests"])),
        changes=tuple(sorted(groups["changes"])),
        conjunctions=frozenset(groups["conjunctions"]),
        alternatives=frozenset(groups["alternatives"]),
        unchanged=frozenset(groups["unchanged"]),
        contrasts=frozenset(groups["contrasts"]),
        before_hours=tuple(sorted(groups["before_hours"])),
        of_hours=tuple(f"{words} " for words in sorted(groups["of_hours"])),
        courtesies=frozenset(groups["courtesies"]),
        characters=characters,
        lengths=_lengths(words),
        idioms=re.compile("|".join(idioms) or "(?!)"),
        figured="|".join(sorted(word for word in words if word[0].isdecimal() and word[-1].isalpha())),
        order=DateOrder(lexicon(chosen[0])["order"]),
    )


@lru_cache
def _words(language: str) -> Mapping[str, tuple[Sense, ...]]:
    """Return the senses of each word of `language`; the last sense is the literal word (`=every`) of patterns."""
    data = lexicon(language)
    words: dict[str, list[Sense]] = {}
    for symbol, entries in data["words"].items():
        for word, value in entries.items():
            words.setdefault(word, []).append((symbol, _frozen(value)))
    for word in (*_graph(language)[1], *data.get("joints", ()), *data.get("leads", ())):
        words.setdefault(word, [])
    return {word: (*senses, (sys.intern("=" + word), word)) for word, senses in words.items()}


def _graph(language: str) -> tuple[Node, frozenset[str]]:
    """Return the graph of rules of one language, and the literal words in its patterns."""
    with _BUILDING:
        if language not in _GRAPHS:
            _GRAPHS[language] = build_graph(_patterns(lexicon(language).pop("rules")))  # removed to free the memory
        return _GRAPHS[language]


def _patterns(rules: Mapping[str, list[Mapping[str, Any]]]) -> Iterator[tuple[str, Rule]]:
    for gives, entries in rules.items():
        for entry in entries:
            extra = {key: _frozen(value) for key, value in entry.get("with", {}).items()}
            rule = (gives, find_action(entry["make"]), extra, 1 - 10 * int(entry.get("cost", 0)))
            for pattern in entry["when"]:
                yield pattern, rule


def _frozen(value: Any) -> Any:
    return tuple(_frozen(element) for element in value) if isinstance(value, list) else value


def _lengths(words: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """Return the lengths of the Chinese words by their first character."""
    lengths: dict[str, set[int]] = {}
    for word in words:
        if word[0] > "⺀":
            lengths.setdefault(word[0], set()).add(len(word))
    return {first: tuple(sorted(found)) for first, found in lengths.items()}
