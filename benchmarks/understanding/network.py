"""Fit the network of `function_calls.understanding.reading.network` with JAX."""

import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from msgspec import Struct

from function_calls.understanding.reading.network import (
    COARSE,
    DILATIONS,
    UNKNOWN,
    PackedArray,
    PackedNetwork,
    number_classes,
    number_tokens,
    number_words,
    unpack_array,
)

EMBEDDING, HIDDEN, INNER, STATE = 32, 96, 128, 16
"""The sizes of the vectors of tokens, of the convolutions, of the layer in front of the intents, and of contexts."""
_BATCH = 256
_LENGTHS = (8, 16, 24, 48, 96)
"""Messages are padded to one of these lengths; the longest lose their end."""
_MIN_COUNT = 4
"""A word that fewer sentences have is unknown."""
_COMMON = 150
"""So many of the most frequent words are never taken for unknown ones in training."""
_WORD_DROPOUT, _AFFIX_DROPOUT = 0.12, 0.3
_RATE, _RATE_OF_CONTINUED, _WARM_UP, _DECAY = 3e-3, 1e-3, 0.15, 1e-3
_TAG_WEIGHT = 0.5
_CLIP = 5.0
"""Weights further from 0 than so many standard deviations are cut off in the file."""
_LEVELS, _LEVELS_OF_TOKENS = 127, 40
"""The steps from 0 to the largest weight in the file; fewer for the vectors of tokens, which are most of the file."""
_OF_TOKENS = frozenset({"word", "class", "affix"})

Parameters = dict[str, jax.Array]


class Sample(Struct, frozen=True):
    """A sentence to train with; `tags` and `begins` do not count where the intent is the one of talk.

    `begins` are the places at which further requests begin, None where these are not known.
    """

    forms: Sequence[str]
    tags: Sequence[str]
    intent: str
    context: str
    is_addressed: bool
    weight: float
    begins: tuple[int, ...] | None
    reminder_places: frozenset[int]


class _Numbered(Struct, frozen=True):
    tokens: np.ndarray
    tags: np.ndarray
    intent: int
    state: tuple[int, int]
    weight: float
    begins: np.ndarray


class Names(Struct, frozen=True):
    """The names behind the numbers of a network."""

    vocabulary: list[str]
    intents: list[str]
    tags: list[str]
    contexts: list[str]
    affixes: int


def fit(
    samples: Sequence[Sample],
    classes: Mapping[str, int],
    nothing: str,
    epochs: int,
    affixes: int,
    start: PackedNetwork | None = None,
) -> PackedNetwork:
    """Fit a network to `samples`, or continue to fit `start`; `nothing` is the intent of talk, which has no tags.

    A continued network is the mean of both, which reads more messages rightly than either.
    """
    names = _collect_names(samples, affixes) if start is None else _list_names(start)
    numbered = _number(samples, names, classes)
    count = max((fine for fine, _ in number_classes(classes).values()), default=0)
    parameters = _initialize(names, count) if start is None else _unpack(start)
    chance = random.Random(1)
    steps = epochs * sum(1 for _ in _batches(numbered, chance))
    schedule = optax.cosine_onecycle_schedule(steps, _RATE if start is None else _RATE_OF_CONTINUED, _WARM_UP)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule, weight_decay=_DECAY))
    state = optimizer.init(parameters)
    loss = partial(_loss, nothing=names.intents.index(nothing))

    @jax.jit
    def step(parameters: Parameters, state: Any, key: jax.Array, batch: Any) -> tuple[Parameters, Any, jax.Array]:
        value, slope = jax.value_and_grad(loss)(parameters, batch, key)
        updates, state = optimizer.update(slope, state, parameters)
        return optax.apply_updates(parameters, updates), state, value

    key = jax.random.PRNGKey(0)
    for epoch in range(epochs):
        total = []
        for batch in _batches(numbered, chance):
            key, own = jax.random.split(key)
            parameters, state, value = step(parameters, state, own, batch)
            total.append(value)
        sys.stdout.write(f"epoch {epoch + 1} of {epochs}: loss {float(jnp.stack(total).mean()):.3f}\n")
        sys.stdout.flush()
    if start is not None:
        parameters = jax.tree.map(lambda one, other: (one + other) / 2, parameters, _unpack(start))
    return PackedNetwork(
        vocabulary=" ".join(names.vocabulary),
        affixes=affixes,
        intents=tuple(names.intents),
        tags=tuple(names.tags),
        contexts=tuple(names.contexts),
        arrays={name: _pack(name, np.asarray(array)) for name, array in parameters.items()},
    )


def _collect_names(samples: Sequence[Sample], affixes: int) -> Names:
    counts = Counter(form for sample in samples for form in set(sample.forms))
    return Names(
        vocabulary=[form for form, count in counts.most_common() if count >= _MIN_COUNT],
        intents=sorted({sample.intent for sample in samples}),
        tags=sorted({tag for sample in samples for tag in sample.tags}),
        contexts=sorted({sample.context for sample in samples}),
        affixes=affixes,
    )


