"""Describe invalid arguments for a model: their place, their value and similar names."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from function_calls.tools.errors import ArgumentError
from services.kernel.text import closest_names

MAX_QUOTE_LENGTH: Final = 60
"""The limit of characters of an invalid value in an error for the model."""
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def pointer(path: Sequence[str | int]) -> str:
    """Return the RFC 6901 pointer of `path`."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def quote(value: object) -> str:
    """Return `value` as JSON, shortened for an error."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= MAX_QUOTE_LENGTH else text[: MAX_QUOTE_LENGTH - 1] + "…"


def nearest(word: str, words: Iterable[str]) -> str | None:
    """Return the most similar of `words` in any case; None if none is similar."""
    by_form = {known.casefold(): known for known in words}
    close = closest_names(word.casefold(), by_form, at_least=0.6)
    return by_form[close[0]] if close else None


def lone_surrogates(arguments: object) -> list[ArgumentError]:
    """Return an error for each text with half of a surrogate pair, which UTF-8 cannot encode."""
    return [
        ArgumentError(
            pointer=pointer(path),
            message="holds half of a surrogate pair; send whole Unicode characters",
            expected="whole Unicode characters",
            rule="unicode",
        )
        for path, text in _texts(arguments, ())
        if not text.isascii() and _SURROGATE.search(text)
    ]


def _texts(value: object, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield every text of a JSON value with its path; the names of members have the path of their object."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for name, member in value.items():
            yield path, str(name)
            yield from _texts(member, (*path, str(name)))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _texts(item, (*path, index))


def unknown_argument(place: str, name: str, known: Iterable[str]) -> ArgumentError:
    """Return the error for an unknown argument; `known` are the arguments of the tool."""
    names = list(known)
    listed = f"; there are {', '.join(names)}" if names else ""
    near = nearest(name, names)
    return ArgumentError(
        pointer=place,
        message=f"is not an argument of this tool{listed}",
        expected="a declared argument",
        got=quote(name),
        suggestion=f"'{near}'" if near else None,
        rule="additionalProperties",
    )
