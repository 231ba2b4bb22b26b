"""Match idioms, which contain time words and name no time, trying only those that may begin with a letter.

Most idioms begin with a lookbehind, so one alternation of all of them would be tried in full at every character.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

_PART = re.compile(
    r"(?P<look>\(\?<?[=!])|(?P<open>\((?:\?:)?)|(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])|\\(?P<kind>.)|(?P<mark>[|)^$.])"
    r"|(?P<letter>.)",
    re.DOTALL,
)
_MISSING = re.compile(r"(?P<may>[?*]|\{0?,\d*\}|\{0\})\??|(?:\+|\{\d+(?:,\d*)?\})\??")
_RANGE = re.compile(r"(\\.|[^\\])-(\\.|[^\\])", re.DOTALL)
_LONGEST_RANGE = 100
_DIGITS = frozenset("0123456789")
_ANY = None


class Firsts(NamedTuple):
    """The letters that a match may begin with (None: any), and a flag for an empty match."""

    letters: frozenset[str] | None
    may_be_empty: bool


class Idioms:
    """The idioms of one or more languages as regular expressions, compiled per first letter on demand."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = [(pattern, first_letters(pattern)) for pattern in patterns]
        self._known = frozenset[str]().union(*(letters for _, letters in self._patterns if letters is not None))
        self._compiled: dict[str, re.Pattern[str] | None] = {}

    def match(self, text: str, place: int) -> re.Match[str] | None:
        """Match the first idiom that fits at `place`."""
        letter = text[place] if text[place] in self._known else ""
        if letter not in self._compiled:
            self._compiled[letter] = self._compile(letter)
        pattern = self._compiled[letter]
        return None if pattern is None else pattern.match(text, place)

    @property
    def letters(self) -> frozenset[str] | None:
        """The letters that an idiom may begin with; None: any."""
        return None if any(letters is None for _, letters in self._patterns) else self._known

    def compile_all(self) -> None:
        """Compile the idioms of every letter."""
        for letter in ("", *sorted(self._known)):
            self._compiled[letter] = self._compile(letter)

    def _compile(self, letter: str) -> re.Pattern[str] | None:
        candidates = [pattern for pattern, letters in self._patterns if letters is None or letter in letters]
        return re.compile("|".join(candidates)) if candidates else None


def first_letters(pattern: str) -> frozenset[str] | None:
    """Return the letters that a match of `pattern` may begin with; None: any."""
    firsts, _ = _alternatives(pattern, 0)
    return _ANY if firsts.may_be_empty else firsts.letters


def _alternatives(pattern: str, place: int) -> tuple[Firsts, int]:
    """Return the first letters of the alternatives from `place` to their closing bracket, and the offset of that."""
    ways: list[Firsts] = []
    way = Firsts(frozenset(), may_be_empty=True)
    while place < len(pattern):
        part = _PART.match(pattern, place)
        if part is None or part["mark"] == ")":
            break
        if part["mark"] == "|":
            ways.append(way)
            way, place = Firsts(frozenset(), may_be_empty=True), part.end()
            continue
        firsts, place = _atom(pattern, part)
        quantifier = _MISSING.match(pattern, place)
        if quantifier is not None:
            place = quantifier.end()
            firsts = firsts._replace(may_be_empty=firsts.may_be_empty or bool(quantifier["may"]))
        if way.may_be_empty:
            way = Firsts(_either(way.letters, firsts.letters), firsts.may_be_empty)
    ways.append(way)
    letters: frozenset[str] | None = frozenset()
    for way in ways:
        letters = _either(letters, way.letters)
    return Firsts(letters, any(way.may_be_empty for way in ways)), place


def _atom(pattern: str, part: re.Match[str]) -> tuple[Firsts, int]:
    if part["look"] or part["open"]:
        inner, place = _alternatives(pattern, part.end())
        return (Firsts(frozenset(), may_be_empty=True) if part["look"] else inner), place + 1
    if part["set"]:
        return Firsts(_of_set(part["set"]), may_be_empty=False), part.end()
    if part["kind"]:
        return _of_kind(part["kind"]), part.end()
    if part["mark"]:
        return Firsts(_ANY if part["mark"] == "." else frozenset(), part["mark"] != "."), part.end()
    return Firsts(frozenset(part["letter"]), may_be_empty=False), part.end()


def _of_kind(kind: str) -> Firsts:
    if kind in "bBAZ":
        return Firsts(frozenset(), may_be_empty=True)
    if kind == "d":
        return Firsts(_DIGITS, may_be_empty=False)
    return Firsts(_ANY if kind.isalnum() else frozenset(kind), may_be_empty=False)


def _of_set(written: str) -> frozenset[str] | None:
    inner = written[1:-1]
    ranges = [(ord(low[-1]), ord(high[-1])) for low, high in _RANGE.findall(inner)]
    singles = _RANGE.sub("", inner)
    has_kinds = re.search(r"\\[a-ce-zA-Z]", inner) is not None  # \d is the only supported class
    if inner.startswith("^") or has_kinds or any(high - low > _LONGEST_RANGE for low, high in ranges):
        return _ANY
    letters = {chr(code) for low, high in ranges for code in range(low, high + 1)}
    digits = _DIGITS if r"\d" in singles else frozenset()
    return frozenset(letters | digits | set(singles.replace(r"\d", "").replace("\\", "")))


def _either(left: frozenset[str] | None, right: frozenset[str] | None) -> frozenset[str] | None:
    return _ANY if left is None or right is None else left | right
