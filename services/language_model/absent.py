"""Stands where a language model would be, when none is configured."""

from services.errors import ModelUnavailable
from services.language_model.ports import Completion, CompletionRequest


class NoModel:
    """A `LanguageModel` that is never there."""

    @property
    def name(self) -> str:
        """No model's name."""
        return "none"

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer nothing.

        Raises:
            ModelUnavailable: always.
        """
        del request
        raise ModelUnavailable("connection", "no language model is configured")
