"""How well the words of a reminder were cut out of a sentence."""

import re
from collections.abc import Sequence

_ENGLISH_JOINTS = frozenset({"to", "about", "that", "of", "for", "the", "a", "an", "my", "i"})
_CHINESE_JOINTS = frozenset("去要该来")
_ENDINGS = frozenset("的吧哦啊呀了")
_MIN_KEPT_CHARACTERS = 2


def words_of(text: str, language: str) -> list[str]:
    """The words of a content, characters in Chinese, without the joints that cutting may leave or take."""
    plain = re.sub(r"[^\w\s']|_", " ", text.lower())
    if language != "zh":
        words = plain.split()
        return words[_leading(words, _ENGLISH_JOINTS, 0) :]
    characters = [each for each in plain if not each.isspace()]
    characters = characters[_leading(characters, _CHINESE_JOINTS, _MIN_KEPT_CHARACTERS) :]
    while characters and characters[-1] in _ENDINGS:
        characters.pop()
    return characters


def longest_common(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the longest common subsequence."""
    row = [0] * (len(other) + 1)
    for word in one:
        above, row = row, [0]
        for place, candidate in enumerate(other):
            row.append(above[place] + 1 if word == candidate else max(above[place + 1], row[place]))
    return row[-1]


def overlap(one: Sequence[str], other: Sequence[str]) -> float:
    """ROUGE-L of two word lists, 0 to 1."""
    if not one or not other:
        return float(list(one) == list(other))
    return 2 * longest_common(one, other) / (len(one) + len(other))


def _leading(words: Sequence[str], joints: frozenset[str], minimum: int) -> int:
    """Return how many words at the front are joints; at least `minimum` words stay."""
    place = 0
    while len(words) - place > minimum and words[place] in joints:
        place += 1
    return place
