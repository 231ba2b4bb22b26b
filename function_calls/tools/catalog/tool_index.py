"""Rank tools by the words that they share with a text, English or Chinese, without a model.

Source of the formula: Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009.
"""

import math
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from function_calls.tools.calls import ToolSpec
from function_calls.tools.validation.schema_walk import properties_of

_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[\u3400-\u9fff]+|[^\W\dA-Za-z_\u3400-\u9fff]+")
_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_ENDINGS: Final = (
    *("izations", "ization", "ations", "ation", "ings", "ing", "ions", "ion"),
    *("ers", "er", "ors", "or", "ed", "es", "ly", "s"),
)
_MIN_STEM_LENGTH: Final = 3
_MAX_SYNONYM_LENGTH: Final = 4  # characters of Chinese
_MAX_QUERY_LENGTH: Final = 2000  # characters; the words of a pasted text say little about the tool
_MAX_TEXT_LENGTH: Final = 600
_MAX_EXAMPLES: Final = 20
_DEEPEST: Final = 4
# The weight of a word by its place: else the many words about arguments would outweigh the few of a name.
_NAME, _DESCRIPTION, _ARGUMENT, _ABOUT_ARGUMENT = 3.0, 2.0, 1.0, 0.5
_SYNONYM: Final = 0.5
_CONTEXT: Final = 0.3
_SATURATION, _LENGTH = 2.0, 0.6  # k1 and b of the formula


class ToolIndex:
    """An index of tools by their names, descriptions, arguments and examples."""

    def __init__(self, specs: Sequence[ToolSpec]) -> None:
        self._specs = tuple(specs)
        documents = [_weigh(spec) for spec in specs]
        lengths = [sum(document.values()) for document in documents]
        average = sum(lengths) / max(len(lengths), 1) or 1.0
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for place, document in enumerate(documents):
            damping = _SATURATION * (1 - _LENGTH + _LENGTH * lengths[place] / average)
            for term, weight in document.items():
                self._postings[term].append((place, weight * (_SATURATION + 1) / (weight + damping)))

    def rank(self, query: str, context: str = "") -> list[ToolSpec]:
        """Return the tools that share words with `query` or, which counts less, with `context`; the best first."""
        scores: dict[int, float] = defaultdict(float)
        for text, share in ((query, 1.0), (context, _CONTEXT)):
            for term, count in terms(text[:_MAX_QUERY_LENGTH]).items():
                found = self._postings.get(term, ())
                weight = share * min(count, 2) * self._rarity(term, len(found))
                for place, score in found:
                    scores[place] += weight * score
        return [self._specs[place] for place in sorted(scores, key=lambda place: (-scores[place], place))]

    def _rarity(self, term: str, count: int) -> float:
        rarity = math.log(1 + (len(self._specs) - count + 0.5) / (count + 0.5))
        return rarity * _SYNONYM if term.startswith("#") else rarity


def terms(text: str) -> Counter[str]:
    """Count the stems of words, the pairs of Chinese characters, and as `#number` the groups of synonyms in `text`."""
    found = Counter[str]()
    for word in _WORD.findall(text):
        if _HAN.match(word):
            pairs = [word[place : place + 2] for place in range(len(word) - 1)]
            found.update(pairs or [word])
            found.update(group for synonym in _synonyms_in(word) for group in _groups()[synonym])
        elif (lower := word.lower()) not in _common():
            stem = _stem(lower)
            found.update((stem, *_groups().get(stem, ())))
    return found


def _weigh(spec: ToolSpec) -> dict[str, float]:
    """Return the weight of each term of a tool."""
    weights: dict[str, float] = defaultdict(float)
    texts = [(spec.name, _NAME), (spec.description, _DESCRIPTION), *_texts_of(spec.parameters, _DEEPEST)]
    examples = Counter(term for example in spec.examples[:_MAX_EXAMPLES] for term in terms(example))
    for text, weight in texts:
        for term, count in terms(text[:_MAX_TEXT_LENGTH]).items():
            weights[term] += weight * count
    for term, count in examples.items():
        weights[term] += _DESCRIPTION * min(count, 2)
    return weights


def _texts_of(schema: Mapping[str, object], depth: int) -> Iterator[tuple[str, float]]:
    """Yield the names, descriptions and values of arguments, each with its weight."""
    for name, value in properties_of(schema).items():
        yield name, _ARGUMENT
        if isinstance(value, Mapping):
            yield str(value.get("description") or ""), _ABOUT_ARGUMENT
            values = value.get("enum")
            yield " ".join(map(str, values)) if isinstance(values, Sequence) else "", _ABOUT_ARGUMENT
            for inner in (value, value.get("items")) if depth else ():
                if isinstance(inner, Mapping):
                    yield from _texts_of(inner, depth - 1)


def _stem(word: str) -> str:
    """Return `word` without its ending, so that `movies` equals `movie`, and `bookings` equals `book`."""
    endings = (ending for ending in _ENDINGS if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM_LENGTH)
    stem = word if word.endswith("ss") else word.removesuffix(next(endings, ""))
    is_doubled = stem != word and len(stem) > _MIN_STEM_LENGTH and stem[-1] == stem[-2]
    if is_doubled and stem[-1] not in "lsz":
        stem = stem[:-1]
    bare = stem.rstrip("eiy")
    return bare if len(bare) >= _MIN_STEM_LENGTH else stem


def _synonyms_in(han: str) -> Iterator[str]:
    """Yield the known words in a run of Chinese characters, from left to right, the longest at each place."""
    place = 0
    while place < len(han):
        lengths = range(_MAX_SYNONYM_LENGTH, 0, -1)
        found = next(
            (han[place : place + length] for length in lengths if han[place : place + length] in _groups()), ""
        )
        place += len(found) or 1
        if found:
            yield found


@cache
def _groups() -> Mapping[str, tuple[str, ...]]:
    """Return the groups of each stem or Chinese word, from `synonyms.toml`."""
    groups: dict[str, tuple[str, ...]] = {}
    lines = [line for theme, text in _data().items() if theme != "common" for line in text.splitlines()]
    for number, line in enumerate(lines):
        for word in dict.fromkeys(word if _HAN.match(word) else _stem(word) for word in line.split()):
            groups[word] = (*groups.get(word, ()), f"#{number}")
    return groups


@cache
def _common() -> frozenset[str]:
    return frozenset(_data()["common"].split())


@cache
def _data() -> Mapping[str, str]:
    return tomllib.loads(files(__package__).joinpath("synonyms.toml").read_text(encoding="utf-8"))