def _list_names(network: PackedNetwork) -> Names:
    return Names(
        vocabulary=network.vocabulary.split(" "),
        intents=list(network.intents),
        tags=list(network.tags),
        contexts=list(network.contexts),
        affixes=network.affixes,
    )


def _number(samples: Sequence[Sample], names: Names, classes: Mapping[str, int]) -> list[_Numbered]:
    vocabulary, numbers = number_words(names.vocabulary), number_classes(classes)
    intents, tags, contexts = (
        {name: at for at, name in enumerate(each)} for each in (names.intents, names.tags, names.contexts)
    )
    longest = _LENGTHS[-1]
    return [
        _Numbered(
            np.array(number_tokens(each.forms, each.reminder_places, vocabulary, numbers, names.affixes), np.int32)[
                :longest
            ],
            np.array([tags[tag] for tag in each.tags], np.int32)[:longest],
            intents[each.intent],
            (contexts[each.context], int(each.is_addressed)),
            each.weight,
            _mark_begins(each)[:longest],
        )
        for each in samples
    ]


def _mark_begins(sample: Sample) -> np.ndarray:
    """Return 1 for each token with which a further request begins, 0 for others, -1 where these are not known."""
    marks = np.full(len(sample.forms), -1 if sample.begins is None else 0, np.int32)
    marks[list(sample.begins or ())] = 1
    marks[0] = -1  # the first request begins there
    return marks


