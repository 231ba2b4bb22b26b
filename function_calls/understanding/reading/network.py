"""Evaluate the neural network that reads a message: its intent, the tags of its tokens, and its further requests.

A token is the sum of a few small vectors: of its word, its word class, its beginning and end (or, in languages without
spaces, of the pair with the character in front of it). Convolutions over neighboring tokens follow; the intent comes
from all tokens together and the state of the dialogue, the tags from each token and the intent.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias
from zlib import crc32

import numpy as np
from msgspec import Struct

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

UNKNOWN: Final = 1
"""The number of a word outside of the vocabulary; 0 stands for no token."""
COARSE: Final = 63
"""The bits of a word class that are a coarser class."""
DILATIONS: Final = (1, 2, 4, 8)
"""The distances of the neighbors that each convolution sees."""
_FARTHEST: Final = max(DILATIONS)
_MAX_ROWS: Final = 16
"""OpenBLAS uses threads from 2 * 262,144 multiplications on: 18 rows of the convolutions."""
_LONG: Final = 4
_ENDING: Final = 3
_CUBE, _SLOPE, _HALF = np.float32(0.7978845608 * 0.044715), np.float32(0.7978845608), np.float32(0.5)


class PackedArray(Struct, frozen=True):
    """An array as files hold it: bytes from -127 to 127, each worth `scale`, in rows of `shape`."""

    shape: tuple[int, ...]
    scale: float
    values: bytes


class PackedNetwork(Struct, frozen=True):
    """A network as files hold it.

    `vocabulary` has the known words parted by spaces; `affixes` is the number of rows for beginnings, ends and pairs.
    """

    vocabulary: str
    affixes: int
    intents: tuple[str, ...]
    tags: tuple[str, ...]
    contexts: tuple[str, ...]
    arrays: dict[str, PackedArray]


class ModelFile(Struct, frozen=True):
    """A file of weights: the network of one language; `folding` maps traditional characters to simplified ones."""

    network: PackedNetwork
    folding: dict[int, int]


class Network:
    """The network of one language."""

    def __init__(self, packed: PackedNetwork, classes: Mapping[str, int]) -> None:
        self.intents = packed.intents
        self.tags = packed.tags
        self._contexts = {context: at for at, context in enumerate(packed.contexts)}
        self._vocabulary = number_words(packed.vocabulary.split(" "))
        self._affixes = packed.affixes
        self._classes = number_classes(classes)
        self._arrays = {name: unpack_array(array) for name, array in packed.arrays.items()}

    def encode(self, forms: Sequence[str], reminder_places: frozenset[int]) -> Array:
        """Return a vector for each of `forms`; `reminder_places` are those of words in the texts of coming reminders.

        A message without tokens has the vector of an unknown word.
        """
        arrays = self._arrays
        numbers = number_tokens(forms or [""], reminder_places, self._vocabulary, self._classes, self._affixes)
        word, fine, coarse, first, last, is_known = np.array(numbers, dtype=np.intp).T
        vectors = arrays["word"].take(word, 0) + arrays["class"].take(fine, 0) + arrays["coarse"].take(coarse, 0)
        vectors += arrays["affix"].take(first, 0) + arrays["affix"].take(last, 0) + arrays["known"].take(is_known, 0)
        count, size = len(vectors), arrays["in"].shape[1]
        padded = np.zeros((count + 2 * _FARTHEST, size), dtype=np.float32)
        hidden = padded[_FARTHEST : _FARTHEST + count]
        np.matmul(vectors, arrays["in"], out=hidden)
        hidden += arrays["in_bias"]
        beside = np.empty((count, 3, size), dtype=np.float32)
        for layer, distance in enumerate(DILATIONS):
            for at in range(3):
                first = _FARTHEST + (at - 1) * distance
                beside[:, at] = padded[first : first + count]
            hidden += _gelu(_multiply(beside.reshape(count, -1), arrays[f"conv{layer}"]) + arrays[f"conv{layer}_bias"])
        return hidden

    def rank_intents(self, hidden: Array, context: str, *, is_addressed: bool) -> list[float]:
        """Return the probability of each intent of a message with the vectors `hidden`."""
        arrays = self._arrays
        state = (arrays["context"][self._contexts[context]], arrays["addressed"][int(is_addressed)])
        whole = np.concatenate([hidden.max(axis=0), hidden.sum(axis=0) / len(hidden), *state])
        inner = _gelu(whole @ arrays["intent_in"] + arrays["intent_in_bias"])
        scores = inner @ arrays["intent"] + arrays["intent_bias"]
        shares = np.exp(scores - scores.max())
        probabilities: list[float] = (shares / shares.sum()).tolist()
        return probabilities

    def tag(self, hidden: Array, intent: str) -> tuple[list[str], list[float]]:
        """Return the most probable sequence of tags of a message of `intent` with the vectors `hidden`.

        Each token also gets the log-odds that a further request begins with it.
        """
        arrays = self._arrays
        of_intent = arrays["of_intent"][self.intents.index(intent)] @ arrays["tag_intent"]
        inner = _gelu(_multiply(hidden, arrays["tag_in"]) + of_intent + arrays["tag_in_bias"])
        scores = inner @ arrays["tag"] + arrays["tag_bias"]
        best, following = scores[0], arrays["transition"]
        before = []
        for each in scores[1:]:
            paths = best[:, None] + following
            before.append(paths.argmax(axis=0))
            best = paths.max(axis=0) + each
        places = [int(np.argmax(best))]
        for chosen in reversed(before):
            places.append(int(chosen[places[-1]]))
        begins = inner @ arrays["begin"] + arrays["begin_bias"]
        return [self.tags[place] for place in reversed(places)], [float(each) for each in begins[:, 0]]

    def knows(self, form: str) -> bool:
        """Return whether the training sentences have the word `form` several times."""
        return form in self._vocabulary


def number_words(words: Sequence[str]) -> dict[str, int]:
    """Return the number of each word of a vocabulary."""
    return {word: at + UNKNOWN + 1 for at, word in enumerate(words)}


def number_classes(classes: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Return the numbers of the class and the coarser class of each word."""
    fine = {each: at + 1 for at, each in enumerate(sorted(set(classes.values())))}
    return {word: (fine[each], (each & COARSE) + 1) for word, each in classes.items()}


