"""Train the network of one language with written messages and the sentences of its grammar, and write the weights.

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

from benchmarks.understanding.generator import GRAMMARS, LABELLED, Grammar, Message, conversations, labelled_messages
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
"""The rows for the beginnings and ends of words, and for pairs of characters in languages without spaces."""
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
_MAX_TALK_LENGTH, _REMARK_BEHIND = 40, 0.6
_NAMED_KNOWN, _OTHERS_KNOWN = 0.7, 0.05
"""The share of generated sentences with words of a coming reminder: of those that name one, and of all others."""
_OF_GRAMMAR, _OF_TESTS = 0.8, 8
"""The weight of a generated sentence, and the factor for the weight of the sentences of our own tests."""
_START = datetime(2026, 11, 23, 7, 3, 37, tzinfo=ZoneInfo("Europe/London"))


def folding_of(language: str) -> dict[int, int]:
    """Return the map of traditional to simplified characters, empty for other languages."""
    raw = tomllib.loads((GRAMMARS / f"{language}.toml").read_text(encoding="utf-8")).get("folding", {})
    return str.maketrans(raw.get("traditional", ""), raw.get("simplified", ""))


class Sentence(Struct, frozen=True, kw_only=True):
    """A message or one of its requests as the models see it: the forms of its tokens, with their tags.

    `begins` are the places at which further requests begin, None where these are not known; `reminder_places` those of
    words in the texts of coming reminders. `weight` is how many times it counts.
    """

    forms: list[str]
    tags: list[str]
    intent: str
    context: str
    is_addressed: bool
    weight: float
    begins: tuple[int, ...] | None
    reminder_places: frozenset[int] = frozenset()


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


def label_pieces(tags: Sequence[str]) -> list[str]:
    """Return the tag of each labelled piece, in order."""
    return [tag for at, tag in enumerate(tags) if tag != NO_TAG and (not at or tags[at - 1] != tag)]


def generated(language: str, count: int, seed: int, cache: TimeCache, folding: dict[int, int]) -> Iterator[Sentence]:
    """Yield the sentences of the grammar; where one has several contents, its requests are not told apart."""
    for example in Grammar.load(language).generate(count, seed):
        tokens = cache.tokens(example.text, folding)
        tags = labelled(example.spans, tokens)
        chance = random.Random(example.text)
        contents = label_pieces(tags).count("CONTENT")
        yield Sentence(
            forms=[token.form for token in tokens],
            tags=tags,
            intent=example.intent,
            context=example.context,
            is_addressed=example.is_addressed,
            weight=_OF_GRAMMAR,
            begins=() if contents <= 1 else None,
            reminder_places=supposed(tags, chance),
        )


def supposed(tags: Sequence[str], chance: random.Random) -> frozenset[int]:
    """Return the places that words of coming reminders could have: mostly those of names, now and then any other."""
    spared = [at for at, tag in enumerate(tags) if tag == "SPARED"]
    named = spared or [at for at, tag in enumerate(tags) if tag == "REF"]
    if named:
        return frozenset(named) if chance.random() < _NAMED_KNOWN else frozenset()
    return frozenset(chance.sample(range(len(tags)), 1)) if tags and chance.random() < _OTHERS_KNOWN else frozenset()


def written(
    message: Message,
    reminder_words: ReminderWords,
    weight: float,
    cache: TimeCache,
    folding: dict[int, int],
    words: Lexicon,
) -> Iterator[Sentence]:
    """Yield a message that somebody wrote, and each of its requests where it has several.

    `reminder_words` are those of the reminders that were set before in the same conversation.
    """
    tokens = cache.tokens(message.text, folding)
    begins = tuple(_place_of(begin, tokens, words) for begin in message.begins)
    yield Sentence(
        forms=[token.form for token in tokens],
        tags=labelled(message.spans, tokens),
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
            own = cache.tokens(text, folding)
            yield Sentence(
                forms=[token.form for token in own],
                tags=labelled(spans, own),
                intent=intent,
                context="none",
                is_addressed=True,
                weight=weight,
                begins=(),
                reminder_places=reminder_words.find_places([token.form for token in own]),
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
    alone = [each for each in messages if len(each.intents) == 1 and len(each.text) < _MAX_JOINED_LENGTH]
    by_intent: dict[str, list[Message]] = {}
    for each in alone:
        by_intent.setdefault(each.intents[0], []).append(each)
    for _ in range(count):
        wanted = chance.choice(_JOINED_INTENTS)
        parts = [chance.choice(by_intent[intent]) for intent in wanted if by_intent.get(intent)]
        whole = concatenate(parts, _JOINTS if is_spaced else _JOINTS_UNSPACED, chance)
        yield replace(whole, is_addressed=any(part.is_addressed for part in parts))


def beside_talk(messages: Sequence[Message], count: int, chance: random.Random, is_spaced: bool) -> Iterator[Message]:
    """Yield `count` messages that are a request with a remark in front or behind, and as many of two remarks.

    Most of those that people write with a reason are longer: "make it 8, I'm at dinner".
    """
    alone = [each for each in messages if len(each.intents) == 1]
    talk = [each for each in alone if each.intents[0] == NOTHING and len(each.text) < _MAX_TALK_LENGTH]
    requests = [each for each in alone if each.intents[0] != NOTHING and len(each.text) < _MAX_JOINED_LENGTH]
    joints = _TALK_JOINTS if is_spaced else _TALK_JOINTS_UNSPACED
    for number in range(2 * count):
        request = chance.choice(requests if number < count else talk)
        parts = [request, chance.choice(talk)]
        whole = concatenate(parts if chance.random() < _REMARK_BEHIND else parts[::-1], joints, chance)
        yield replace(
            whole, intents=request.intents, context=request.context, is_addressed=request.is_addressed, begins=()
        )


def concatenate(parts: Sequence[Message], joints: Sequence[str], chance: random.Random) -> Message:
    """Return `parts` as one message, in the context of the first, with one of `joints` between neighbours."""
    text, spans, begins = "", [], []
    for part in parts:
        if text:
            text = text.rstrip(" .。!！") + chance.choice(joints)
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


def sentences_of(language: str, count: int, seed: int, weight: float, cache: TimeCache) -> list[Sentence]:
    """Return all that the models of `language` are trained with.

    The sentences of the project's own tests count more than others, so that behaviour stays.
    """
    folding, words = folding_of(language), load_lexicon(language)
    found = list(generated(language, count, seed, cache, folding))
    for message in labelled_messages(LABELLED / f"{language}.tsv"):
        for sentence in written(message, ReminderWords(), _OF_TESTS * weight, cache, folding, words):
            reminder_places = supposed(sentence.tags, random.Random(message.text))
            is_fresh = sentence.context == "none" and not sentence.is_addressed
            context = AFTER_ANSWER if is_fresh else sentence.context
            found += [sentence, replace(sentence, reminder_places=reminder_places, context=context)]
    several: list[Message] = []
    for path in sorted((LABELLED / "messages").glob(f"{language}_*.tsv")):
        for conversation in conversations(path):
            texts: list[str] = []
            for message in with_contexts(conversation):
                reminder_words = collect_words(texts, load_common_words(language))
                found += written(message, reminder_words, weight, cache, folding, words)
                if _is_clear_unnamed(message, words):
                    unnamed = replace(message, is_addressed=False)
                    found += islice(written(unnamed, reminder_words, 1, cache, folding, words), 1)
                texts += [message.text[start:end] for start, end, tag in message.spans if tag == "CONTENT"]
                several.append(message)
    chance, is_spaced, share = random.Random(seed), words.joint != "", len(several) // 8
    for message in (*joined(several, share, chance, is_spaced), *beside_talk(several, share, chance, is_spaced)):
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


def train(language: str, count: int, seed: int, weight: float, epochs: int, start: PackedNetwork | None) -> ModelFile:
    """Generate `count` examples of each frame and fit the network; a written message counts `weight` times."""
    cache = TimeCache(language)
    sentences = sentences_of(language, count, seed, weight, cache)
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
    return ModelFile(network, folding_of(language))


def main() -> None:
    """Train the languages that are named, and write their weights."""
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
