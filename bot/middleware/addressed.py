"""Is this message worth an interpretation? The operator's `router.listen` decides for groups."""

from collections.abc import Callable
from typing import Literal

from bot.middleware import Next
from services.chat import ChatMessage

Listen = Literal["all", "addressed", "smart"]


class Addressed:
    """Stops group messages that the operator does not want to pay for."""

    def __init__(self, listen: Listen, looks_like_a_request: Callable[[str], bool]) -> None:
        self._listen = listen
        self._looks_like_a_request = looks_like_a_request

    async def __call__(self, message: ChatMessage, call_next: Next) -> None:
        """Pass on what is addressed to the bot, private, or what the setting lets through."""
        if message.is_addressed or message.is_private or self._is_heard(message.text):
            await call_next(message)

    def _is_heard(self, text: str) -> bool:
        return self._listen == "all" or (self._listen == "smart" and self._looks_like_a_request(text))
