"""Stem English words with Porter's algorithm and the extensions of NLTK, which published ROUGE figures use.

Source: M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980, and
https://www.nltk.org/api/nltk.stem.porter.html (NLTK_EXTENSIONS).
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise

_Rule = tuple[str, str, Callable[[str], bool]]

_IRREGULAR = {
    "skies": "sky", "sky": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news",
    "innings": "inning", "inning": "inning", "outings": "outing", "outing": "outing",
    "cannings": "canning", "canning": "canning", "howe": "howe",
    "proceed": "proceed", "exceed": "exceed", "succeed": "succeed",
}  # fmt: skip
_MIN_STEM_LENGTH = 3


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return the stem of one English word, in lower case."""
    word = word.lower()
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < _MIN_STEM_LENGTH:
        return word
    for step in (
        _strip_plural,
        _strip_past,
        _replace_final_y,
        _replace_double_suffix,
        _replace_full_suffix,
        _strip_suffix,
        _strip_final_e,
        _strip_double_l,
    ):
        word = step(word)
    return word


def _is_consonant(word: str, place: int) -> bool:
    if word[place] in "aeiou":
        return False
    return word[place] != "y" or place == 0 or not _is_consonant(word, place - 1)


def _count_measure(part: str) -> int:
    """Return how often a vowel is followed by a consonant."""
    kinds = [_is_consonant(part, place) for place in range(len(part))]
    return sum(not before and after for before, after in pairwise(kinds))


def _has_measure(part: str) -> bool:
    return _count_measure(part) > 0


def _has_long_measure(part: str) -> bool:
    return _count_measure(part) > 1


def _has_vowel(part: str) -> bool:
    return any(not _is_consonant(part, place) for place in range(len(part)))


def _has_double_end(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _is_consonant(word, len(word) - 1)


def _has_short_end(word: str) -> bool:
    """Return whether the word ends consonant, vowel, consonant other than w, x, y; or is a vowel and a consonant."""
    last = len(word) - 1
    if last == 1:
        return not _is_consonant(word, 0) and _is_consonant(word, 1)
    if last < 1:
        return False
    ends = _is_consonant(word, last - 2) and not _is_consonant(word, last - 1) and _is_consonant(word, last)
    return ends and word[last] not in "wxy"


def _apply_first_rule(word: str, rules: Sequence[_Rule]) -> str:
    """Apply the first rule whose suffix the word has, unless its condition fails."""
    for suffix, replacement, is_met in rules:
        if word.endswith(suffix):
            part = word[: len(word) - len(suffix)]
            return part + replacement if is_met(part) else word
    return word


def _is_any(_part: str) -> bool:
    return True


def _strip_plural(word: str) -> str:
    if word.endswith("ies") and len(word) == len("dies"):
        return word[:-1]
    return _apply_first_rule(
        word, [("sses", "ss", _is_any), ("ies", "i", _is_any), ("ss", "ss", _is_any), ("s", "", _is_any)]
    )


def _strip_past(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == len("died") else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _has_measure(word[:-3]) else word
    for suffix in ("ed", "ing"):
        part = word[: -len(suffix)]
        if word.endswith(suffix) and _has_vowel(part):
            return _restore_ending(part)
    return word


def _restore_ending(part: str) -> str:
    """Correct the ending of a word from which -ed or -ing was removed."""
    if part.endswith(("at", "bl", "iz")):
        return f"{part}e"
    if _has_double_end(part):
        return part if part[-1] in "lsz" else part[:-1]
    return f"{part}e" if _count_measure(part) == 1 and _has_short_end(part) else part


def _replace_final_y(word: str) -> str:
    is_alone = len(word) > len("by") and _is_consonant(word, len(word) - 2)
    return f"{word[:-1]}i" if word.endswith("y") and is_alone else word


def _replace_double_suffix(word: str) -> str:
    if word.endswith("alli") and _has_measure(word[:-4]):
        return _replace_double_suffix(f"{word[:-4]}al")
    pairs = [
        ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble"),
        ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
        ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
        ("iviti", "ive"), ("biliti", "ble"), ("fulli", "ful"),
    ]  # fmt: skip
    rules: list[_Rule] = [(suffix, replacement, _has_measure) for suffix, replacement in pairs]
    rules.append(("logi", "log", lambda part: _has_measure(f"{part}l")))
    return _apply_first_rule(word, rules)


def _replace_full_suffix(word: str) -> str:
    pairs = [
        ("icate", "ic"),
        ("ative", ""),
        ("alize", "al"),
        ("iciti", "ic"),
        ("ical", "ic"),
        ("ful", ""),
        ("ness", ""),
    ]
    return _apply_first_rule(word, [(suffix, replacement, _has_measure) for suffix, replacement in pairs])


def _strip_suffix(word: str) -> str:
    names = ["al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent"]
    rules: list[_Rule] = [(suffix, "", _has_long_measure) for suffix in names]
    rules.append(("ion", "", lambda part: _has_long_measure(part) and part[-1:] in ("s", "t")))
    rules += [(suffix, "", _has_long_measure) for suffix in ("ou", "ism", "ate", "iti", "ous", "ive", "ize")]
    return _apply_first_rule(word, rules)


def _strip_final_e(word: str) -> str:
    if not word.endswith("e"):
        return word
    part = word[:-1]
    return part if _count_measure(part) > 1 or (_count_measure(part) == 1 and not _has_short_end(part)) else word


def _strip_double_l(word: str) -> str:
    return word[:-1] if word.endswith("ll") and _has_long_measure(word[:-1]) else word
