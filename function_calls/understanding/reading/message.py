"""Read one message: its probable intents, and which of its words say when, what, who and which."""

import lzma
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import cache
from importlib.resources import files
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from function_calls.understanding.reading.reminder_words import ReminderWords
from function_calls.understanding.reading.tokens import (
    Token,
    find_time_spans,
    is_time,
    mark_seconds,
    strip_accents,
    tokenize,
)
from services.time_expressions import ReadTimes

if TYPE_CHECKING:
    from function_calls.understanding.reading.network import Array, ModelFile, Network

NO_TAG = "O"
"""The tag of a token outside of the slots."""
QUESTION_MARKS = ("?", "？")
QUESTION_ENDS = (*QUESTION_MARKS, "吗", "呢", "么")
NOTHING = "none"
"""The intent of what is not for the bot; its words have no tags."""
AFTER_ANSWER = "after_answer"
"""The context of a message right after the bot has answered another person, without a dialogue of its sender."""
CERTAIN = 0.9
"""The probability from which an intent is taken for certain."""
_MIN_BEGIN_SCORE = -0.6
"""The log-odds from which a token begins a request: one that is missed loses more than one too many."""
_PARTING = frozenset(",;.!?)+&")
_REPEATED = frozenset({"@rule", "@ruletime"})


class Models(Struct, frozen=True):
    """The network of one language, and its folding of traditional characters."""

    network: "Network"
    folding: dict[int, int]

    def knows(self, reading: "MessageReading") -> bool:
        """Return whether the training sentences have each word outside of the slots of `reading`."""
        return all(
            self.network.knows(form)
            for form, tag in zip(strip_accents(reading.forms), reading.tags, strict=True)
            if tag == NO_TAG and form.isalpha()
        )


class Situation(Struct, frozen=True, kw_only=True):
    """The situation in which a message is written.

    `context` is the state of the dialogue with its sender, or `AFTER_ANSWER`; `is_addressed` says that it is for the
    bot, and `reminder_words` are those of the coming reminders of the chat.
    """

    context: str = "none"
    is_addressed: bool
    reminder_words: ReminderWords = ReminderWords()


class Classification(Struct, frozen=True):
    """The tokens of one message before they have tags: a vector for each, and the intents with their probabilities.

    `intents` are best first, `reminder_places` the places of words in the texts of coming reminders.
    """

    hidden: "Array"
    intents: tuple[tuple[str, float], ...]
    reminder_places: frozenset[int]


