"""Stop group messages that `router.listen` excludes from interpretation."""

from collections.abc import Awaitable, Callable
from typing import Literal

from bot.inbound.middleware import Next
from services.kernel.chat import ChatMessage

Listen = Literal["all", "addressed", "smart"]


class Addressed:
    """Stops group messages that the operator does not want to pay for.

    `is_for_the_bot` knows those that can be meant for nobody else although they name nobody.
    """

    def __init__(
        self,
        listen: Listen,
        looks_like_a_request: Callable[[str], bool],
        is_for_the_bot: Callable[[ChatMessage], Awaitable[bool]] | None = None,
    ) -> None:
        self._listen = listen
        self._looks_like_a_request = looks_like_a_request
        self._is_for_the_bot = is_for_the_bot

    async def __call__(self, message: ChatMessage, call_next: Next) -> None:
        """Pass on what is addressed to the bot, private, or what the setting lets through."""
        is_heard = message.is_addressed or message.is_private or self._is_heard(message.text)
        if is_heard or (self._is_for_the_bot is not None and await self._is_for_the_bot(message)):
            await call_next(message)

    def _is_heard(self, text: str) -> bool:
        return self._listen == "all" or (self._listen == "smart" and self._looks_like_a_request(text))
