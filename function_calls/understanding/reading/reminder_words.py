"""Find words and amounts of a message in the texts of the coming reminders of its chat."""

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct

from services.kernel.text import fold_accents

_WORD = re.compile(r"[a-z0-9\u00c0-\u024f]{2,}")
_PAIR = re.compile("[\u3400-\u9fff]{2}")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_ENDINGS = ("ing", "es", "ed", "s", "e")
_NOUNS = {"adas": "ar", "ada": "ar", "ado": "ar", "amiento": "ar"}
"""Endings of Spanish nouns of a verb, and that of the verb: "llamada" and "llamar"."""
_INFINITIVE, _NOUN = re.compile("(?:ar|er|ir)$"), re.compile("(?:aci[oó]n|i[oó]n|eza|[ai]d[ao]|[aeo])$")
"""Endings of Spanish infinitives, and of nouns of such verbs: "riego" of "regar"."""
_DIPHTHONG = re.compile("ie|ue")
_MIN_STEM_LENGTH = 3
_DOUBLED = frozenset("bdgmnprt")
"""Letters that are written twice in front of an ending: "rigging" of "rig"."""


class ReminderWords(Struct, frozen=True):
    """The stems of words, and the pairs of Chinese characters, in texts."""

    stems: frozenset[str] = frozenset()
    pairs: frozenset[str] = frozenset()

    def find_places(self, forms: Sequence[str]) -> frozenset[int]:
        """Return the places of the tokens that occur in the texts."""
        if not self.stems and not self.pairs:
            return frozenset()
        words = {at for at, form in enumerate(forms) if form.isalpha() and stem(form) in self.stems}
        both = [at for at, (one, other) in enumerate(pairwise(forms)) if one + other in self.pairs]
        return frozenset(words.union(both, (at + 1 for at in both)))


def collect_words(texts: Iterable[str], common: Collection[str]) -> ReminderWords:
    """Return the words of `texts` but those in `common`, which occur in any message."""
    stems: set[str] = set()
    pairs: set[str] = set()
    for text in texts:
        stems |= find_stems(text, common)
        pairs |= find_pairs(text, common)
    return ReminderWords(frozenset(stems), frozenset(pairs))


def find_stems(text: str, common: Collection[str]) -> set[str]:
    """Return the stems of the words of `text` that are not in `common`, and of each two neighbours as one word.

    "The pickup" thus names "pick up Felix" as well.
    """
    folded = text.casefold()
    matches = list(_WORD.finditer(folded))
    words = [match[0] for match in matches]
    words += [one[0] + other[0] for one, other in pairwise(matches) if "," not in folded[one.end() : other.start()]]
    return {stem(word) for word in words if word not in common and stem(word) not in common}


def find_pairs(text: str, common: Collection[str]) -> set[str]:
    """Return the pairs of Chinese characters of `text` that are not in `common`."""
    pairs = {text[at : at + 2] for at in range(len(text) - 1)}
    return {pair for pair in pairs if _PAIR.fullmatch(pair) and pair not in common}


@lru_cache(maxsize=4096)  # each reference of a message is compared with the texts of all reminders
def stem(word: str) -> str:
    """Return `word` without accents and without the ending of a plural or of a form of a verb.

    "Pill" is that of "pills", and "bak" that of "baking" and of "bake".
    """
    word = fold_accents(word)
    noun = next((each for each in _NOUNS if word.endswith(each) and len(word) > len(each) + _MIN_STEM_LENGTH), "")
    if noun:
        return word.removesuffix(noun) + _NOUNS[noun]
    ending = next((each for each in _ENDINGS if word.endswith(each)), "")
    bare = word.removesuffix(ending) if len(word) - len(ending) >= _MIN_STEM_LENGTH else word
    is_double = ending in {"ing", "ed"} and bare[-1:] == bare[-2:-1] and bare[-1:] in _DOUBLED
    return bare[:-1] if is_double and len(bare) > _MIN_STEM_LENGTH else bare


def names_same_act(noun: str, verb: str) -> bool:
    """Return whether `noun` is the Spanish noun of the infinitive `verb`: "riego" of "regar", "prueba" of "probar"."""
    root, known = (ending.sub("", word) for ending, word in ((_NOUN, noun), (_INFINITIVE, verb)))
    if verb == known or len(known) < _MIN_STEM_LENGTH:
        return False
    return known in {root, _DIPHTHONG.sub(lambda found: {"ie": "e", "ue": "o"}[found[0]], root)}


def replace_amount(text: str, amount: str) -> str:
    """Return `text` with a new amount for its only one of the same unit: "3 boxes" for "1 box", 150个 for 200个.

    A figure alone replaces the only figure of `text`. Return "" where `amount` or `text` is anything else.
    """
    ahead, figure, unit = _split_at_figure(amount)
    places = [(match.start(), *_find_unit(text, match.end(), unit)) for match in _FIGURE.finditer(text)]
    places_of_unit = [
        (start, begin, end) for start, begin, end in places if end >= begin and text[:start].endswith(ahead)
    ]
    if not figure or ahead.isalnum() or len(places_of_unit) != 1:
        return ""
    start, begin, end = places_of_unit[0]
    gap = " " if text[begin - 1 : begin].isspace() else ""
    return f"{text[:start]}{figure}{gap}{unit}{text[end:]}"


def _split_at_figure(amount: str) -> tuple[str, str, str]:
    """Return what stands in front of the only figure of `amount`, the figure, and the unit behind it."""
    figures = _FIGURE.findall(amount)
    ahead, figure, unit = amount.partition(figures[0]) if len(figures) == 1 else ("", "", "")
    return ahead.strip(), figure, unit.strip()


def _find_unit(text: str, at: int, unit: str) -> tuple[int, int]:
    """Return where `unit`, in any form, begins and ends behind a figure that ends `at`; the end is -1 for another."""
    if not unit:
        return at, at
    begin = at + text[at : at + 1].isspace()
    word = _WORD.match(text.casefold(), begin)
    if word is not None and stem(word[0]) == stem(unit.casefold()):
        return begin, word.end()
    return begin, begin + len(unit) if text.startswith(unit, begin) else -1