class MessageReading(Struct, frozen=True):
    """One message as read: `intents` with their probabilities, best first, and a tag for each token.

    `begins` are the places of the tokens with which further requests begin, `reminder_places` those of words in the
    texts of coming reminders.
    """

    text: str
    tokens: tuple[Token, ...]
    intents: tuple[tuple[str, float], ...]
    tags: tuple[str, ...]
    begins: tuple[int, ...] = ()
    reminder_places: frozenset[int] = frozenset()

    @property
    def intent(self) -> str:
        """Return the most probable intent."""
        return self.intents[0][0]

    @property
    def certainty(self) -> float:
        """Return the probability of the most probable intent."""
        return self.intents[0][1]

    @property
    def is_certain(self) -> bool:
        """Return whether the most probable intent is taken for certain."""
        return self.certainty >= CERTAIN

    @property
    def is_question(self) -> bool:
        """Return whether the text ends as a question."""
        return self.text.rstrip().endswith(QUESTION_ENDS)

    def probability(self, intent: str) -> float:
        """Return the probability of `intent`."""
        return dict(self.intents).get(intent, 0.0)

    def pieces(self, tag: str) -> list[str]:
        """Return the pieces of the text with `tag`, in order; what stands between two tokens belongs to them."""
        return self.slice(self.spans(tag))

    def slice(self, spans: Iterable[tuple[int, int]]) -> list[str]:
        """Return the pieces of the text at `spans`."""
        return [self.text[start:end] for start, end in spans]

    def spans(self, tag: str) -> list[tuple[int, int]]:
        """Return where the pieces with `tag` stand."""
        return [(self.tokens[first].start, self.tokens[last - 1].end) for first, last in find_runs(self.tags, tag)]

    def words(self, tag: str) -> str:
        """Return the words with `tag` as one text, pieces joined by a space."""
        return " ".join(piece.strip() for piece in self.pieces(tag)).strip()

    @property
    def tagged(self) -> Iterator[tuple[Token, str]]:
        """Return each token with its tag."""
        return zip(self.tokens, self.tags, strict=True)

    @property
    def forms(self) -> tuple[str, ...]:
        """Return the forms of the tokens."""
        return tuple(token.form for token in self.tokens)

    @property
    def times(self) -> tuple[Token, ...]:
        """Return the tokens that are time expressions."""
        return tuple(token for token in self.tokens if is_time(token))

    @property
    def only_time(self) -> str:
        """Return the text of the only time expression; "" for none or several."""
        times = self.times
        return self.text_of(times[0]) if len(times) == 1 else ""

    @property
    def has_rule(self) -> bool:
        """Return whether a token is a repetition, with or without a clock: "@rule", "@ruletime"."""
        return any(form.startswith("@rule") for form in self.forms)

    def text_of(self, first: Token, last: Token | None = None) -> str:
        """Return the text of a token, or of all from `first` to `last`."""
        return self.text[first.start : (last or first).end]

    @property
    def untagged(self) -> tuple[Token, ...]:
        """Return the tokens without a tag."""
        return tuple(token for token, tag in self.tagged if tag == NO_TAG)

    def join_untagged(self, joint: str) -> str:
        """Return the forms of the untagged words joined by `joint`, with a comma for each tagged token or time."""
        return joint.join(token.form if tag == NO_TAG and not is_time(token) else "," for token, tag in self.tagged)

    def with_tokens(self, places: Sequence[int]) -> "MessageReading":
        """Return the same message with the tokens at `places` alone."""
        return replace(
            self,
            tokens=tuple(self.tokens[at] for at in places),
            tags=tuple(self.tags[at] for at in places),
            begins=tuple(sum(at < begin for at in places) for begin in self.begins),
            reminder_places=frozenset(place for place, at in enumerate(places) if at in self.reminder_places),
        )

    def split_token(self, at: int, pieces: Sequence[tuple[Token, str]]) -> "MessageReading":
        """Return the same message with `pieces`, tokens with their tags, in place of the token at `at`."""
        more, (tokens, tags) = len(pieces) - 1, zip(*pieces, strict=True)
        return replace(
            self,
            tokens=(*self.tokens[:at], *tokens, *self.tokens[at + 1 :]),
            tags=(*self.tags[:at], *tags, *self.tags[at + 1 :]),
            begins=tuple(begin + more if begin > at else begin for begin in self.begins),
            reminder_places=frozenset(place + more if place > at else place for place in self.reminder_places),
        )

    def with_tags(self, tags: Iterable[str]) -> "MessageReading":
        """Return the same message with other tags."""
        return replace(self, tags=tuple(tags))

    def has(self, tag: str) -> bool:
        """Return whether any token has `tag`."""
        return tag in self.tags


Read = Callable[[str], MessageReading]
"""Reads a piece of a text as a message."""
Classify = Callable[[Sequence[Token]], tuple[tuple[str, float], ...]]
"""Returns the intents of tokens with their probabilities, best first."""


@cache
def has_models(language: str) -> bool:
    """Return whether there are weights for `language`."""
    return files(__package__).joinpath("weights", f"{language}.bin").is_file()


@cache
def load_models(language: str) -> Models:
    """Load the weights of `language`."""
    from function_calls.understanding.reading.network import Network

    file = load_file(language)
    return Models(Network(file.network, load_classes(language)), file.folding)


def load_file(language: str) -> "ModelFile":
    """Load the weights of `language` as they are stored."""
    from function_calls.understanding.reading.network import ModelFile  # with NumPy, not needed until a message comes

    data = files(__package__).joinpath("weights", f"{language}.bin").read_bytes()
    return msgspec.msgpack.decode(lzma.decompress(data), type=ModelFile)


def load_classes(language: str) -> dict[str, int]:
    """Load the classes of the frequent words of `language`; none where there is no table."""
    file = files(__package__).joinpath("weights", f"{language}_classes.bin")
    if not file.is_file():
        return {}
    words, classes = msgspec.msgpack.decode(lzma.decompress(file.read_bytes()), type=tuple[str, list[int]])
    return dict(zip(words.split(" "), classes, strict=True))


def read_message(
    text: str,
    now: datetime,
    situation: Situation,
    models: Models,
    times: ReadTimes,
    language: str,
) -> MessageReading:
    """Read `text`, written at `now` (timezone-aware) in a `situation` of the dialogue."""
    tokens = tokenize_message(text, now, models, times, language)
    return tag_tokens(text, tokens, classify_tokens([token.form for token in tokens], situation, models), models)


def tokenize_message(text: str, now: datetime, models: Models, times: ReadTimes, language: str) -> tuple[Token, ...]:
    """Split `text`, written at `now` (timezone-aware), into tokens, each time expression being one."""
    return tokenize(text, find_time_spans(times(text, mark_seconds(now), language=language)), models.folding)


