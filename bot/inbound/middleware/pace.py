"""Limit the rate of messages per person and per chat."""

from typing import Final

from loguru import logger

from bot.inbound.middleware import Next
from bot.inbound.token_buckets import TokenBuckets
from services.kernel.chat import ChatAddress, ChatMessage
from services.kernel.clock import Clock

_REMEMBERED: Final = 10_000


class Pace:
    """A token bucket for each person of a platform and one for each chat; what comes faster is left to the history."""

    def __init__(self, messages_per_minute: int, clock: Clock, *, chat_messages_per_minute: int) -> None:
        self._of_people = TokenBuckets(messages_per_minute, clock)
        self._of_chats = TokenBuckets(chat_messages_per_minute, clock)
        self._slowed: set[str] = set()

    async def __call__(self, message: ChatMessage, call_next: Next) -> None:
        """Pass on what is within the pace."""
        if not self.wait_of(message.address, message.sender.id):
            await call_next(message)

    def wait_of(self, address: ChatAddress, person_id: str) -> float:
        """Take one message of a person in a chat: 0, or, where it comes too fast, the seconds until the next may."""
        who, chat = f"{address.platform}#{person_id}", address.key
        if wait := self._of_people.wait_of(who):
            self._slow(address, who, "one person")
        elif wait := self._of_chats.wait_of(chat):
            self._slow(address, chat, "one chat")
        else:
            self._slowed -= {who, chat}
        return wait

    def _slow(self, address: ChatAddress, who: str, whose: str) -> None:
        """Log a flood once, not message by message."""
        if who not in self._slowed and len(self._slowed) < _REMEMBERED:
            self._slowed.add(who)
            logger.bind(chat=str(address)).warning("too many messages of {}; not interpreted", whose)
