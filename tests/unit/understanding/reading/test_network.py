"""The network that reads messages: token numbers, intent probabilities, tag sequences."""

from itertools import pairwise

import numpy as np
import pytest

from function_calls.understanding.reading.network import (
    DILATIONS,
    Network,
    PackedArray,
    PackedNetwork,
    number_classes,
    number_tokens,
    number_words,
)

SIZE, STATE, AFFIXES = 4, 2, 8
VOCABULARY = "remind me to feed"
INTENTS, TAGS, CONTEXTS = ("none", "set"), ("O", "WHEN", "CONTENT"), ("none", "acted")
SHAPES = {
    "word": (6, SIZE),
    "class": (3, SIZE),
    "coarse": (65, SIZE),
    "affix": (AFFIXES, SIZE),
    "known": (2, SIZE),
    "in": (SIZE, SIZE),
    "in_bias": (SIZE,),
    "context": (2, STATE),
    "addressed": (2, STATE),
    "intent_in": (2 * SIZE + 2 * STATE, SIZE),
    "intent_in_bias": (SIZE,),
    "intent": (SIZE, 2),
    "intent_bias": (2,),
    "of_intent": (2, SIZE),
    "tag_in": (SIZE, SIZE),
    "tag_intent": (SIZE, SIZE),
    "tag_in_bias": (SIZE,),
    "tag": (SIZE, 3),
    "tag_bias": (3,),
    "transition": (3, 3),
    "begin": (SIZE, 1),
    "begin_bias": (1,),
} | {
    name: shape
    for layer in range(len(DILATIONS))
    for name, shape in ((f"conv{layer}", (3 * SIZE, SIZE)), (f"conv{layer}_bias", (SIZE,)))
}


def make_network(scale: float = 0.004, **changed: np.ndarray) -> Network:
    chance = np.random.default_rng(3)
    arrays = {name: chance.integers(-90, 90, shape) for name, shape in SHAPES.items()} | changed
    packed = {name: PackedArray(each.shape, scale, each.astype(np.int8).tobytes()) for name, each in arrays.items()}
    network = PackedNetwork(VOCABULARY, AFFIXES, INTENTS, TAGS, CONTEXTS, packed)
    return Network(network, {"cat": 70, "dog": 70})


def test_word_has_the_numbers_of_its_parts() -> None:
    numbers = number_tokens(
        ["feed", "cat"], frozenset({1}), number_words(VOCABULARY.split()), number_classes({"cat": 70}), AFFIXES
    )
    (feed, *_, feed_known), (cat, fine, coarse, *_, cat_known) = numbers
    assert (feed, feed_known) == (5, 0)
    assert (cat, fine, coarse, cat_known) == (1, 1, 70 % 64 + 1, 1)


def test_character_is_numbered_with_its_predecessor() -> None:
    def pair(text: str) -> int:
        return number_tokens(list(text), frozenset(), {}, {}, 1 << 14)[-1][3]

    assert pair("提醒") == pair("请提醒")
    assert pair("提醒") != pair("叫醒")


def test_unknown_words_of_one_class_are_read_alike() -> None:
    network = make_network()
    assert np.array_equal(network.encode(["cat"], frozenset()), network.encode(["dog"], frozenset()))
    assert not np.array_equal(network.encode(["cat"], frozenset()), network.encode(["cow"], frozenset()))


def test_words_of_coming_reminders_are_read_differently() -> None:
    network = make_network()
    assert not np.array_equal(network.encode(["cat"], frozenset()), network.encode(["cat"], frozenset({0})))


def test_word_changes_the_vectors_of_its_neighbours() -> None:
    network = make_network()
    one, other = (network.encode(["remind", "me", *rest], frozenset()) for rest in (["cat"], ["feed"]))
    assert not np.allclose(one[0], other[0])


@pytest.mark.parametrize("count", [1, 2, 40])
def test_probabilities_add_up_to_one(count: int) -> None:
    network = make_network()
    hidden = network.encode(["remind"] * count, frozenset())
    shares = network.rank_intents(hidden, "acted", is_addressed=True)
    assert sum(shares) == pytest.approx(1)
    assert shares != network.rank_intents(hidden, "none", is_addressed=True)
    assert shares != network.rank_intents(hidden, "acted", is_addressed=False)


def test_each_token_has_a_tag_and_a_probability_of_a_further_request() -> None:
    network = make_network()
    tags, begins = network.tag(network.encode(["remind", "me", "cat"], frozenset()), "set")
    assert len(tags) == len(begins) == 3


def test_the_words_of_the_vocabulary_are_known() -> None:
    network = make_network()
    assert network.knows("remind")
    assert not network.knows("cat")


def test_tag_does_not_follow_an_incompatible_tag() -> None:
    forms = ["remind", "me", "cat", "feed", "dog"]
    excluding = -127 * np.eye(3, dtype=int)
    free, bound = (make_network(0.01, transition=each) for each in (np.zeros((3, 3), int), excluding))
    tags, others = (each.tag(each.encode(forms, frozenset()), "set")[0] for each in (free, bound))
    assert any(one == other for one, other in pairwise(tags))
    assert all(one != other for one, other in pairwise(others))
