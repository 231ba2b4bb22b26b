"""Stop messages of bots (including itself) and of chats that are not allowed."""

from collections.abc import Collection

from bot.inbound.middleware import Next
from services.kernel.chat import ChatAddress, ChatMessage


class Access:
    """Stops messages of bots and, where a list of chats is set, of other chats."""

    def __init__(self, allowed_chats: Collection[str] = ()) -> None:
        self._allowed = frozenset(allowed_chats)

    async def __call__(self, message: ChatMessage, call_next: Next) -> None:
        """Pass on what a person wrote in a chat that is served."""
        if self.admits(message):
            await call_next(message)

    def admits(self, message: ChatMessage) -> bool:
        """Tell whether a person wrote `message` in a chat that is served."""
        return not message.sender.is_bot and self.serves(message.address)

    def serves(self, address: ChatAddress) -> bool:
        """Return whether the bot may answer in a chat."""
        return not self._allowed or address.key in self._allowed
