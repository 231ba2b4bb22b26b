"""Wrap a language model so that every request can be timed, traced or counted."""

from collections.abc import Awaitable, Callable

from services.language_model.ports import Completion, CompletionRequest, LanguageModel

Ask = Callable[[LanguageModel, CompletionRequest], Awaitable[Completion]]
"""Puts a request to the model that is watched and returns its answer."""


class InstrumentedModel:
    """Passes every request for `inner` through `ask`."""

    def __init__(self, inner: LanguageModel, ask: Ask) -> None:
        self._inner = inner
        self._ask = ask

    @property
    def name(self) -> str:
        """The model's name."""
        return self._inner.name

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer `request`.

        Raises:
            ModelUnavailable: there was no usable answer.
        """
        return await self._ask(self._inner, request)
