"""Compile sentence templates into regular expressions that must explain a whole sentence.

The notation is that of Home Assistant's hassil: `(a|b)` alternatives, `[x]` an optional part, `[x]*` a part that may
come any number of times, `<rule>` a named part of the language's data, `{slot}` words to be read. A space stands for
any space, or none, at the edge of a word.
Source: https://github.com/home-assistant/hassil.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from msgspec import Struct, field

Needs = tuple[tuple[str, ...], ...]

FIRST_BLANK = "\ue000"
LAST_BLANK = "\ue0ff"  # no more than a message may need: to compile a class, Python looks at each of its characters
BLANK = f"[{FIRST_BLANK}-{LAST_BLANK}]"

MOST_REPEATS = 8
"""Times that a part may come which may come any number of times: without an end, hostile texts cost minutes."""

_WORD_EDGE = r"\s*(?!(?<=\w)\w)"
_WORDS = r"\S.*?"
_ANY_SPACE = r"\s*"
_SYNTAX = re.compile(
    r"<(?P<rule>\w+)>|\{(?P<slot>\w+)\}|(?P<space>\s+)|(?P<mark>\]\*|[()|\[\]])|(?P<letter>.)",
    re.DOTALL,
)
_OPENING, _CLOSING = frozenset("(["), frozenset({")", "]", "]*"})
_MARKS = {"(": "(?:", ")": ")", "[": "(?:(?:", "]": "))?", "|": "|"}


class TemplateInvalid(ValueError):
    """A sentence template cannot be compiled: an unknown rule, or brackets that do not close."""


class Notation(Struct, frozen=True, kw_only=True):
    """What templates of one language refer to.

    `rules` are templates by name; `slots` are regular expressions by slot name, any words when absent. `is_spaced` says
    that the language puts spaces between words, so that a slot begins and ends at the edge of a word; `is_folded` that
    texts are put into small letters before they are matched.
    """

    rules: Mapping[str, str] = field(default_factory=dict)
    slots: Mapping[str, str] = field(default_factory=dict)
    is_spaced: bool = True
    is_folded: bool = False
    _rules_need: dict[str, Needs] = field(default_factory=dict)

    def compile(self, template: str) -> re.Pattern[str]:
        """Compile one template, to be matched with `fullmatch`; a slot met again is named `slot_2`, `slot_3`.

        Raises:
            TemplateInvalid: the template is not well formed.
        """
        try:
            return re.compile(self.expand(template), re.DOTALL if self.is_folded else re.DOTALL | re.IGNORECASE)
        except (re.error, RecursionError) as error:
            raise TemplateInvalid(f"{template!r}: {error}") from error

    def expand(self, template: str) -> str:
        """One template as a regular expression, to be part of a greater one.

        Raises:
            TemplateInvalid: it names a rule that there is not.
        """
        try:
            return self._expand(template, Counter())
        except (KeyError, RecursionError) as error:
            raise TemplateInvalid(f"{template!r}: {error}") from error

    def needed(self, template: str) -> Needs:
        """Groups of words, as small letters: whatever a template explains has a word of each of them somewhere.

        They are told in a fraction of the time in which the template is compiled.
        """
        return self._needed(_SYNTAX.finditer(template))

    def first_letters(self, template: str) -> frozenset[str]:
        """The small letters with one of which all begins that a template explains; it begins with no slot."""
        return self._firsts(_SYNTAX.finditer(template))[0]

    def _firsts(self, parts: Iterator[re.Match[str]]) -> tuple[frozenset[str], bool]:
        """The letters with which the parts may begin as far as the bracket that closes them; whether all may lack."""
        ways: frozenset[str] = frozenset()
        may_lack, is_open = False, True
        for part in parts:
            letters, lacks = self._firsts_of(part, parts)
            ways |= letters if is_open else frozenset()
            is_open = is_open and lacks
            if part["mark"] == "|":
                may_lack, is_open = may_lack or is_open, True
            elif part["mark"] in _CLOSING:
                break
        return ways, may_lack or is_open

    def _firsts_of(self, part: re.Match[str], parts: Iterator[re.Match[str]]) -> tuple[frozenset[str], bool]:
        if part["letter"]:
            return frozenset(part["letter"].lower()), False
        if part["rule"]:
            return self._firsts(_SYNTAX.finditer(self.rules[part["rule"]]))
        if part["mark"] in _OPENING:
            letters, lacks = self._firsts(parts)
            return letters, lacks or part["mark"] == "["
        return frozenset(), True

    def _needed(self, parts: Iterator[re.Match[str]]) -> Needs:
        """What the parts need as far as the bracket that closes them."""
        ways: list[Needs] = []
        needs: Needs = ()
        word = ""
        for part in parts:
            if part["letter"]:
                word += part["letter"].lower()
                continue
            needs, word = _with_word(needs, word), ""
            if part["rule"]:
                needs += self._needed_by_rule(part["rule"])
            elif part["mark"] == "(":
                needs += self._needed(parts)
            elif part["mark"] == "[":
                self._needed(parts)  # it may be left out
            elif part["mark"] == "|":
                ways.append(needs)
                needs = ()
            elif part["mark"]:
                break
        return _of_one_way([*ways, _with_word(needs, word)])

    def _needed_by_rule(self, name: str) -> Needs:
        if name not in self._rules_need:
            self._rules_need[name] = self.needed(self.rules[name])
        return self._rules_need[name]

    def _expand(self, template: str, seen: Counter[str]) -> str:
        return "".join(self._part(match, seen) for match in _SYNTAX.finditer(template))

    def _part(self, match: re.Match[str], seen: Counter[str]) -> str:
        space = _WORD_EDGE if self.is_spaced else _ANY_SPACE
        if match["rule"]:
            return f"(?:{self._expand(self.rules[match['rule']], seen)})"
        if match["slot"]:
            return self._slot(match["slot"], seen)
        if match["space"]:
            return space
        if match["mark"]:
            return f"){space}){{0,{MOST_REPEATS}}}" if match["mark"] == "]*" else _MARKS[match["mark"]]
        return re.escape(match["letter"].lower())

    def _slot(self, name: str, seen: Counter[str]) -> str:
        seen[name] += 1
        group = name if seen[name] == 1 else f"{name}_{seen[name]}"
        return f"(?!\\s)(?P<{group}>{self.slots.get(name, _WORDS)})"


def _with_word(needs: Needs, word: str) -> Needs:
    return (*needs, (word,)) if word else needs


def _of_one_way(ways: Sequence[Needs]) -> Needs:
    """What is needed where one of several ways of saying it is taken: a group that has a word of each."""
    if len(ways) == 1:
        return ways[0]
    if not all(ways):
        return ()
    rarest = [min(way, key=how_common) for way in ways]
    return (tuple(chain.from_iterable(rarest)),)


def how_common(words: Sequence[str]) -> tuple[int, int]:
    """Sorts groups of words by what is to be expected of them: few words and long ones are met the least."""
    return len(words), -min(map(len, words))
