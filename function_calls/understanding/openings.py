"""Find politeness at the front of a message, among those templates only that may begin with its first letter."""

import re
from collections.abc import Mapping

from function_calls.understanding.templates import Notation


class Openings:
    """The templates of which messages may begin with any, longest first; compiled for a letter when it is first met."""

    def __init__(self, templates: tuple[str, ...], notation: Notation, behind: str) -> None:
        """`behind` is a regular expression of what stands behind a template."""
        self._notation = notation
        self._behind = behind
        self._templates = sorted(templates, key=len, reverse=True)
        self._firsts = [notation.first_letters(template) for template in self._templates]
        self._patterns: dict[str, re.Pattern[str] | None] = {}

    def match(self, folded: str) -> re.Match[str] | None:
        """The first template at the front of a folded text, with what stands behind it."""
        letter = folded[:1]
        if letter not in self._patterns:
            self._patterns[letter] = self._compiled(letter)
        pattern = self._patterns[letter]
        return None if pattern is None else pattern.match(folded)

    def compiled(self) -> Mapping[str, re.Pattern[str] | None]:
        """The pattern of each letter with which a message may begin so; all of them are compiled by this."""
        for letter in sorted(frozenset().union(*self._firsts)):
            self.match(letter)
        return self._patterns

    def _compiled(self, letter: str) -> re.Pattern[str] | None:
        each = [template for template, firsts in zip(self._templates, self._firsts, strict=True) if letter in firsts]
        either = "|".join(map(self._notation.expand, each))
        return re.compile(f"(?:{either}){self._behind}") if each else None
