"""Train the networks of languages with labelled messages and generated sentences, and write the weights.

Run by `make train`, which installs JAX and scikit-learn into an environment of its own.
"""

import argparse
import lzma
import random
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice, pairwise
from pathlib import Path
from zlib import crc32
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from benchmarks.understanding.generator import GRAMMARS, LABELLED, Grammar, Message, load_conversations, load_messages
from benchmarks.understanding.network import Sample, fit
from function_calls.understanding.reading.lexicon import Lexicon, load_common_words, load_lexicon
from function_calls.understanding.reading.message import (
    AFTER_ANSWER,
    NO_TAG,
    NOTHING,
    load_classes,
    load_file,
)
from function_calls.understanding.reading.network import ModelFile, PackedNetwork
from function_calls.understanding.reading.reminder_words import ReminderWords, collect_words
from function_calls.understanding.reading.slots.small_words import trim_tokens
from function_calls.understanding.reading.tokens import (
    TimeSpan,
    Token,
    find_time_spans,
    mark_seconds,
    strip_accents,
    tokenize,
)
from services.time_expressions import parse_all

ROOT = Path(__file__).parents[2]
WEIGHTS = ROOT / "function_calls" / "understanding" / "reading" / "weights"
_AFFIXES, _PAIRS = 1 << 12, 1 << 13
"""The number of rows for word affixes, and for character pairs in languages without spaces."""
_MAX_JOINED_LENGTH = 70
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
_TALK_JOINTS, _TALK_JOINTS_UNSPACED = (", ", ", ", ". ", " - ", " ", "\n"), ("，", "，", "。", " ", " ", "\n")
_MAX_TALK_LENGTH, _REMARK_LAST_SHARE = 40, 0.6
_NAMED_SHARE, _OTHER_SHARE = 0.7, 0.05
"""The share of generated sentences with words of an upcoming reminder: of those that name one, and of others."""
_GRAMMAR_WEIGHT, _TEST_FACTOR = 0.8, 8
"""The weight of a generated sentence, and the factor of sentences from our own tests."""
_START = datetime(2026, 11, 23, 7, 3, 37, tzinfo=ZoneInfo("Europe/London"))


def load_folding(language: str) -> dict[int, int]:
    """Return the map of traditional to simplified characters, empty for other languages."""
    raw = tomllib.loads((GRAMMARS / f"{language}.toml").read_text(encoding="utf-8")).get("folding", {})
    return str.maketrans(raw.get("traditional", ""), raw.get("simplified", ""))


class Sentence(Struct, frozen=True, kw_only=True):
    """A message, or one of its requests, as forms and tags of its tokens.

    `begins` are the places of further requests, or None if they are not known. `reminder_places` are the places of
    words that occur in the texts of upcoming reminders.
    """

    forms: list[str]
    tags: list[str]
    intent: str
    context: str
    is_addressed: bool
    weight: float
    begins: tuple[int, ...] | None
    reminder_places: frozenset[int] = frozenset()


def assign_tags(labels: Iterable[tuple[int, int, str]], tokens: Sequence[Token]) -> list[str]:
    """Return the tag of each token, which is that of most of its characters."""
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


def _compute_version(language: str) -> int:
    """Return a checksum of the files that read the times of `language`."""
    engine = ROOT / "services" / "time_expressions"
    files = (*sorted(engine.rglob("*.py")), engine / "lexicons" / f"{language}.toml")
    return crc32(b"".join(file.read_bytes() for file in files))


