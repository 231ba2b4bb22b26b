"""The file of weights of one language: the network as numbers of one byte."""

from msgspec import Struct


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
