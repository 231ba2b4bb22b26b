"""Measure the latency of model requests as a histogram since the start."""

from collections.abc import Callable, Mapping
from time import perf_counter

from bot.observability.metrics import Latencies
from services.kernel.errors import ModelUnavailable
from services.language_model.ports import Completion, CompletionRequest, InstrumentedModel, LanguageModel


class ModelLatency:
    """Times the requests to the models that it wraps, by model and outcome (`ok`, or why there was no answer)."""

    def __init__(self, now: Callable[[], float] = perf_counter) -> None:
        self._now = now
        self._of: dict[tuple[str, str], Latencies] = {}

    @property
    def by_outcome(self) -> Mapping[tuple[str, str], Latencies]:
        """Return what was timed, by the model's name and the outcome."""
        return self._of

    def model(self, inner: LanguageModel) -> LanguageModel:
        """`inner`, with its requests timed."""
        return InstrumentedModel(inner, self.complete)

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
