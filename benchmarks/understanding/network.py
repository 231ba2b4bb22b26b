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
"""The sizes of token vectors, convolutions, the layer in front of the intents, and context vectors."""
_BATCH = 256
_LENGTHS = (8, 16, 24, 48, 96)
"""Messages are padded to one of these lengths; longer ones are truncated."""
_MIN_COUNT = 4
"""Words in fewer sentences are unknown."""
_MAX_COMMON_WORDS = 150
"""The number of most frequent words that word dropout does not affect."""
_WORD_DROPOUT, _AFFIX_DROPOUT = 0.12, 0.3
_LEARNING_RATE, _CONTINUED_LEARNING_RATE, _WARM_UP, _DECAY = 3e-3, 1e-3, 0.15, 1e-3
_TAG_WEIGHT = 0.5
_MAX_DEVIATIONS = 5.0
"""Weights are clipped to this number of standard deviations in the file."""
_LEVELS, _TOKEN_LEVELS = 127, 40
"""The quantization steps from 0 to the largest weight; fewer for token vectors, which are most of the file."""
_TOKEN_ARRAYS = frozenset({"word", "class", "affix"})

Parameters = dict[str, jax.Array]


class Sample(Struct, frozen=True):
    """A training sentence; `tags` and `begins` have no effect if the intent is that of talk.

    `begins` are the places of further requests, or None if they are not known.
    """

    forms: Sequence[str]
    tags: Sequence[str]
    intent: str
    context: str
    is_addressed: bool
    weight: float
    begins: tuple[int, ...] | None
    reminder_places: frozenset[int]


class _EncodedSample(Struct, frozen=True):
    tokens: np.ndarray
    tags: np.ndarray
    intent: int
    state: tuple[int, int]
    weight: float
    begins: np.ndarray


class Names(Struct, frozen=True):
    """The words, intents, tags and contexts in the order of their numbers in a network."""

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
    """Fit a network to `samples`, or continue with `start`; `nothing` is the intent of talk, which has no tags.

    A continued network is averaged with `start`, as the mean is more accurate than either of them.
    """
    names = _collect_names(samples, affixes) if start is None else _list_names(start)
    encoded = _encode_samples(samples, names, classes)
    count = max((fine for fine, _ in number_classes(classes).values()), default=0)
    parameters = _initialize(names, count) if start is None else _unpack(start)
    rng = random.Random(1)
    steps = epochs * sum(1 for _ in _make_batches(encoded, rng))
    schedule = optax.cosine_onecycle_schedule(
        steps, _LEARNING_RATE if start is None else _CONTINUED_LEARNING_RATE, _WARM_UP
    )
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule, weight_decay=_DECAY))
    state = optimizer.init(parameters)
    loss = partial(_compute_loss, nothing=names.intents.index(nothing))

    @jax.jit
    def step(parameters: Parameters, state: Any, key: jax.Array, batch: Any) -> tuple[Parameters, Any, jax.Array]:
        value, gradient = jax.value_and_grad(loss)(parameters, batch, key)
        updates, state = optimizer.update(gradient, state, parameters)
        return optax.apply_updates(parameters, updates), state, value

    key = jax.random.PRNGKey(0)
    for epoch in range(epochs):
        total = []
        for batch in _make_batches(encoded, rng):
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


