"""The slips of the fingers by which one word becomes another: "rmind", "reimnd", "remmind", "temind" of "remind"."""

from collections.abc import Collection, Iterator, Mapping

_ROWS = ((0.0, "qwertyuiop"), (0.25, "asdfghjkl"), (0.75, "zxcvbnm"))
_KEYS = {
    letter: complex(shift + place, row)
    for row, (shift, letters) in enumerate(_ROWS)
    for place, letter in enumerate(letters)
}
"""Where the letters lie on a keyboard, in widths of a key."""
_NEAR = 1.3


def slips(words: Collection[str], *, real: Collection[str]) -> Mapping[str, str]:
    """What is typed in place of each of `words` by one slip, with the word that is meant; none of it `real` words."""
    typed = {slip: word for word in words for slip in _slips(word)}
    return {slip: word for slip, word in typed.items() if slip not in words and slip not in real}


def _slips(word: str) -> Iterator[str]:
    """`word` with one letter left out, typed twice, changed places with the next, or missed by a key."""
    for at, letter in enumerate(word):
        before, after = word[:at], word[at + 1 :]
        yield before + after
        yield before + letter + letter + after
        yield before + after[:1] + letter + after[1:]
        yield from (before + near + after for near in _neighbours(letter))


def _neighbours(letter: str) -> Iterator[str]:
    return (near for near, key in _KEYS.items() if near != letter and abs(key - _KEYS[letter]) < _NEAR)
