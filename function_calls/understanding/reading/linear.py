"""Evaluate linear models with hashed features: sparse rows of small integers, one row for each bucket."""

import math
from array import array
from collections.abc import Iterable
from itertools import accumulate
from struct import Struct as Layout
from typing import Final

from msgspec import Struct

_LONG: Final = 16
"""The least number of weights of a row that is added as one integer: rows of frequent words, 2 % of all."""
_BITS: Final = 32
_ZERO: Final = 1 << (_BITS - 1)
"""The value of a field whose sum is 0, so that no field is negative."""


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
        self._layout = Layout(f"<{len(self.labels)}I")
        self._zeros = sum(_ZERO << _BITS * column for column in range(len(self.labels)))
        self._long_rows: dict[int, int] = {}

    def scores(self, rows: Iterable[int]) -> list[float]:
        """Return the sum of the weights of `rows` for each label.

        A long row is added at once, as an integer with a field of `_BITS` bits for each label.
        """
        starts, columns, values, long_rows = self._starts, self._columns, self._values, self._long_rows
        sums = [0] * len(self.labels)
        total = self._zeros
        for row in rows:
            start, end = starts[row], starts[row + 1]
            if end - start >= _LONG:
                if row not in long_rows:
                    long_rows[row] = self._as_integer(start, end)
                total += long_rows[row]
            else:
                for at in range(start, end):
                    sums[columns[at]] += values[at]
        fields = self._layout.unpack(total.to_bytes(self._layout.size, "little"))
        every = zip(self._bias, sums, fields, strict=True)
        return [bias + self._scale * (few + field - _ZERO) for bias, few, field in every]

    def probabilities(self, rows: Iterable[int]) -> list[float]:
        """Return the probability of each label."""
        scores = self.scores(rows)
        top = max(scores)
        shares = [math.exp(score - top) for score in scores]
        whole = sum(shares)
        return [share / whole for share in shares]

    def _as_integer(self, start: int, end: int) -> int:
        """Return the weights from `start` to `end` in fields of `_BITS` bits."""
        weights = zip(self._columns[start:end], self._values[start:end], strict=True)
        return sum(value << _BITS * column for column, value in weights)
