"""Say where an argument is wrong and what stood there, as a model is told it."""

import json
from collections.abc import Iterable, Sequence
from typing import Final

from function_calls.errors import ArgumentError
from services.likeness import likest

LONGEST_QUOTE: Final = 60
"""Characters of a wrong value that are repeated to the model."""


def pointer(path: Sequence[str | int]) -> str:
    """The RFC 6901 pointer of `path`."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def quoted(value: object) -> str:
    """`value` as JSON, cut to a length that can be repeated to a model."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1] + "…"


def nearest(word: str, words: Iterable[str]) -> str | None:
    """The one of `words` most like `word`, whatever its case; None when none is like it."""
    by_form = {each.casefold(): each for each in words}
    close = likest(word.casefold(), by_form, at_least=0.6)
    return by_form[close[0]] if close else None


def unknown(place: str, name: str, known: Iterable[str]) -> ArgumentError:
    """The error for an argument that the tool does not have; `known` are those it has."""
    names = list(known)
    listed = f"; there are {', '.join(names)}" if names else ""
    near = nearest(name, names)
    return ArgumentError(
        pointer=place,
        message=f"is not an argument of this tool{listed}",
        expected="a declared argument",
        got=quoted(name),
        suggestion=f"'{near}'" if near else None,
        rule="additionalProperties",
    )
