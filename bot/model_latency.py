"""How long requests to the model take, in steps as Prometheus counts them: a histogram since the start."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Final

from services.errors import ModelUnavailable
from services.language_model.ports import Completion, CompletionRequest, LanguageModel
from services.language_model.watched import WatchedModel

STEPS: Final = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0)
"""Upper ends in seconds; whatever takes longer is counted beyond them."""


@dataclass(kw_only=True, slots=True)
class Latencies:
    """What took how long: counts by step (the last is beyond all steps), and seconds in all."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(STEPS) + 1))
    seconds: float = 0.0

    def add(self, seconds: float) -> None:
        """Count one more."""
        self.counts[bisect_left(STEPS, seconds)] += 1
        self.seconds += seconds

    def up_to(self) -> Iterator[tuple[str, int]]:
        """How many took no longer than each step, and `+Inf`, all."""
        total = 0
        for step, count in zip((*map(str, STEPS), "+Inf"), self.counts, strict=True):
            total += count
            yield step, total


class ModelLatency:
    """Times the requests to the models that it wraps, by model and outcome (`ok`, or why there was no answer)."""

    def __init__(self, now: Callable[[], float] = perf_counter) -> None:
        self._now = now
        self._of: dict[tuple[str, str], Latencies] = {}

    @property
    def by_outcome(self) -> Mapping[tuple[str, str], Latencies]:
        """What was timed, by the model's name and the outcome."""
        return self._of

    def model(self, inner: LanguageModel) -> LanguageModel:
        """`inner`, with its requests timed."""
        return WatchedModel(inner, self.complete)

    async def complete(self, inner: LanguageModel, request: CompletionRequest) -> Completion:
        """Ask `inner` and note how long it took.

        Raises:
            ModelUnavailable: it gave no usable answer.
        """
        begun, outcome = self._now(), "cancelled"
        try:
            completion = await inner.complete(request)
            outcome = "ok"
        except ModelUnavailable as error:
            outcome = error.reason
            raise
        else:
            return completion
        finally:
            self._of.setdefault((inner.name, outcome), Latencies()).add(self._now() - begun)
