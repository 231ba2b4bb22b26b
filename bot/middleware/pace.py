"""Does this person write faster than the bot should answer?"""

from collections import OrderedDict

from loguru import logger

from bot.middleware import Next
from services.chat import ChatMessage
from services.clock import Clock

_REMEMBERED_PEOPLE = 10_000


class Pace:
    """A token bucket for each person in each chat; what comes faster is left to the history."""

    def __init__(self, messages_per_minute: int, clock: Clock) -> None:
        self._rate = messages_per_minute / 60
        self._size = float(messages_per_minute)
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._slowed: set[str] = set()

    async def __call__(self, message: ChatMessage, call_next: Next) -> None:
        """Pass on what is within the pace."""
        who = f"{message.address.key}#{message.sender.id}"
        if self._takes(who):
            self._slowed.discard(who)
            await call_next(message)
        elif who not in self._slowed:  # a flood is logged once, not message by message
            self._slowed.add(who)
            logger.bind(chat=str(message.address)).warning("too many messages of one person; not interpreted")

    def _takes(self, who: str) -> bool:
        now = self._clock.now().timestamp()
        tokens, seen = self._buckets.pop(who, (self._size, now))
        tokens = min(self._size, tokens + max(0.0, now - seen) * self._rate)
        is_taken = tokens >= 1
        self._buckets[who] = (tokens - 1 if is_taken else tokens, now)
        if len(self._buckets) > _REMEMBERED_PEOPLE:
            forgotten, _ = self._buckets.popitem(last=False)
            self._slowed.discard(forgotten)
        return is_taken