def _batches(samples: Sequence[_Numbered], chance: random.Random) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield the samples in random order, those of similar length together, padded with zeros."""
    by_length: dict[int, list[int]] = {}
    for at, sample in enumerate(samples):
        length = next(each for each in _LENGTHS if len(sample.tokens) <= each)
        by_length.setdefault(length, []).append(at)
    batches = []
    for length, places in by_length.items():
        chance.shuffle(places)
        batches += [(length, places[first : first + _BATCH]) for first in range(0, len(places), _BATCH)]
    chance.shuffle(batches)
    for length, places in batches:
        tokens = np.zeros((_BATCH, length, 6), np.int32)
        tags, is_token = np.zeros((_BATCH, length), np.int32), np.zeros((_BATCH, length), np.float32)
        intents, states = np.zeros(_BATCH, np.int32), np.zeros((_BATCH, 2), np.int32)
        weights, begins = np.zeros(_BATCH, np.float32), np.full((_BATCH, length), -1, np.int32)
        for row, sample in enumerate(samples[at] for at in places):
            count = len(sample.tokens)
            tokens[row, :count], tags[row, :count], is_token[row, :count] = sample.tokens, sample.tags, 1
            intents[row], states[row], weights[row] = sample.intent, sample.state, sample.weight
            begins[row, :count] = sample.begins
        yield tokens, tags, is_token, intents, states, weights, begins


def _initialize(names: Names, classes: int) -> Parameters:
    chance = np.random.default_rng(0)

    def normal(*shape: int, scale: float) -> jax.Array:
        return jnp.array(chance.normal(0, scale, shape), jnp.float32)

    def layer(rows: int, columns: int) -> jax.Array:
        return normal(rows, columns, scale=rows**-0.5)

    whole = 2 * HIDDEN + 2 * STATE
    tags = len(names.tags)
    found = {
        "word": normal(len(names.vocabulary) + UNKNOWN + 1, EMBEDDING, scale=0.2),
        "class": normal(classes + 1, EMBEDDING, scale=0.2),
        "coarse": normal(COARSE + 2, EMBEDDING, scale=0.2),
        "affix": normal(names.affixes, EMBEDDING, scale=0.2),
        "known": normal(2, EMBEDDING, scale=0.2),
        "in": layer(EMBEDDING, HIDDEN),
        "in_bias": jnp.zeros(HIDDEN),
        "context": normal(len(names.contexts), STATE, scale=0.3),
        "addressed": normal(2, STATE, scale=0.3),
        "intent_in": layer(whole, INNER),
        "intent_in_bias": jnp.zeros(INNER),
        "intent": layer(INNER, len(names.intents)),
        "intent_bias": jnp.zeros(len(names.intents)),
        "of_intent": normal(len(names.intents), EMBEDDING, scale=0.2),
        "tag_in": layer(HIDDEN, HIDDEN),
        "tag_intent": layer(EMBEDDING, HIDDEN),
        "tag_in_bias": jnp.zeros(HIDDEN),
        "tag": layer(HIDDEN, tags),
        "tag_bias": jnp.zeros(tags),
        "transition": jnp.zeros((tags, tags)),
        "begin": layer(HIDDEN, 1),
        "begin_bias": jnp.zeros(1),
    }
    for number in range(len(DILATIONS)):
        found[f"conv{number}"] = layer(3 * HIDDEN, HIDDEN)
        found[f"conv{number}_bias"] = jnp.zeros(HIDDEN)
    return found


def _drop(values: jax.Array, key: jax.Array, share: float) -> jax.Array:
    return values * jax.random.bernoulli(key, 1 - share, values.shape) / (1 - share)


def _encode(of: Parameters, tokens: jax.Array, is_token: jax.Array, keys: jax.Array) -> jax.Array:
    words = tokens[..., 0]
    is_dropped = jax.random.bernoulli(keys[0], _WORD_DROPOUT, words.shape) & (words > _COMMON)
    has_affixes = 1 - (is_dropped & jax.random.bernoulli(keys[1], _AFFIX_DROPOUT, words.shape))[..., None]
    parts = of["class"][tokens[..., 1]] + of["coarse"][tokens[..., 2]]
    parts += of["affix"][tokens[..., 3]] + of["affix"][tokens[..., 4]]
    vectors = of["word"][jnp.where(is_dropped, UNKNOWN, words)] + of["known"][tokens[..., 5]] + parts * has_affixes
    hidden = _drop(vectors @ of["in"] + of["in_bias"], keys[2], 0.15)
    count = hidden.shape[1]
    for number, distance in enumerate(DILATIONS):
        padded = jnp.pad(hidden * is_token[..., None], ((0, 0), (distance, distance), (0, 0)))
        beside = jnp.concatenate([padded[:, at * distance : at * distance + count] for at in range(3)], -1)
        hidden = hidden + jax.nn.gelu(beside @ of[f"conv{number}"] + of[f"conv{number}_bias"])
        hidden = _drop(hidden, keys[3 + number], 0.1)
    return hidden


def _loss(of: Parameters, batch: Sequence[jax.Array], key: jax.Array, nothing: int) -> jax.Array:
    tokens, tags, is_token, intents, states, weights, begins = batch
    keys = jax.random.split(key, 5 + len(DILATIONS))
    hidden = _encode(of, tokens, is_token, keys)
    maximum = jnp.max(jnp.where(is_token[..., None] > 0, hidden, -1e9), 1)
    mean = (hidden * is_token[..., None]).sum(1) / is_token.sum(1, keepdims=True).clip(1)
    whole = jnp.concatenate([maximum, mean, of["context"][states[:, 0]], of["addressed"][states[:, 1]]], -1)
    inner = _drop(jax.nn.gelu(whole @ of["intent_in"] + of["intent_in_bias"]), keys[-1], 0.2)
    of_intents = optax.softmax_cross_entropy_with_integer_labels(inner @ of["intent"] + of["intent_bias"], intents)
    shown = (of["of_intent"][intents] @ of["tag_intent"])[:, None]
    labels = jax.nn.gelu(hidden @ of["tag_in"] + shown + of["tag_in_bias"])
    of_tags = -_log_likelihood(labels @ of["tag"] + of["tag_bias"], of["transition"], tags, is_token)
    odds = (labels @ of["begin"] + of["begin_bias"])[..., 0]
    of_begins = (optax.sigmoid_binary_cross_entropy(odds, begins > 0) * (begins >= 0)).sum(1)
    of_labels = _TAG_WEIGHT * (of_tags + of_begins) * (intents != nothing)
    return ((of_intents + of_labels) * weights).sum() / weights.sum().clip(1)


def _log_likelihood(scores: jax.Array, following: jax.Array, tags: jax.Array, is_token: jax.Array) -> jax.Array:
    """Return the logarithm of the probability of `tags` by a conditional random field."""
    own = (jnp.take_along_axis(scores, tags[..., None], -1)[..., 0] * is_token).sum(1)
    own += (following[tags[:, :-1], tags[:, 1:]] * is_token[:, 1:]).sum(1)

    def step(totals: jax.Array, each: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, None]:
        score, is_counted = each
        later = jax.nn.logsumexp(totals[:, :, None] + following[None], 1) + score
        return jnp.where(is_counted[:, None] > 0, later, totals), None

    totals, _ = jax.lax.scan(step, scores[:, 0], (scores[:, 1:].swapaxes(0, 1), is_token[:, 1:].swapaxes(0, 1)))
    return own - jax.nn.logsumexp(totals, -1)


def _unpack(network: PackedNetwork) -> Parameters:
    return {name: jnp.array(unpack_array(array)) for name, array in network.arrays.items()}


def _pack(name: str, values: np.ndarray) -> PackedArray:
    limit = min(float(np.abs(values).max()), _CLIP * float(values.std()) or 1.0) or 1.0
    scale = limit / (_LEVELS_OF_TOKENS if name in _OF_TOKENS else _LEVELS)
    rounded = np.round(np.clip(values, -limit, limit) / scale).astype(np.int8)
    return PackedArray(values.shape, scale, rounded.tobytes())
