"""Train the models of one language with written messages and the sentences of its grammar, and write the weights.

Run by `make train`, which installs scikit-learn into an environment of its own.
"""

import argparse
import lzma
import random
import sys
import tomllib
import warnings
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice, pairwise
from pathlib import Path
from typing import TypeAlias
from zlib import crc32
from zoneinfo import ZoneInfo

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from benchmarks.understanding.generator import GRAMMARS, LABELLED, Grammar, Message, conversations, labelled_messages
from function_calls.understanding.reading.features import (
    classifier_features,
    compute_bucket,
    intent_feature,
    label_pieces,
    split_features,
    strip_accents,
    tagger_features,
)
from function_calls.understanding.reading.lexicon import Lexicon, load_common_words, load_lexicon
from function_calls.understanding.reading.linear import PackedModel
from function_calls.understanding.reading.message import (
    AFTER_ANSWER,
    NO_TAG,
    NOTHING,
    SEEN_BUCKETS,
    ModelFile,
    load_classes,
)
from function_calls.understanding.reading.reminder_words import ReminderWords, collect_words
from function_calls.understanding.reading.segments import trim_tokens
from function_calls.understanding.reading.tokens import TimeSpan, Token, find_time_spans, mark_seconds, tokenize
from services.time_expressions import parse_all

ROOT = Path(__file__).parents[2]
WEIGHTS = ROOT / "function_calls" / "understanding" / "reading" / "weights"
INTENT_BUCKETS = 1 << 18
TAG_BUCKETS = 1 << 18
SPLIT_BUCKETS = 1 << 14
_INTENT_VALUES, _TAG_VALUES, _SPLIT_VALUES = (63, 1), (96, 0), (127, 0)
"""The largest value of a weight in the file, and the largest one that is so small that nothing depends on it."""
_FEWEST_ROWS = 3
"""A feature that fewer sentences or words have says nothing about others, and takes a place in a bucket."""
_ALL = 1 << 32
_LONGEST_JOINED = 70
_JOINED_INTENTS = (
    *(("set", "set"),) * 5,
    ("set", "set", "set"),
    ("delete", "set"),
    ("move", "set"),
    ("done", "set"),
    ("set", "list"),
    ("set", "delete"),
    ("move", "move"),
    ("skip", "move"),
    ("list", "delete"),
    ("set", "ask"),
    ("list", "set"),
    ("delete", "set"),
    ("delete", "delete"),
    ("move", "person_add"),
)
_JOINTS = (", ", ", ", ". ", "; ", " and ", ", and ", ". also ", " then ", "\n", " + ", " & ")
_JOINTS_UNSPACED = ("，", "，", "。", "；", "，然后", "，再", "。还有", " ", "\n", "、", "，另外")
_SPLIT_LABELS = ("on", "begin")
IntegerArray: TypeAlias = "array[int]"
_UNKNOWN = "\0"
"""Stands for an unknown word; features that hold it are left out, as those of an unknown word weigh nothing."""
_WITH_UNKNOWN, _UNKNOWN_WORDS, _COMMON = 0.3, 0.5, 0.004
"""The share of sentences with unknown words, that of their rarer words, and in how many sentences a common word is."""
_WITHOUT_CLASS = 0.3
"""The share of unknown words that have no class either."""
_INTENTS_BY_CLASSES = frozenset({"en"})
"""Languages in which the classes of words help to tell intents apart; in Spanish they were measured not to."""
_NAMED_KNOWN, _OTHERS_KNOWN = 0.7, 0.05
"""The share of generated sentences with words of a coming reminder: of those that name one, and of all others."""
_OF_GRAMMAR, _OF_TESTS = 0.8, 3
"""The weight of a generated sentence, and the factor for the weight of the sentences of our own tests."""
_FREE = frozenset({"CONTENT", "PERSON", "REF", "TOPIC", "SPEAKER", "OLD", "ZONE", "SPARED"})
"""Tags of words that may be any; the words of the others are what the tags are known by."""
_START = datetime(2026, 11, 23, 7, 3, 37, tzinfo=ZoneInfo("Europe/London"))


def folding_of(language: str) -> dict[int, int]:
    """Return the map of traditional to simplified characters, empty for other languages."""
    raw = tomllib.loads((GRAMMARS / f"{language}.toml").read_text(encoding="utf-8")).get("folding", {})
    return str.maketrans(raw.get("traditional", ""), raw.get("simplified", ""))


class Sentence(Struct, frozen=True, kw_only=True):
    """A message or one of its requests as the models see it: the forms of its tokens, with their tags.

    `begins` are the places at which further requests begin, None where these are not known; `known` those of words in
    the texts of coming reminders. `weight` is how many times it counts.
    """

    forms: list[str]
    tags: list[str]
    intent: str
    context: str
    is_addressed: bool
    weight: float
    begins: tuple[int, ...] | None
    known: frozenset[int] = frozenset()