def classify_tokens(forms: Sequence[str], situation: Situation, models: Models) -> Classification:
    """Return the vectors and the intents of tokens in a `situation` of the dialogue."""
    network, reminder_places = models.network, situation.reminder_words.find_places(forms)
    hidden = network.encode(strip_accents(forms), reminder_places)
    shares = network.rank_intents(hidden, situation.context, is_addressed=situation.is_addressed)
    intents = sorted(zip(network.intents, shares, strict=True), key=itemgetter(1), reverse=True)
    return Classification(hidden, tuple(intents), reminder_places)


def tag_tokens(text: str, tokens: tuple[Token, ...], classified: Classification, models: Models) -> MessageReading:
    """Return the reading of `text`, with the tags of its tokens under the best intent."""
    tags, begins = _label_tokens(text, tokens, classified.intents[0][0], classified.hidden, models)
    return MessageReading(text, tokens, classified.intents, tags, begins, classified.reminder_places)


def set_best_intent(reading: MessageReading, intent: str, models: Models) -> MessageReading:
    """Return `reading` with `intent` as the best one, and with the tags that its words have under it."""
    share = reading.probability(intent)
    others = tuple(each for each in reading.intents if each[0] != intent)
    hidden = models.network.encode(strip_accents(reading.forms), reading.reminder_places)
    tags, begins = _label_tokens(reading.text, reading.tokens, intent, hidden, models)
    return MessageReading(
        reading.text, reading.tokens, ((intent, share), *others), tags, begins, reading.reminder_places
    )


def set_only_intent(reading: MessageReading, intent: str, models: Models) -> MessageReading:
    """Return `reading` with `intent` as the only and certain one, and with the tags that its words have under it."""
    return set_best_intent(replace(reading, intents=((intent, 1.0),)), intent, models)


def merge_intents(reading: MessageReading, gone: str, into: str, models: Models) -> MessageReading:
    """Return `reading` with the probability of the intent `gone` added to that of `into`."""
    if not reading.probability(gone):
        return reading
    share = reading.probability(gone) + reading.probability(into)
    others = (intent for intent in reading.intents if intent[0] not in {gone, into})
    intents = tuple(sorted([(into, share), *others], key=lambda each: -each[1]))
    changed = replace(reading, intents=intents)
    return set_best_intent(changed, changed.intent, models) if changed.intent != reading.intent else changed


def _label_tokens(
    text: str, tokens: Sequence[Token], intent: str, hidden: "Array", models: Models
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the tag of each token of a message of `intent`, and the places at which further requests begin."""
    if intent == NOTHING or not tokens:
        return (NO_TAG,) * len(tokens), ()
    tags, begins = models.network.tag(hidden, intent)
    places = (at for at, begin in enumerate(begins) if at and begin > _MIN_BEGIN_SCORE)
    return _merge_expressions(tokens, tags), tuple(at for at in places if _begins_word(text, tokens[at].start))


def _merge_expressions(tokens: Sequence[Token], tags: Sequence[str]) -> tuple[str, ...]:
    """Return `tags` with one tag for the pieces of a time expression of which any has one.

    A repetition and its first day or its end are one time, wherever they stand. A time that is partly that of an event
    is so as a whole beside a lead, and one that begins within the content belongs to it beside another time.
    """
    pairs = list(zip(tokens, tags, strict=True))
    tagged = {token.expression: tag for token, tag in pairs if tag != NO_TAG}
    repeated = {token.expression for token, tag in pairs if tag == "WHEN" and token.form in _REPEATED}
    events = {token.expression for token, tag in pairs if tag == "EVENT"} if "LEAD" in tags else set()
    first = {token.expression: tag for token, tag in reversed(pairs) if token.expression >= 0}
    inner = {expression for expression, tag in first.items() if tag == "CONTENT"} if "WHEN" in first.values() else set()

    def choose_tag(token: Token, tag: str) -> str:
        if token.expression in repeated or (tag == "PERSON" and token.expression >= 0):  # no time is a name
            return "WHEN"
        if tag == "WHEN" and token.expression in events | inner:
            return "EVENT" if token.expression in events else "CONTENT"
        return tagged.get(token.expression, tag) if tag == NO_TAG and token.expression >= 0 else tag

    return tuple(map(choose_tag, tokens, tags))


def _begins_word(text: str, at: int) -> bool:
    """Return whether the word at `at` begins behind a space or a mark, and not within an address or another word."""
    before = text[at - 1 : at]
    return not before.isascii() or before.isspace() or before in _PARTING


def find_runs(tags: Sequence[str], tag: str) -> Iterator[tuple[int, int]]:
    """Yield where the runs of tokens with `tag` begin and end, the end exclusive."""
    end = 0
    for each, run in groupby(tags):
        first, end = end, end + len(list(run))
        if each == tag:
            yield first, end
