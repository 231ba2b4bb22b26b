"""Read one message: its probable intents, and which of its words say when, what, who and which."""

import lzma
from array import array
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from importlib.resources import files

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from function_calls.understanding.reading.features import (
    asking_places,
    bucket,
    classifier_features,
    intent_feature,
    tagger_features,
)
from function_calls.understanding.reading.linear import LinearModel
from function_calls.understanding.reading.tokens import TimeReader, Token, marked, time_spans, tokens_of

NO_TAG = "O"
NOTHING = "none"
"""The intent of what is not for the bot; its words have no tags."""
SEEN_BUCKETS = 1 << 18
_JOINING = frozenset({",", "、", "，", "and", "和", "&", "-", "/", "'", "’", '"', "“", "”", "的"})


class ModelFile(Struct, frozen=True):
    """A file of weights: labels, rows and scales of the two models of one language.

    `seen` has one bit for each of `SEEN_BUCKETS`: a word that training sentences of an intent have.
    """

    intents: tuple[str, ...]
    intent_buckets: int
    intent_scale: float
    intent_bias: tuple[float, ...]
    intent_weights: bytes
    tags: tuple[str, ...]
    tag_buckets: int
    tag_scale: float
    tag_bias: tuple[float, ...]
    tag_weights: bytes
    folding: dict[int, int]
    seen: bytes = b""


class Models(Struct, frozen=True):
    """The two models of one language, its folding of traditional characters, and the words it was trained on."""

    intent: LinearModel
    tag: LinearModel
    folding: dict[int, int]
    seen: bytes

    def knows(self, reading: "MessageReading") -> bool:
        """Return whether each word outside of the slots of `reading` was seen in sentences with its intent."""
        return all(
            self._has_seen(reading.intent, token.form)
            for token, tag in zip(reading.tokens, reading.tags, strict=True)
            if tag == NO_TAG and token.form.isalpha()
        )

    def _has_seen(self, intent: str, form: str) -> bool:
        if not self.seen:
            return self.tag.has_weights(bucket(intent_feature(intent, form), self.tag.buckets))
        place = bucket(intent_feature(intent, form), SEEN_BUCKETS)
        return bool(self.seen[place // 8] & 1 << place % 8)


class MessageReading(Struct, frozen=True):
    """One message as read: `intents` with their probabilities, best first, and a tag for each token."""

    text: str
    tokens: tuple[Token, ...]
    intents: tuple[tuple[str, float], ...]
    tags: tuple[str, ...]

    @property
    def intent(self) -> str:
        """Return the most probable intent."""
        return self.intents[0][0]

    def probability(self, intent: str) -> float:
        """Return the probability of `intent`."""
        return dict(self.intents).get(intent, 0.0)

    def pieces(self, tag: str) -> list[str]:
        """Return the pieces of the text with `tag`, in order; what stands between two tokens belongs to them."""
        return [self.text[start:end] for start, end in self.spans(tag)]

    def spans(self, tag: str) -> list[tuple[int, int]]:
        """Return where the pieces with `tag` stand."""
        found: list[tuple[int, int]] = []
        open_at: int | None = None
        for token, each in zip(self.tokens, self.tags, strict=True):
            if each != tag:
                open_at = None
            elif open_at is None:
                open_at = token.start
                found.append((token.start, token.end))
            else:
                found[-1] = (open_at, token.end)
        return found

    def words(self, tag: str) -> str:
        """Return the words with `tag` as one text, pieces joined by a space."""
        return " ".join(piece.strip() for piece in self.pieces(tag)).strip()

    def with_tags(self, tags: Iterable[str]) -> "MessageReading":
        """Return the same message with other tags."""
        return replace(self, tags=tuple(tags))

    def has(self, tag: str) -> bool:
        """Return whether any token has `tag`."""
        return tag in self.tags


@cache
def has_models(language: str) -> bool:
    """Return whether there are weights for `language`."""
    return files(__package__).joinpath("weights", f"{language}.bin").is_file()


@cache
def load_models(language: str) -> Models:
    """Load the weights of `language`."""
    data = files(__package__).joinpath("weights", f"{language}.bin").read_bytes()
    return models_of(msgspec.msgpack.decode(lzma.decompress(data), type=ModelFile))


def models_of(file: ModelFile) -> Models:
    """Return the models that `file` holds."""
    return Models(
        LinearModel(
            file.intents, file.intent_buckets, file.intent_scale, file.intent_bias, array("b", file.intent_weights)
        ),
        LinearModel(file.tags, file.tag_buckets, file.tag_scale, file.tag_bias, array("b", file.tag_weights)),
        file.folding,
        file.seen,
    )


def read_message(
    text: str,
    now: datetime,
    context: str,
    models: Models,
    times: TimeReader,
    language: str,
    *,
    is_addressed: bool,
) -> MessageReading:
    """Read `text`, written at `now` (timezone-aware) in a `context` of the dialogue."""
    spans = time_spans(times(text, marked(now), language=language))
    tokens = tokens_of(text, spans, models.folding)
    forms = [token.form for token in tokens]
    intents = intents_of(forms, context, models, is_addressed=is_addressed)
    return MessageReading(text, tokens, intents, tags_of(tokens, intents[0][0], models))


def intents_of(
    forms: Sequence[str], context: str, models: Models, *, is_addressed: bool
) -> tuple[tuple[str, float], ...]:
    """Return the intents of tokens with their probabilities, best first."""
    rows = [
        bucket(each, models.intent.buckets) for each in classifier_features(forms, context, is_addressed=is_addressed)
    ]
    shares = models.intent.probabilities(rows)
    return tuple(sorted(zip(models.intent.labels, shares, strict=True), key=lambda each: -each[1]))


def with_intent(reading: MessageReading, intent: str, models: Models) -> MessageReading:
    """Return `reading` with `intent` as the best one, and the tags that its words have then."""
    share = reading.probability(intent)
    others = tuple(each for each in reading.intents if each[0] != intent)
    tags = tags_of(reading.tokens, intent, models)
    return MessageReading(reading.text, reading.tokens, ((intent, share), *others), tags)


def tags_of(tokens: Sequence[Token], intent: str, models: Models) -> tuple[str, ...]:
    """Return the tag of each token; the pieces of one time expression have one tag where any has one."""
    tags = _most_probable([token.form for token in tokens], intent, models)
    named = {token.expression: tag for token, tag in zip(tokens, tags, strict=True) if tag != NO_TAG}
    return tuple(
        named.get(token.expression, tag) if tag == NO_TAG and token.expression >= 0 else tag
        for token, tag in zip(tokens, tags, strict=True)
    )


def _most_probable(forms: list[str], intent: str, models: Models) -> tuple[str, ...]:
    """Return the most probable tag of each token, given those in front of it."""
    if intent == NOTHING:
        return (NO_TAG,) * len(forms)
    found: list[str] = []
    places = asking_places(forms)
    for at in range(len(forms)):
        features = tagger_features(forms, at, intent, found, places)
        scores = models.tag.scores(bucket(each, models.tag.buckets) for each in features)
        found.append(models.tag.labels[max(range(len(scores)), key=scores.__getitem__)])
    return tuple(found)


def probabilities(reading: MessageReading) -> Mapping[str, float]:
    """Return the probability of each intent."""
    return dict(reading.intents)
