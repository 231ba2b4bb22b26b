"""Compare the content of a reminder with the words that its sentence marks."""

import re
from collections.abc import Sequence

_ENGLISH_PARTICLES = frozenset({"to", "about", "that", "of", "for", "the", "a", "an", "my", "i"})
_CHINESE_PARTICLES = frozenset("去要该来")
_CHINESE_ENDINGS = frozenset("的吧哦啊呀了")
_MIN_CHARACTERS = 2


def split_content(text: str, language: str) -> list[str]:
    """Return the words of a content, or characters in Chinese, without particles at its ends that may be left out."""
    plain = re.sub(r"[^\w\s']|_", " ", text.lower())
    if language != "zh":
        words = plain.split()
        return words[_count_leading(words, _ENGLISH_PARTICLES, 0) :]
    characters = [each for each in plain if not each.isspace()]
    characters = characters[_count_leading(characters, _CHINESE_PARTICLES, _MIN_CHARACTERS) :]
    while characters and characters[-1] in _CHINESE_ENDINGS:
        characters.pop()
    return characters


def measure_common_subsequence(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest common subsequence."""
    row = [0] * (len(other) + 1)
    for word in one:
        above, row = row, [0]
        for place, candidate in enumerate(other):
            row.append(above[place] + 1 if word == candidate else max(above[place + 1], row[place]))
    return row[-1]


def compute_overlap(one: Sequence[str], other: Sequence[str]) -> float:
    """Return the ROUGE-L of two word lists, from 0 to 1; two empty lists are equal."""
    if not one or not other:
        return float(list(one) == list(other))
    return 2 * measure_common_subsequence(one, other) / (len(one) + len(other))


def _count_leading(words: Sequence[str], particles: frozenset[str], minimum: int) -> int:
    """Return the number of particles at the beginning; at least `minimum` words are left."""
    place = 0
    while len(words) - place > minimum and words[place] in particles:
        place += 1
    return place
