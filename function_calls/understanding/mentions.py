"""Mentions as words of their own: "@Bob Smith" is read as one word, "@阿明浇花" as two."""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from function_calls.tools.calls import Interpretation, Turn
from function_calls.understanding.clauses import LONGEST
from function_calls.understanding.pack import FALLBACK, languages_of, load_pack

_JOINT = "_"


def with_joined_names(turn: Turn) -> tuple[Turn, Mapping[str, str]]:
    """The turn with the names of mentioned people as one word each, and those words with the names they stand for."""
    text = turn.message.text
    joined: dict[str, str] = {}
    for name in sorted((each.name for each in turn.message.mentions), key=len, reverse=True):
        word = _JOINT.join(name.split())
        if word != name and f"@{name}" in text:
            text = text.replace(f"@{name}", f"@{word}")
            joined[word] = name
        # Where a name ends, the platform knows; its words cannot tell when the next one is glued to it.
        text = re.sub(rf"@{re.escape(word)}(?=[^\W_])(?![A-Za-z0-9])", f"@{word} ", text)
    text = _with_ends_of_names(text)
    if text == turn.message.text:
        return turn, joined
    return replace(turn, message=replace(turn.message, text=text)), joined


def _with_ends_of_names(text: str) -> str:
    """`text` with a space where a name ends that no platform tells of: behind a title, or where other letters begin."""
    if "@" not in text or len(text) > LONGEST:
        return text
    for pack in map(load_pack, languages_of(text, FALLBACK)):
        ends = [found.end() for found in pack.glued_name.finditer(pack.fold(text))]
        for end in reversed(ends):
            text = f"{text[:end]} {text[end:]}"
    return text


def with_names(heard: Interpretation, joined: Mapping[str, str]) -> Interpretation:
    """What was understood, with the names as they are written."""
    if not joined:
        return heard
    calls = tuple(
        replace(call, arguments={key: _written(value, joined) for key, value in call.arguments.items()})
        for call in heard.calls
    )
    return replace(heard, calls=calls, answer=_restored(heard.answer, joined))


def _written(value: object, joined: Mapping[str, str]) -> object:
    return _restored(value, joined) if isinstance(value, str) else value


def _restored(text: str, joined: Mapping[str, str]) -> str:
    for word, name in joined.items():
        text = text.replace(word, name)
    return text
