"""Evaluate linear models with hashed features: rows of small integers, one for each bucket."""

import math
from array import array
from collections.abc import Iterable

from msgspec import Struct


class LinearModel(Struct, frozen=True):
    """Weights of some labels: row `bucket` of `weights` holds one number from -127 to 127 for each of `labels`.

    A row and the `bias` are worth `scale` times their numbers.
    """

    labels: tuple[str, ...]
    buckets: int
    scale: float
    bias: tuple[float, ...]
    weights: array  # type: ignore[type-arg]

    def scores(self, rows: Iterable[int]) -> list[float]:
        """Return the sum of the weights of `rows` for each label."""
        width, weights = len(self.labels), self.weights
        columns = zip(*(weights[row * width : (row + 1) * width] for row in rows), strict=True)
        return [bias + self.scale * sum(column) for bias, column in zip(self.bias, columns, strict=True)]

    def probabilities(self, rows: Iterable[int]) -> list[float]:
        """Return the probability of each label."""
        scores = self.scores(rows)
        top = max(scores)
        shares = [math.exp(score - top) for score in scores]
        return [share / sum(shares) for share in shares]

    def has_weights(self, row: int) -> bool:
        """Return whether `row` counts for any label: features that were never seen have none."""
        width = len(self.labels)
        return any(self.weights[row * width : (row + 1) * width])