def number_tokens(
    forms: Sequence[str],
    reminder_places: frozenset[int],
    vocabulary: Mapping[str, int],
    classes: Mapping[str, tuple[int, int]],
    affixes: int,
) -> list[tuple[int, int, int, int, int, int]]:
    """Return the numbers of the vectors of each of `forms`: word, class, coarse class, two affixes, known or not."""
    numbers = []
    for at, form in enumerate(forms):
        first = last = 0
        if len(form) == 1:
            first = 1 + crc32(f"{forms[at - 1] if at else ''} {form}".encode()) % (affixes - 1)
        elif len(form) >= _LONG and form[0] != "@":
            first = 1 + crc32(form[:_LONG].encode()) % (affixes - 1)
            last = 1 + crc32(f"-{form[-_ENDING:]}".encode()) % (affixes - 1)
        fine, coarse = classes.get(form, (0, 0))
        numbers.append((vocabulary.get(form, UNKNOWN), fine, coarse, first, last, int(at in reminder_places)))
    return numbers


def unpack_array(array: PackedArray) -> Array:
    """Return the values of an array of the file."""
    values = np.frombuffer(array.values, dtype=np.int8).reshape(array.shape)
    return values.astype(np.float32) * np.float32(array.scale)


def _multiply(rows: Array, weights: Array) -> Array:
    """Return `rows @ weights`, in blocks so small that OpenBLAS starts no threads for them.

    Its threads wait for work in a loop, which takes many times as long as the product where other processes run.
    """
    if len(rows) <= _MAX_ROWS:
        return rows @ weights
    return np.concatenate([rows[at : at + _MAX_ROWS] @ weights for at in range(0, len(rows), _MAX_ROWS)])


def _gelu(values: Array) -> Array:
    """Return the Gaussian error linear unit of `values`, approximated by tanh as in training."""
    result = values * values
    result *= _CUBE
    result += _SLOPE
    result *= values
    np.tanh(result, out=result)
    result += 1
    result *= values
    result *= _HALF
    return result