def labelled(labels: Iterable[tuple[int, int, str]], tokens: Sequence[Token]) -> list[str]:
    """Return the tags of tokens: each has that of most of its characters."""
    tags = []
    for token in tokens:
        shares: dict[str, int] = {}
        for start, end, tag in labels:
            shared = min(end, token.end) - max(start, token.start)
            if shared > 0:
                shares[tag] = shares.get(tag, 0) + shared
        best = max(shares, key=shares.__getitem__, default=NO_TAG)
        tags.append(best if 2 * shares.get(best, 0) >= min(token.end - token.start, 4) else NO_TAG)
    return tags


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

    def tokens(self, text: str, folding: dict[int, int]) -> list[Token]:
        """Return the tokens of `text`."""
        return list(tokenize(text, self._spans(text), folding))

    def _spans(self, text: str) -> tuple[TimeSpan, ...]:
        if text not in self._known:
            minutes = crc32(text.encode()) % (60 * 24 * 7)
            now = mark_seconds(_START + timedelta(minutes=minutes))
            self._known[text] = find_time_spans(parse_all(text, now, language=self._language))
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


def packed(labels: Iterable[str], weights: np.ndarray, bias: Iterable[float], values: tuple[int, int]) -> PackedModel:
    """Return `weights` (labels × buckets) as a file holds them; `values` are the largest and the negligible one."""
    largest, negligible = values
    scale = float(np.abs(weights).max()) / largest or 1.0
    rounded = np.round(weights.T / scale).astype(np.int8)
    rounded[np.abs(rounded) <= negligible] = 0
    rows, columns = np.nonzero(rounded)
    return PackedModel(
        tuple(map(str, labels)),
        len(rounded),
        scale,
        tuple(map(float, bias)),
        counts=np.bincount(rows, minlength=len(rounded)).astype(np.uint8).tobytes(),
        columns=columns.astype(np.uint8).tobytes(),
        values=rounded[rows, columns].tobytes(),
    )


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


def kinds_of(
    sentences: Sequence[Sentence], forms: Sequence[list[str]], classes: dict[str, str], seed: int
) -> list[list[str]]:
    """Return the forms of `sentences` with classes; most words that are unknown in `forms` have theirs."""
    chance = random.Random(seed)
    return [
        [
            _UNKNOWN if word == _UNKNOWN and chance.random() < _WITHOUT_CLASS else classes.get(form, word)
            for form, word in zip(each.forms, words, strict=True)
        ]
        for each, words in zip(sentences, forms, strict=True)
    ]


def hashes_of(features: Iterable[str]) -> IntegerArray:
    """Return the hashes of `features` that hold no unknown word."""
    return array("I", (compute_bucket(each, _ALL) for each in features if _UNKNOWN not in each))


