"""Compile sentence templates into regular expressions that must explain a whole sentence.

The notation is that of Home Assistant's hassil: `(a|b)` alternatives, `[x]` an optional part, `[x]*` a part that may
come any number of times, `<rule>` a named part of the language's data, `{slot}` words to be read. A space stands for
any space, or none, at the edge of a word.
Source: https://github.com/home-assistant/hassil.
"""

import re
from collections import Counter
from collections.abc import Mapping

from msgspec import Struct, field

MOST_REPEATS = 8
"""Times that a part may come which may come any number of times: without an end, hostile texts cost minutes."""

_WORD_EDGE = r"\s*(?!(?<=\w)\w)"
_WORDS = r"\S.*?"
_ANY_SPACE = r"\s*"
_SYNTAX = re.compile(
    r"<(?P<rule>\w+)>|\{(?P<slot>\w+)\}|(?P<space>\s+)|(?P<mark>\]\*|[()|\[\]])|(?P<letter>.)",
    re.DOTALL,
)
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
