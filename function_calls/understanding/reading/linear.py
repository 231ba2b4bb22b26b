"""Evaluate linear models with hashed features: sparse rows of small integers, one row for each bucket."""

import math
from array import array
from collections.abc import Iterable
from itertools import accumulate

from msgspec import Struct


class PackedModel(Struct, frozen=True):
    """A linear model as files hold it: the non-zero weights of each of `buckets` rows, in order.

    `counts` has the number of weights of each row; `columns` and `values` have the label and the value, from -127 to
    127, of each weight. A weight is worth `scale` times its value.
    """

    labels: tuple[str, ...]
    buckets: int
    scale: float
    bias: tuple[float, ...]
    counts: bytes
    columns: bytes
    values: bytes


class LinearModel:
    """A linear model that gives the labels of a text their scores."""

    def __init__(self, packed: PackedModel) -> None:
        self.labels = packed.labels
        self.buckets = packed.buckets
        self._scale = packed.scale
        self._bias = packed.bias
        self._starts = array("I", accumulate(packed.counts, initial=0))
        self._columns = packed.columns
        self._values = array("b", packed.values)

    def scores(self, rows: Iterable[int]) -> list[float]:
        """Return the sum of the weights of `rows` for each label."""
        starts, columns, values = self._starts, self._columns, self._values
        sums = [0] * len(self.labels)
        for row in rows:
            start, end = starts[row], starts[row + 1]
            for column, value in zip(columns[start:end], values[start:end], strict=True):
                sums[column] += value
        return [bias + self._scale * each for bias, each in zip(self._bias, sums, strict=True)]

    def probabilities(self, rows: Iterable[int]) -> list[float]:
        """Return the probability of each label."""
        scores = self.scores(rows)
        top = max(scores)
        shares = [math.exp(score - top) for score in scores]
        return [share / sum(shares) for share in shares]