def bits_of(rows: Iterable[int]) -> bytes:
    """Return one bit for each bucket of words and their intents, set for `rows`."""
    bits = bytearray(SEEN_BUCKETS // 8)
    for row in rows:
        place = row % SEEN_BUCKETS
        bits[place // 8] |= 1 << place % 8
    return bytes(bits)


def generated(language: str, count: int, seed: int, cache: TimeCache, folding: dict[int, int]) -> Iterator[Sentence]:
    """Yield the sentences of the grammar; where one has several contents, its requests are not told apart."""
    for example in Grammar.load(language).generate(count, seed):
        tokens = cache.tokens(example.text, folding)
        tags = labelled(example.spans, tokens)
        chance = random.Random(example.text)
        contents = sum(tag == "CONTENT" for tag, _ in label_pieces(tags))
        yield Sentence(
            forms=[token.form for token in tokens],
            tags=tags,
            intent=example.intent,
            context=example.context,
            is_addressed=example.is_addressed,
            weight=_OF_GRAMMAR,
            begins=() if contents <= 1 else None,
            known=supposed(tags, chance),
        )


def supposed(tags: Sequence[str], chance: random.Random) -> frozenset[int]:
    """Return the places that words of coming reminders could have: mostly those of names, now and then any other."""
    spared = [at for at, tag in enumerate(tags) if tag == "SPARED"]
    named = spared or [at for at, tag in enumerate(tags) if tag == "REF"]
    if named:
        return frozenset(named) if chance.random() < _NAMED_KNOWN else frozenset()
    return frozenset(chance.sample(range(len(tags)), 1)) if tags and chance.random() < _OTHERS_KNOWN else frozenset()


def written(
    message: Message, known: ReminderWords, weight: float, cache: TimeCache, folding: dict[int, int], words: Lexicon
) -> Iterator[Sentence]:
    """Yield a message that somebody wrote, and each of its requests where it has several.

    `known` are the words of the reminders that were set before in the same conversation.
    """
    tokens = cache.tokens(message.text, folding)
    begins = tuple(_place_of(begin, tokens, words) for begin in message.begins)
    forms = [token.form for token in tokens]
    yield Sentence(
        forms=forms,
        tags=labelled(message.spans, tokens),
        intent=message.intents[0],
        context=message.context,
        is_addressed=message.is_addressed,
        weight=weight,
        begins=begins,
        known=known.find_places(forms),
    )
    bounds = [0, *begins, len(tokens)]
    for intent, (first, last) in zip(message.intents, pairwise(bounds), strict=True) if begins else ():
        part = trim_tokens(tuple(tokens[first:last]), words, is_first=not first)
        if part:
            start, end = part[0].start, part[-1].end
            spans = [(max(one - start, 0), other - start, tag) for one, other, tag in message.spans if other > start]
            text = message.text[start:end]
            own = cache.tokens(text, folding)
            forms = [token.form for token in own]
            yield Sentence(
                forms=forms,
                tags=labelled(spans, own),
                intent=intent,
                context="none",
                is_addressed=True,
                weight=weight,
                begins=(),
                known=known.find_places(forms),
            )


def _place_of(begin: int, tokens: Sequence[Token], words: Lexicon) -> int:
    """Return the place of the token with which a request begins; "and" and the like in front of it belong to it."""
    place = next((at for at, each in enumerate(tokens) if each.start >= begin), 0)
    while place > 1 and (tokens[place - 1].form in words.and_words or tokens[place - 1].form in words.beside):
        place -= 1
    return place


def joined(messages: Sequence[Message], count: int, chance: random.Random, is_spaced: bool) -> Iterator[Message]:
    """Yield `count` messages that are two or three of `messages` with a mark or a word between them.

    People seldom write several requests at once, so that few messages show where one ends.
    """
    alone = [each for each in messages if len(each.intents) == 1 and len(each.text) < _LONGEST_JOINED]
    by_intent: dict[str, list[Message]] = {}
    for each in alone:
        by_intent.setdefault(each.intents[0], []).append(each)
    for _ in range(count):
        wanted = chance.choice(_JOINED_INTENTS)
        parts = [chance.choice(by_intent[intent]) for intent in wanted if by_intent.get(intent)]
        text, spans, begins = "", [], []
        for part in parts:
            if text:
                text = text.rstrip(" .。!！") + chance.choice(_JOINTS if is_spaced else _JOINTS_UNSPACED)
                begins.append(len(text))
            spans += [(start + len(text), end + len(text), tag) for start, end, tag in part.spans]
            text += part.text
        yield Message(
            text=text,
            intents=tuple(part.intents[0] for part in parts),
            context=parts[0].context,
            is_addressed=any(part.is_addressed for part in parts),
            spans=tuple(spans),
            begins=tuple(begins),
        )


def sentences_of(language: str, count: int, seed: int, weight: float, cache: TimeCache) -> list[Sentence]:
    """Return all that the models of `language` are trained with.

    The sentences of the project's own tests count more than others, so that behaviour stays.
    """
    folding, words = folding_of(language), load_lexicon(language)
    found = list(generated(language, count, seed, cache, folding))
    for message in labelled_messages(LABELLED / f"{language}.tsv"):
        for sentence in written(message, ReminderWords(), _OF_TESTS * weight, cache, folding, words):
            known = supposed(sentence.tags, random.Random(message.text))
            is_fresh = sentence.context == "none" and not sentence.is_addressed
            context = AFTER_ANSWER if is_fresh else sentence.context
            found += [sentence, replace(sentence, known=known, context=context)]
    several: list[Message] = []
    for path in sorted((LABELLED / "messages").glob(f"{language}_*.tsv")):
        for conversation in conversations(path):
            texts: list[str] = []
            for message in with_contexts(conversation):
                known = collect_words(texts, load_common_words(language))
                found += written(message, known, weight, cache, folding, words)
                if _is_clear_unnamed(message, words):
                    unnamed = replace(message, is_addressed=False)
                    found += islice(written(unnamed, known, 1, cache, folding, words), 1)
                texts += [message.text[start:end] for start, end, tag in message.spans if tag == "CONTENT"]
                several.append(message)
    for message in joined(several, len(several) // 8, random.Random(seed), words.joint != ""):
        found += islice(written(message, ReminderWords(), 1, cache, folding, words), 1)
    return [each for each in found if each.forms]


def with_contexts(conversation: Iterable[Message]) -> Iterator[Message]:
    """Yield the messages of a conversation; those that follow an answer to another person have that context."""
    is_answered = False
    for message in conversation:
        is_after = is_answered and message.context == "none" and not message.is_addressed
        yield replace(message, context=AFTER_ANSWER) if is_after else message
        is_answered = message.intents[0] != NOTHING


def _is_clear_unnamed(message: Message, words: Lexicon) -> bool:
    """Return whether a message to the bot is as clear without its name, as it says "remind" or "reminder".

    In a group people mostly name the bot; in a chat with few others they do not.
    """
    is_said = any(word in words.fold(message.text) for word in words.triggers)
    return message.is_addressed and message.intents[0] != NOTHING and is_said


def train(language: str, count: int, seed: int, strength: float, weight: float) -> ModelFile:
    """Generate `count` examples of each frame and fit the models; a written message counts `weight` times."""
    cache = TimeCache(language)
    sentences = sentences_of(language, count, seed, weight, cache)
    cache.save()
    intents = [each.intent for each in sentences]
    sentences = [replace(each, forms=strip_accents(each.forms)) for each in sentences]
    forms = with_unknown([each.forms for each in sentences], [each.tags for each in sentences], intents, seed)
    counts_classes = language in _INTENTS_BY_CLASSES
    kinds = kinds_of(sentences, forms, load_classes(language), seed)
    rows = [
        hashes_of(
            classifier_features(
                words, classes if counts_classes else (), each.context, each.known, is_addressed=each.is_addressed
            )
        )
        for words, classes, each in zip(forms, kinds, sentences, strict=True)
    ]
    classifier = LogisticRegression(C=strength, max_iter=200, tol=1e-4)
    classifier.fit(matrix(rows, INTENT_BUCKETS), intents, [each.weight for each in sentences])
    tag_rows, tag_labels, tag_weights = [], [], []
    for words, classes, each in zip(forms, kinds, sentences, strict=True):
        for at, label in enumerate(each.tags if each.intent != NOTHING else ()):
            tag_rows.append(hashes_of(tagger_features(words, classes, at, each.intent, each.tags[:at], each.known)))
            tag_labels.append(label)
            tag_weights.append(each.weight)
    tagger = LogisticRegression(C=0.3, max_iter=60, tol=1e-4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # more iterations change no tag
        tagger.fit(matrix(tag_rows, TAG_BUCKETS), tag_labels, tag_weights)
    split = fitted_splitter(sentences)
    seen = Counter(
        compute_bucket(intent_feature(each.intent, form), _ALL)
        for words, each in zip(forms, sentences, strict=True)
        for form in set(words) - {_UNKNOWN}
    )
    return ModelFile(
        packed(classifier.classes_, classifier.coef_, classifier.intercept_, _INTENT_VALUES),
        packed(tagger.classes_, tagger.coef_, tagger.intercept_, _TAG_VALUES),
        split,
        folding_of(language),
        bits_of(row for row, count in seen.items() if count >= _FEWEST_ROWS),
        counts_classes,
    )


def fitted_splitter(sentences: Iterable[Sentence]) -> PackedModel:
    """Fit the model that finds the beginnings of further requests; it finds none where no sentence has any."""
    rows, labels, weights = [], [], []
    for each in sentences:
        first = 0
        for at in range(1, len(each.forms) if each.begins is not None and each.intent != NOTHING else 0):
            rows.append(hashes_of(split_features(each.forms, each.tags, at, first)))
            labels.append(at in each.begins)  # type: ignore[operator]
            weights.append(each.weight)
            first = at if labels[-1] else first
    if not any(labels):
        return packed(_SPLIT_LABELS, np.zeros((2, SPLIT_BUCKETS)), (1.0, 0.0), _SPLIT_VALUES)
    model = LogisticRegression(C=1.0, max_iter=400, tol=1e-6)  # beginnings are rare, and their gradients small
    model.fit(matrix(rows, SPLIT_BUCKETS), labels, weights)
    half = model.coef_[0] / 2
    bias = float(model.intercept_[0]) / 2
    return packed(_SPLIT_LABELS, np.stack([-half, half]), (-bias, bias), _SPLIT_VALUES)


def main() -> None:
    """Train the languages that are named, and write their weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("languages", nargs="+")
    parser.add_argument("--count", type=int, default=3, help="examples of each frame")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--strength", type=float, default=1.0)
    parser.add_argument("--weight", type=float, default=3.0, help="how often a message that somebody wrote counts")
    options = parser.parse_args()
    for language in options.languages:
        file = train(language, options.count, options.seed, options.strength, options.weight)
        data = lzma.compress(msgspec.msgpack.encode(file), preset=9 | lzma.PRESET_EXTREME)
        (WEIGHTS / f"{language}.bin").write_bytes(data)
        sys.stdout.write(f"{language}: {len(data):,} bytes\n")


if __name__ == "__main__":
    main()
