"""Train the classifier and the tagger of one language from its grammar, and write the weights.

Run by `make train`, which installs scikit-learn into an environment of its own.
"""

import argparse
import lzma
import random
import sys
import tomllib
from array import array
from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeAlias
from zlib import crc32
from zoneinfo import ZoneInfo

import msgspec
import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression, SGDClassifier

from benchmarks.understanding.generator import GRAMMARS, Example, Grammar, labelled_sentences
from function_calls.understanding.reading.features import bucket, classifier_features, intent_feature, tagger_features
from function_calls.understanding.reading.message import NO_TAG, NOTHING, SEEN_BUCKETS, ModelFile
from function_calls.understanding.reading.tokens import TimeSpan, Token, marked, time_spans, tokens_of
from services.time_expressions import parse_all

ROOT = Path(__file__).parents[2]
WEIGHTS = ROOT / "function_calls" / "understanding" / "reading" / "weights"
INTENT_BUCKETS = 1 << 16
TAG_BUCKETS = 1 << 17
_NEGLIGIBLE_INTENT, _NEGLIGIBLE_TAG = 3, 7
"""Weights, of 127, that are so small that nothing depends on them."""
_FEWEST_ROWS = 3
"""A feature that fewer sentences or words have says nothing about others, and takes a place in a bucket."""
_ALL = 1 << 32
IntegerArray: TypeAlias = "array[int]"
_UNKNOWN = "\0"
"""Stands for an unknown word; features that hold it are left out, as those of an unknown word weigh nothing."""
_WITH_UNKNOWN, _UNKNOWN_WORDS, _COMMON = 0.3, 0.5, 0.004
"""The share of sentences with unknown words, that of their rarer words, and in how many sentences a common word is."""
_FREE = frozenset({"CONTENT", "PERSON", "REF", "TOPIC", "SPEAKER", "OLD", "ZONE", "SPARED"})
"""Tags of words that may be any; the words of the others are what the tags are known by."""
_START = datetime(2026, 11, 23, 7, 3, 37, tzinfo=ZoneInfo("Europe/London"))


def folding_of(language: str) -> dict[int, int]:
    """Return the map of traditional to simplified characters, empty for other languages."""
    raw = tomllib.loads((GRAMMARS / f"{language}.toml").read_text(encoding="utf-8")).get("folding", {})
    return str.maketrans(raw.get("traditional", ""), raw.get("simplified", ""))


def labelled(example: Example, spans: tuple[TimeSpan, ...], folding: dict[int, int]) -> tuple[list[Token], list[str]]:
    """Return the tokens of an example with their tags: each has that of most of its characters."""
    tokens = tokens_of(example.text, spans, folding)
    tags = []
    for token in tokens:
        shares: dict[str, int] = {}
        for start, end, tag in example.spans:
            shared = min(end, token.end) - max(start, token.start)
            if shared > 0:
                shares[tag] = shares.get(tag, 0) + shared
        best = max(shares, key=shares.__getitem__, default=NO_TAG)
        tags.append(best if 2 * shares.get(best, 0) >= min(token.end - token.start, 4) else NO_TAG)
    return list(tokens), tags


def _version(language: str) -> int:
    """Return a number that changes with what reads the times of `language`."""
    engine = ROOT / "services" / "time_expressions"
    files = (*sorted(engine.rglob("*.py")), engine / "lexicons" / f"{language}.toml")
    return crc32(b"".join(file.read_bytes() for file in files))