def _encode_samples(samples: Sequence[Sample], names: Names, classes: Mapping[str, int]) -> list[_EncodedSample]:
    vocabulary, numbers = number_words(names.vocabulary), number_classes(classes)
    intents, tags, contexts = (
        {name: at for at, name in enumerate(each)} for each in (names.intents, names.tags, names.contexts)
    )
    longest = _LENGTHS[-1]
    return [
        _EncodedSample(
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
    """Return 1 for the first token of each further request, 0 for others, and -1 if they are not known."""
    marks = np.full(len(sample.forms), -1 if sample.begins is None else 0, np.int32)
    marks[list(sample.begins or ())] = 1
    marks[0] = -1  # always the begin of the first request
    return marks


def _make_batches(samples: Sequence[_EncodedSample], rng: random.Random) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield batches of samples of similar length, in random order and padded with zeros."""
    by_length: dict[int, list[int]] = {}
    for at, sample in enumerate(samples):
        length = next(each for each in _LENGTHS if len(sample.tokens) <= each)
        by_length.setdefault(length, []).append(at)
    batches = []
    for length, places in by_length.items():
        rng.shuffle(places)
        batches += [(length, places[first : first + _BATCH]) for first in range(0, len(places), _BATCH)]
    rng.shuffle(batches)
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
    rng = np.random.default_rng(0)

    def normal(*shape: int, scale: float) -> jax.Array:
        return jnp.array(rng.normal(0, scale, shape), jnp.float32)

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


def _apply_dropout(values: jax.Array, key: jax.Array, share: float) -> jax.Array:
    return values * jax.random.bernoulli(key, 1 - share, values.shape) / (1 - share)


def _encode(parameters: Parameters, tokens: jax.Array, is_token: jax.Array, keys: jax.Array) -> jax.Array:
    words = tokens[..., 0]
    is_dropped = jax.random.bernoulli(keys[0], _WORD_DROPOUT, words.shape) & (words > _MAX_COMMON_WORDS)
    has_affixes = 1 - (is_dropped & jax.random.bernoulli(keys[1], _AFFIX_DROPOUT, words.shape))[..., None]
    parts = parameters["class"][tokens[..., 1]] + parameters["coarse"][tokens[..., 2]]
    parts += parameters["affix"][tokens[..., 3]] + parameters["affix"][tokens[..., 4]]
    vectors = (
        parameters["word"][jnp.where(is_dropped, UNKNOWN, words)]
        + parameters["known"][tokens[..., 5]]
        + parts * has_affixes
    )
    hidden = _apply_dropout(vectors @ parameters["in"] + parameters["in_bias"], keys[2], 0.15)
    count = hidden.shape[1]
    for number, distance in enumerate(DILATIONS):
        padded = jnp.pad(hidden * is_token[..., None], ((0, 0), (distance, distance), (0, 0)))
        beside = jnp.concatenate([padded[:, at * distance : at * distance + count] for at in range(3)], -1)
        hidden = hidden + jax.nn.gelu(beside @ parameters[f"conv{number}"] + parameters[f"conv{number}_bias"])
        hidden = _apply_dropout(hidden, keys[3 + number], 0.1)
    return hidden


def _compute_loss(parameters: Parameters, batch: Sequence[jax.Array], key: jax.Array, nothing: int) -> jax.Array:
    tokens, tags, is_token, intents, states, weights, begins = batch
    keys = jax.random.split(key, 5 + len(DILATIONS))
    hidden = _encode(parameters, tokens, is_token, keys)
    maximum = jnp.max(jnp.where(is_token[..., None] > 0, hidden, -1e9), 1)
    mean = (hidden * is_token[..., None]).sum(1) / is_token.sum(1, keepdims=True).clip(1)
    whole = jnp.concatenate(
        [maximum, mean, parameters["context"][states[:, 0]], parameters["addressed"][states[:, 1]]], -1
    )
    inner = _apply_dropout(jax.nn.gelu(whole @ parameters["intent_in"] + parameters["intent_in_bias"]), keys[-1], 0.2)
    intent_loss = optax.softmax_cross_entropy_with_integer_labels(
        inner @ parameters["intent"] + parameters["intent_bias"], intents
    )
    shown = (parameters["of_intent"][intents] @ parameters["tag_intent"])[:, None]
    labels = jax.nn.gelu(hidden @ parameters["tag_in"] + shown + parameters["tag_in_bias"])
    tag_loss = -_compute_log_likelihood(
        labels @ parameters["tag"] + parameters["tag_bias"], parameters["transition"], tags, is_token
    )
    odds = (labels @ parameters["begin"] + parameters["begin_bias"])[..., 0]
    begin_loss = (optax.sigmoid_binary_cross_entropy(odds, begins > 0) * (begins >= 0)).sum(1)
    label_loss = _TAG_WEIGHT * (tag_loss + begin_loss) * (intents != nothing)
    return ((intent_loss + label_loss) * weights).sum() / weights.sum().clip(1)


def _compute_log_likelihood(scores: jax.Array, following: jax.Array, tags: jax.Array, is_token: jax.Array) -> jax.Array:
    """Return the log-likelihood of `tags` in a conditional random field."""
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
    limit = min(float(np.abs(values).max()), _MAX_DEVIATIONS * float(values.std()) or 1.0) or 1.0
    scale = limit / (_TOKEN_LEVELS if name in _TOKEN_ARRAYS else _LEVELS)
    rounded = np.round(np.clip(values, -limit, limit) / scale).astype(np.int8)
    return PackedArray(values.shape, scale, rounded.tobytes())