class TimeCache:
    """A cache in `build/` of the time expressions in texts."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._path = ROOT / "build" / f"times-{language}-{_compute_version(language):08x}.msgpack"
        data = self._path.read_bytes() if self._path.exists() else msgspec.msgpack.encode({})
        self._known = msgspec.msgpack.decode(data, type=dict[str, tuple[TimeSpan, ...]])

    def tokenize(self, text: str, folding: dict[int, int]) -> list[Token]:
        """Return the tokens of `text`, with time expressions from the cache if possible."""
        return list(tokenize(text, self._find_time_spans(text), folding))

    def _find_time_spans(self, text: str) -> tuple[TimeSpan, ...]:
        if text not in self._known:
            minutes = crc32(text.encode()) % (60 * 24 * 7)
            now = mark_seconds(_START + timedelta(minutes=minutes))
            self._known[text] = find_time_spans(parse_all(text, now, language=self._language))
        return self._known[text]

    def save(self) -> None:
        """Write the cache."""
        self._path.parent.mkdir(exist_ok=True)
        self._path.write_bytes(msgspec.msgpack.encode(self._known))


def list_piece_tags(tags: Sequence[str]) -> list[str]:
    """Return the tags without repetitions of neighbours and without `NO_TAG`."""
    return [tag for at, tag in enumerate(tags) if tag != NO_TAG and (not at or tags[at - 1] != tag)]


def generate_sentences(
    language: str, count: int, seed: int, cache: TimeCache, folding: dict[int, int]
) -> Iterator[Sentence]:
    """Yield sentences of the grammar; the requests of one with several contents have no known `begins`."""
    for example in Grammar.load(language).generate(count, seed):
        tokens = cache.tokenize(example.text, folding)
        tags = assign_tags(example.spans, tokens)
        rng = random.Random(example.text)
        contents = list_piece_tags(tags).count("CONTENT")
        yield Sentence(
            forms=[token.form for token in tokens],
            tags=tags,
            intent=example.intent,
            context=example.context,
            is_addressed=example.is_addressed,
            weight=_GRAMMAR_WEIGHT,
            begins=() if contents <= 1 else None,
            reminder_places=sample_reminder_places(tags, rng),
        )


def sample_reminder_places(tags: Sequence[str], rng: random.Random) -> frozenset[int]:
    """Return random places of words of upcoming reminders: mostly those of references, sometimes another one."""
    spared = [at for at, tag in enumerate(tags) if tag == "SPARED"]
    named = spared or [at for at, tag in enumerate(tags) if tag == "REF"]
    if named:
        return frozenset(named) if rng.random() < _NAMED_SHARE else frozenset()
    return frozenset(rng.sample(range(len(tags)), 1)) if tags and rng.random() < _OTHER_SHARE else frozenset()


def convert_message(
    message: Message,
    reminder_words: ReminderWords,
    weight: float,
    cache: TimeCache,
    folding: dict[int, int],
    words: Lexicon,
) -> Iterator[Sentence]:
    """Yield a labelled message, and each of its requests if it has several.

    `reminder_words` are from the reminders that were set before in the same conversation.
    """
    tokens = cache.tokenize(message.text, folding)
    begins = tuple(_find_begin(begin, tokens, words) for begin in message.begins)
    yield Sentence(
        forms=[token.form for token in tokens],
        tags=assign_tags(message.spans, tokens),
        intent=message.intents[0],
        context=message.context,
        is_addressed=message.is_addressed,
        weight=weight,
        begins=begins,
        reminder_places=reminder_words.find_places([token.form for token in tokens]),
    )
    bounds = [0, *begins, len(tokens)]
    for intent, (first, last) in zip(message.intents, pairwise(bounds), strict=True) if begins else ():
        part = trim_tokens(tuple(tokens[first:last]), words, is_first=not first)
        if part:
            start, end = part[0].start, part[-1].end
            spans = [(max(one - start, 0), other - start, tag) for one, other, tag in message.spans if other > start]
            text = message.text[start:end]
            own = cache.tokenize(text, folding)
            yield Sentence(
                forms=[token.form for token in own],
                tags=assign_tags(spans, own),
                intent=intent,
                context="none",
                is_addressed=True,
                weight=weight,
                begins=(),
                reminder_places=reminder_words.find_places([token.form for token in own]),
            )


def _find_begin(begin: int, tokens: Sequence[Token], words: Lexicon) -> int:
    """Return the place of the first token of a request, including words such as "and" in front of it."""
    place = next((at for at, each in enumerate(tokens) if each.start >= begin), 0)
    while place > 1 and (tokens[place - 1].form in words.and_words or tokens[place - 1].form in words.beside):
        place -= 1
    return place


def join_requests(messages: Sequence[Message], count: int, rng: random.Random, is_spaced: bool) -> Iterator[Message]:
    """Yield `count` messages of two or three requests, with a mark or a word between them.

    Few labelled messages have several requests, from which the network learns where one ends.
    """
    alone = [each for each in messages if len(each.intents) == 1 and len(each.text) < _MAX_JOINED_LENGTH]
    by_intent: dict[str, list[Message]] = {}
    for each in alone:
        by_intent.setdefault(each.intents[0], []).append(each)
    for _ in range(count):
        wanted = rng.choice(_JOINED_INTENTS)
        parts = [rng.choice(by_intent[intent]) for intent in wanted if by_intent.get(intent)]
        whole = concatenate(parts, _JOINTS if is_spaced else _JOINTS_UNSPACED, rng)
        yield replace(whole, is_addressed=any(part.is_addressed for part in parts))


def join_talk(messages: Sequence[Message], count: int, rng: random.Random, is_spaced: bool) -> Iterator[Message]:
    """Yield `count` messages of a request and a remark, and as many of two remarks.

    People often give a reason: "make it 8, I'm at dinner".
    """
    alone = [each for each in messages if len(each.intents) == 1]
    talk = [each for each in alone if each.intents[0] == NOTHING and len(each.text) < _MAX_TALK_LENGTH]
    requests = [each for each in alone if each.intents[0] != NOTHING and len(each.text) < _MAX_JOINED_LENGTH]
    joints = _TALK_JOINTS if is_spaced else _TALK_JOINTS_UNSPACED
    for number in range(2 * count):
        request = rng.choice(requests if number < count else talk)
        parts = [request, rng.choice(talk)]
        whole = concatenate(parts if rng.random() < _REMARK_LAST_SHARE else parts[::-1], joints, rng)
        yield replace(
            whole, intents=request.intents, context=request.context, is_addressed=request.is_addressed, begins=()
        )


def concatenate(parts: Sequence[Message], joints: Sequence[str], rng: random.Random) -> Message:
    """Return `parts` as one message in the context of the first, separated by random `joints`."""
    text, spans, begins = "", [], []
    for part in parts:
        if text:
            text = text.rstrip(" .。!！") + rng.choice(joints)
            begins.append(len(text))
        spans += [(start + len(text), end + len(text), tag) for start, end, tag in part.spans]
        text += part.text
    return replace(
        parts[0],
        text=text,
        intents=tuple(part.intents[0] for part in parts),
        spans=tuple(spans),
        begins=tuple(begins),
    )


def collect_sentences(language: str, count: int, seed: int, weight: float, cache: TimeCache) -> list[Sentence]:
    """Return all training sentences of `language`.

    Those of the project's own tests have a higher weight, as they define the expected behaviour.
    """
    folding, words = load_folding(language), load_lexicon(language)
    found = list(generate_sentences(language, count, seed, cache, folding))
    for message in load_messages(LABELLED / f"{language}.tsv"):
        for sentence in convert_message(message, ReminderWords(), _TEST_FACTOR * weight, cache, folding, words):
            reminder_places = sample_reminder_places(sentence.tags, random.Random(message.text))
            is_fresh = sentence.context == "none" and not sentence.is_addressed
            context = AFTER_ANSWER if is_fresh else sentence.context
            found += [sentence, replace(sentence, reminder_places=reminder_places, context=context)]
    several: list[Message] = []
    for path in sorted((LABELLED / "messages").glob(f"{language}_*.tsv")):
        for conversation in load_conversations(path):
            texts: list[str] = []
            for message in add_contexts(conversation):
                reminder_words = collect_words(texts, load_common_words(language))
                found += convert_message(message, reminder_words, weight, cache, folding, words)
                if _is_clear_unnamed(message, words):
                    unnamed = replace(message, is_addressed=False)
                    found += islice(convert_message(unnamed, reminder_words, 1, cache, folding, words), 1)
                texts += [message.text[start:end] for start, end, tag in message.spans if tag == "CONTENT"]
                several.append(message)
    rng, is_spaced, share = random.Random(seed), words.joint != "", len(several) // 8
    for message in (*join_requests(several, share, rng, is_spaced), *join_talk(several, share, rng, is_spaced)):
        found += islice(convert_message(message, ReminderWords(), 1, cache, folding, words), 1)
    return [each for each in found if each.forms]


def add_contexts(conversation: Iterable[Message]) -> Iterator[Message]:
    """Yield the messages of a conversation, with the context `AFTER_ANSWER` for unaddressed ones after an answer."""
    is_answered = False
    for message in conversation:
        is_after = is_answered and message.context == "none" and not message.is_addressed
        yield replace(message, context=AFTER_ANSWER) if is_after else message
        is_answered = message.intents[0] != NOTHING


def _is_clear_unnamed(message: Message, words: Lexicon) -> bool:
    """Return whether a message to the bot is a clear request without its name, as it has "remind" or "reminder".

    Such messages are added without the name, which people often omit in small chats.
    """
    has_trigger = any(word in words.fold(message.text) for word in words.triggers)
    return message.is_addressed and message.intents[0] != NOTHING and has_trigger


def train(language: str, count: int, seed: int, weight: float, epochs: int, start: PackedNetwork | None) -> ModelFile:
    """Fit the network to `count` examples of each frame and to labelled messages, which have the weight `weight`."""
    cache = TimeCache(language)
    sentences = collect_sentences(language, count, seed, weight, cache)
    cache.save()
    affixes = _AFFIXES if load_lexicon(language).joint else _PAIRS
    samples = [
        Sample(
            forms=strip_accents(each.forms),
            tags=each.tags,
            intent=each.intent,
            context=each.context,
            is_addressed=each.is_addressed,
            weight=each.weight,
            begins=each.begins,
            reminder_places=each.reminder_places,
        )
        for each in sentences
    ]
    network = fit(samples, load_classes(language), NOTHING, epochs, affixes, start)
    return ModelFile(network, load_folding(language))


def main() -> None:
    """Train the networks of the languages and write their weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("languages", nargs="+")
    parser.add_argument("--count", type=int, default=3, help="examples of each frame")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=10, help="how often the network sees each sentence")
    parser.add_argument("--weight", type=float, default=3.0, help="how often a message that somebody wrote counts")
    parser.add_argument("--continue", dest="continues", action="store_true", help="begin with the weights as they are")
    options = parser.parse_args()
    for language in options.languages:
        start = load_file(language).network if options.continues else None
        file = train(language, options.count, options.seed, options.weight, options.epochs, start)
        data = lzma.compress(msgspec.msgpack.encode(file), preset=9 | lzma.PRESET_EXTREME)
        (WEIGHTS / f"{language}.bin").write_bytes(data)
        sys.stdout.write(f"{language}: {len(data):,} bytes\n")


if __name__ == "__main__":
    main()
