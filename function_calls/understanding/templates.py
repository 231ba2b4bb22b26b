"""Compile sentence templates into regular expressions that must explain a whole sentence.

The notation is that of Home Assistant's hassil without its rules: `(a|b)` alternatives, `[x]` an optional part, `[x]*`
a part that may come any number of times, `{slot}` words to be read. A space stands for any space, or none, at the edge
of a word.
Source: https://github.com/home-assistant/hassil.
"""

import re
from collections import Counter

_MAX_REPEATS = 8
"""The most times that `[x]*` may come: without a limit, hostile texts cost minutes."""

_WORD_EDGE = r"\s*(?!(?<=\w)\w)"
_WORDS = r"\S.*?"
_ANY_SPACE = r"\s*"
_SYNTAX = re.compile(
    r"<(?P<rule>\w+)>|\{(?P<slot>\w+)\}|(?P<space>\s+)|(?P<mark>\]\*|[()|\[\]])|(?P<letter>.)",
    re.DOTALL,
)
_MARKS = {"(": "(?:", ")": ")", "[": "(?:(?:", "]": "))?", "|": "|"}


class TemplateInvalid(ValueError):
    """A sentence template cannot be compiled: it has a rule, or brackets that do not close."""


def compile_template(template: str, *, is_spaced: bool = True) -> re.Pattern[str]:
    """Compile one template, to be matched with `fullmatch`; a slot met again is named `slot_2`, `slot_3`.

    Where the language does not put spaces between words (`is_spaced`), a slot may begin and end within a word.

    Raises:
        TemplateInvalid: the template is not well formed.
    """
    slots: Counter[str] = Counter()
    space = _WORD_EDGE if is_spaced else _ANY_SPACE
    try:
        parts = (_compile_part(match, slots, space) for match in _SYNTAX.finditer(template))
        return re.compile("".join(parts), re.DOTALL | re.IGNORECASE)
    except (re.error, RecursionError) as error:
        raise TemplateInvalid(f"{template!r}: {error}") from error


def _compile_part(match: re.Match[str], slots: Counter[str], space: str) -> str:
    """Return the expression for one part of a template; `slots` counts the slots in front of it."""
    if match["rule"]:
        raise TemplateInvalid(f"rules are not supported: {match[0]}")
    if match["slot"]:
        slots[match["slot"]] += 1
        number = slots[match["slot"]]
        return rf"(?!\s)(?P<{match['slot']}{f'_{number}' if number > 1 else ''}>{_WORDS})"
    if match["space"]:
        return space
    if match["mark"]:
        return f"){space}){{0,{_MAX_REPEATS}}}" if match["mark"] == "]*" else _MARKS[match["mark"]]
    return re.escape(match["letter"].lower())
