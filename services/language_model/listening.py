"""Know whether a streamed answer has begun to reach somebody: from then on it cannot be begun again."""

from msgspec.structs import replace

from services.language_model.ports import CompletionRequest


class ListenedRequest:
    """A request whose text deltas are watched; `request` is the one to send."""

    def __init__(self, request: CompletionRequest) -> None:
        self.is_speaking = False
        self._on_text = request.on_text
        self.request = request if request.on_text is None else replace(request, on_text=self._note)

    async def _note(self, text: str) -> None:
        self.is_speaking = True
        if self._on_text is not None:
            await self._on_text(text)