class TimeCache:
    """The time expressions of texts that were read before, kept in `build/` between runs."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._path = ROOT / "build" / f"times-{language}-{_version(language):08x}.msgpack"
        data = self._path.read_bytes() if self._path.exists() else msgspec.msgpack.encode({})
        self._known = msgspec.msgpack.decode(data, type=dict[str, tuple[TimeSpan, ...]])

    def spans(self, text: str) -> tuple[TimeSpan, ...]:
        """Return the time expressions of `text`."""
        if text not in self._known:
            minutes = crc32(text.encode()) % (60 * 24 * 7)
            now = marked(_START + timedelta(minutes=minutes))
            self._known[text] = time_spans(parse_all(text, now, language=self._language))
        return self._known[text]

    def save(self) -> None:
        """Write what was read."""
        self._path.parent.mkdir(exist_ok=True)
        self._path.write_bytes(msgspec.msgpack.encode(self._known))


def matrix(rows: list[IntegerArray], buckets: int) -> csr_matrix:
    """Return the features of rows as a sparse matrix of buckets, without features that few rows have."""
    hashes = np.concatenate([np.frombuffer(row, dtype=np.uint32) for row in rows])
    _, places, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    is_kept = counts[places] >= _FEWEST_ROWS
    kept = np.concatenate([[0], np.cumsum(is_kept)])
    starts = kept[np.cumsum([0, *map(len, rows)])]
    columns = (hashes[is_kept] & np.uint32(buckets - 1)).astype(np.int32)
    return csr_matrix((np.ones(len(columns), dtype=np.float32), columns, starts), shape=(len(rows), buckets))


def packed(weights: np.ndarray, largest: float, negligible: int) -> tuple[float, bytes]:
    """Return the scale and the numbers from -127 to 127 of `weights` (buckets × labels); small ones are nothing."""
    scale = float(largest) / 127
    rounded = np.clip(np.round(weights / scale), -127, 127).astype(np.int8)
    rounded[np.abs(rounded) <= negligible] = 0
    return scale, rounded.tobytes()


def with_unknown(sentences: list[list[str]], tags: list[list[str]], intents: list[str], seed: int) -> list[list[str]]:
    """Return `sentences` with some of the rarer words unknown in some, so that the words around them count."""
    chance = random.Random(seed)
    numbers = Counter(form for forms in sentences for form in set(forms))
    most = _COMMON * len(sentences)

    def replaced(form: str, label: str, *, is_free: bool) -> str:
        is_rare = form.isalpha() and numbers[form] < most
        is_unknown = is_rare and (is_free or label in _FREE) and chance.random() < _UNKNOWN_WORDS
        return _UNKNOWN if is_unknown else form

    found = []
    for forms, labels, intent in zip(sentences, tags, intents, strict=True):
        is_free = intent == NOTHING
        is_changed = chance.random() < (_WITH_UNKNOWN / 2 if is_free else _WITH_UNKNOWN)
        found.append(
            [replaced(form, label, is_free=is_free) for form, label in zip(forms, labels, strict=True)]
            if is_changed
            else forms
        )
    return found


def hashes_of(features: Iterable[str]) -> IntegerArray:
    """Return the hashes of `features` that hold no unknown word."""
    return array("I", (bucket(each, _ALL) for each in features if _UNKNOWN not in each))


def bits_of(rows: Iterable[int]) -> bytes:
    """Return one bit for each bucket of words and their intents, set for `rows`."""
    bits = bytearray(SEEN_BUCKETS // 8)
    for row in rows:
        place = row % SEEN_BUCKETS
        bits[place // 8] |= 1 << place % 8
    return bytes(bits)


def train(language: str, count: int, seed: int, strength: float) -> ModelFile:
    """Generate `count` examples and fit both models."""
    folding = folding_of(language)
    cache = TimeCache(language)
    forms, tags, intents, contexts, addressed = [], [], [], [], []
    own = [example for example in labelled_sentences(language) for _ in range(count)]
    for example in [*Grammar.load(language).generate(count, seed), *own]:
        tokens, labels = labelled(example, cache.spans(example.text), folding)
        if tokens:
            forms.append([token.form for token in tokens])
            tags.append(labels)
            intents.append(example.intent)
            contexts.append(example.context)
            addressed.append(example.is_addressed)
    cache.save()
    forms = with_unknown(forms, tags, intents, seed)
    rows = [
        hashes_of(classifier_features(words, context, is_addressed=is_addressed))
        for words, context, is_addressed in zip(forms, contexts, addressed, strict=True)
    ]
    classifier = LogisticRegression(C=strength, max_iter=200, tol=1e-3)
    classifier.fit(matrix(rows, INTENT_BUCKETS), intents)
    tag_rows, tag_labels = [], []
    for words, labels, intent in zip(forms, tags, intents, strict=True):
        for at, label in enumerate(labels if intent != NOTHING else ()):
            tag_rows.append(hashes_of(tagger_features(words, at, intent, labels[:at])))
            tag_labels.append(label)
    seen = Counter(
        bucket(intent_feature(intent, form), _ALL)
        for words, intent in zip(forms, intents, strict=True)
        for form in set(words) - {_UNKNOWN}
    )
    tagger = SGDClassifier(loss="log_loss", alpha=1e-6, max_iter=7, tol=None, average=True, random_state=seed, n_jobs=2)
    tagger.fit(matrix(tag_rows, TAG_BUCKETS), tag_labels)
    intent_scale, intent_weights = packed(classifier.coef_.T, np.abs(classifier.coef_).max(), _NEGLIGIBLE_INTENT)
    largest = np.percentile(np.abs(tagger.coef_[tagger.coef_ != 0]), 99.9)
    tag_scale, tag_weights = packed(tagger.coef_.T, largest, _NEGLIGIBLE_TAG)
    return ModelFile(
        intents=tuple(map(str, classifier.classes_)),
        intent_buckets=INTENT_BUCKETS,
        intent_scale=intent_scale,
        intent_bias=tuple(map(float, classifier.intercept_)),
        intent_weights=intent_weights,
        tags=tuple(map(str, tagger.classes_)),
        tag_buckets=TAG_BUCKETS,
        tag_scale=tag_scale,
        tag_bias=tuple(map(float, tagger.intercept_)),
        tag_weights=tag_weights,
        folding=folding,
        seen=bits_of(row for row, count in seen.items() if count >= _FEWEST_ROWS),
    )


def main() -> None:
    """Train the languages that are named, and write their weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("languages", nargs="+")
    parser.add_argument("--count", type=int, default=5, help="examples of each frame, and of each labelled sentence")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--strength", type=float, default=1.0)
    options = parser.parse_args()
    for language in options.languages:
        file = train(language, options.count, options.seed, options.strength)
        data = lzma.compress(msgspec.msgpack.encode(file), preset=9 | lzma.PRESET_EXTREME)
        (WEIGHTS / f"{language}.bin").write_bytes(data)
        sys.stdout.write(f"{language}: {len(data):,} bytes\n")


if __name__ == "__main__":
    main()
