"""Write names of several words as one, so that each is one token, and restore them in what was understood."""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from function_calls.tools.calls import Interpretation, Turn


def with_joined_names(turn: Turn) -> tuple[Turn, Mapping[str, str]]:
    """Return the turn with each mention as one word that ends with a space, and the names by these words."""
    text = turn.message.text
    joined: dict[str, str] = {}
    for name in sorted((each.name for each in turn.message.mentions), key=len, reverse=True):
        word = "".join(name.split())
        if word != name and f"@{name}" in text:
            text = text.replace(f"@{name}", f"@{word}")
            joined[word] = name
        # Where a name ends, the platform knows; its words cannot tell when the next one is glued to it.
        text = re.sub(rf"@{re.escape(word)}(?=[^\W_])(?![A-Za-z0-9])", f"@{word} ", text)
    if text == turn.message.text:
        return turn, joined
    return replace(turn, message=replace(turn.message, text=text)), joined


def with_names(heard: Interpretation, joined: Mapping[str, str]) -> Interpretation:
    """Return what was understood with the names as they are written."""
    if not joined:
        return heard
    calls = tuple(
        replace(call, arguments={key: _restored(value, joined) for key, value in call.arguments.items()})
        for call in heard.calls
    )
    return replace(heard, calls=calls, answer=str(_restored(heard.answer, joined)))


def _restored(value: object, joined: Mapping[str, str]) -> object:
    if isinstance(value, str):
        for word, name in joined.items():
            value = value.replace(word, name)
    return value
