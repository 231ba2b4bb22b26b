"""Ask several models in order, skipping those whose circuit breaker is open."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from loguru import logger

from services.kernel.errors import ModelUnavailable
from services.kernel.network import CircuitBreaker
from services.language_model.failures import RequestRejected
from services.language_model.ports import Completion, CompletionRequest, LanguageModel
from services.language_model.stream import StreamGuard


class FallbackChain:
    """Asks `models` in order until one answers; with one model it is only a circuit breaker."""

    def __init__(self, models: Sequence[LanguageModel], *, failures: int = 3, cooldown: float = 30.0) -> None:
        if not models:
            raise ValueError("a fallback chain needs at least one model")
        self._links = [(model, CircuitBreaker(failures=failures, cooldown=cooldown)) for model in models]

    @property
    def name(self) -> str:
        """The name of the first model; each `Completion` has that of the one that answered."""
        return self._links[0][0].name

    async def warm_up(self) -> None:
        """Warm up every model that can be."""
        for model, _ in self._links:
            if isinstance(model, _Resource):
                await model.warm_up()

    async def close(self) -> None:
        """Close every model that can be."""
        for model, _ in self._links:
            if isinstance(model, _Resource):
                await model.close()

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer `request` with the first available model.

        After the first text of a streamed answer no other model is asked.
        """
        last = ModelUnavailable("connection", "the circuit breaker of every model is open after repeated failures")
        guard = StreamGuard(request)
        for model, breaker in self._links:
            if not breaker.admits():
                continue
            try:
                return await _ask(model, breaker, guard.request)
            except ModelUnavailable as error:
                logger.warning("model {} is unavailable: {}", model.name, error)
                last = error
                if guard.is_speaking:
                    break
        raise last


@runtime_checkable
class _Resource(Protocol):
    async def warm_up(self) -> None: ...

    async def close(self) -> None: ...


async def _ask(model: LanguageModel, breaker: CircuitBreaker, request: CompletionRequest) -> Completion:
    try:
        completion = await model.complete(request)
    except RequestRejected:
        breaker.succeeded()  # it refused this request, so it is alive
        raise
    except ModelUnavailable:
        breaker.failed()
        raise
    except BaseException:
        breaker.abandoned()
        raise
    breaker.succeeded()
    return completion
