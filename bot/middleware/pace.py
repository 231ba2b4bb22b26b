"""Do this person and this chat write faster than the bot should answer?"""

from collections import OrderedDict

from loguru import logger

from bot.middleware import Next
from services.chat import ChatMessage
from services.clock import Clock

_REMEMBERED = 10_000


class Pace:
    """A token bucket for each person of a platform and one for each chat; what comes faster is left to the history."""

    def __init__(self, messages_per_minute: int, clock: Clock, *, chat_messages_per_minute: int) -> None:
        self._of_people = _Buckets(messages_per_minute)
        self._of_chats = _Buckets(chat_messages_per_minute)
        self._clock = clock
        self._slowed: set[str] = set()

    async def __call__(self, message: ChatMessage, call_next: Next) -> None:
        """Pass on what is within the pace."""
        now = self._clock.now().timestamp()
        who, chat = f"{message.address.platform}#{message.sender.id}", message.address.key
        if not self._of_people.take(who, now):
            self._slow(message, who, "one person")
        elif not self._of_chats.take(chat, now):
            self._slow(message, chat, "one chat")
        else:
            self._slowed -= {who, chat}
            await call_next(message)

    def _slow(self, message: ChatMessage, who: str, whose: str) -> None:
        """Log a flood once, not message by message."""
        if who not in self._slowed and len(self._slowed) < _REMEMBERED:
            self._slowed.add(who)
            logger.bind(chat=str(message.address)).warning("too many messages of {}; not interpreted", whose)


class _Buckets:
    """A bucket for each of many, which holds what may come in a minute and fills up again steadily."""

    def __init__(self, per_minute: int) -> None:
        self._rate = per_minute / 60
        self._size = float(per_minute)
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, who: str, now: float) -> bool:
        """Whether one more of `who` is within the pace."""
        level, seen = self._levels.pop(who, (self._size, now))
        level = min(self._size, level + max(0.0, now - seen) * self._rate)
        is_taken = level >= 1
        self._levels[who] = (level - 1 if is_taken else level, now)
        if len(self._levels) > _REMEMBERED:
            self._levels.popitem(last=False)
        return is_taken
