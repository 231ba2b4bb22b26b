"""Pass incoming messages on or stop them: access, order, repetition, addressing and rate limits."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import partial
from typing import Final, Literal, Protocol
from weakref import WeakValueDictionary

from loguru import logger
from msgspec import Struct
from msgspec.structs import replace

from bot.platforms.kit.commands import sentence_of
from function_calls.understanding.interpreter import may_ask
from services.history.service import HistoryService, record_once
from services.kernel.bounded import BoundedDict
from services.kernel.chat import ChatAddress, ChatMessage
from services.kernel.clock import Clock
from services.kernel.languages import language_of

Next = Callable[[ChatMessage], Awaitable[None]]

Listen = Literal["all", "addressed", "smart"]

_REMEMBERED: Final = 10_000


class Middleware(Protocol):
    """Handles a message: `call_next(message)` passes it on, returning without it stops it."""

    async def __call__(self, message: ChatMessage, call_next: Next) -> None:
        """Handle `message`."""


def chain(middlewares: Sequence[Middleware], last: Next) -> Next:
    """Compose `middlewares`, the first outermost, around `last`."""
    step = last
    for middleware in reversed(middlewares):
        step = partial(_pass_on, middleware, step)
    return step


async def _pass_on(middleware: Middleware, following: Next, message: ChatMessage) -> None:
    await middleware(message, following)


class AccessFilter:
    """Stops messages of bots and, if allowed chats are configured, of other chats."""

    def __init__(self, allowed_chats: Collection[str] = ()) -> None:
        self._allowed = frozenset(allowed_chats)

    async def __call__(self, message: ChatMessage, call_next: Next) -> None:
        """Pass on messages of people in allowed chats."""
        if self.admits(message):
            await call_next(message)

    def admits(self, message: ChatMessage) -> bool:
        """Return whether `message` is from a person in an allowed chat."""
        return not message.sender.is_bot and self.serves(message.address)

    def serves(self, address: ChatAddress) -> bool:
        """Return whether the bot may answer in a chat."""
        return not self._allowed or address.key in self._allowed


def _may_be_a_request(message: ChatMessage) -> bool:
    """Return whether the trained network takes a message for a request."""
    return may_ask(message.text, message.sent_at, language_of(message.text, "en"))


class ListenFilter(Struct, frozen=True):
    """Stops group messages by the setting `router.listen`.

    `is_for_the_bot` recognises unaddressed messages that only the bot can answer, `may_be_a_request` those that
    `smart` lets through.
    """

    listen: Listen
    is_for_the_bot: Callable[[ChatMessage], Awaitable[bool]]
    may_be_a_request: Callable[[ChatMessage], bool] = _may_be_a_request

    async def __call__(self, message: ChatMessage, call_next: Next) -> None:
        """Pass on messages that are addressed to the bot or private, or that the setting lets through."""
        passes = message.is_for_bot or self.listen == "all"
        passes = passes or (self.listen == "smart" and self.may_be_a_request(message))
        if passes or await self.is_for_the_bot(message):
            await call_next(message)


class ChatOrder:
    """Handles the messages of a chat one at a time, in their order."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def __call__(self, message: ChatMessage, call_next: Next) -> None:
        """Pass `message` on after earlier ones of the chat; asyncio locks are fair."""
        async with self._locks.setdefault(message.address.key, asyncio.Lock()):
            await call_next(message)


class Deduplication:
    """Records messages in the history, and stops those that it contains already."""

    def __init__(self, history: HistoryService) -> None:
        self._history = history

    async def __call__(self, message: ChatMessage, call_next: Next) -> None:
        """Record and pass on a new message."""
        if message.is_recorded or await record_once(self._history, message):
            await call_next(message)


class TokenBuckets:
    """A token bucket per key, with the capacity of one minute."""

    def __init__(self, per_minute: int, clock: Clock) -> None:
        self._rate = per_minute / 60
        self._size = float(per_minute)
        self._clock = clock
        self._levels: BoundedDict[str, tuple[float, float]] = BoundedDict(_REMEMBERED)

    def take(self, who: str) -> float:
        """Take a token of `who`; return 0, or the seconds until the next token if there is none."""
        now = self._clock.now().timestamp()
        level, seen = self._levels.get(who, (self._size, now))
        level = min(self._size, level + max(0.0, now - seen) * self._rate)
        is_taken = level >= 1
        self._levels[who] = (level - 1 if is_taken else level, now)
        return 0.0 if is_taken else (1 - level) / self._rate


class RateLimit:
    """Limits the rate of interpreted messages per person and per chat; others are only recorded."""

    def __init__(self, messages_per_minute: int, clock: Clock, *, chat_messages_per_minute: int) -> None:
        self._of_people = TokenBuckets(messages_per_minute, clock)
        self._of_chats = TokenBuckets(chat_messages_per_minute, clock)
        self._limited: set[str] = set()

    async def __call__(self, message: ChatMessage, call_next: Next) -> None:
        """Pass on messages within the rate limit."""
        if not self.take(message.address, message.sender.id):
            await call_next(message)

    def take(self, address: ChatAddress, person_id: str) -> float:
        """Count a message; return 0, or the seconds until the next is allowed if it exceeds a limit."""
        who, chat = f"{address.platform}#{person_id}", address.key
        if wait := self._of_people.take(who):
            self._log_flood(address, who, "one person")
        elif wait := self._of_chats.take(chat):
            self._log_flood(address, chat, "one chat")
        else:
            self._limited -= {who, chat}
        return wait

    def _log_flood(self, address: ChatAddress, who: str, whose: str) -> None:
        """Log the first message above a limit."""
        if who not in self._limited and len(self._limited) < _REMEMBERED:
            self._limited.add(who)
            logger.bind(chat=str(address)).warning("too many messages of {}; recording them only", whose)


class Commands:
    """Replaces slash commands by addressed sentences; the history keeps the command."""

    def __init__(self, bot_name: str, language: str) -> None:
        self._bot_name = bot_name
        self._language = language

    async def __call__(self, message: ChatMessage, call_next: Next) -> None:
        """Pass on the message, or its sentence."""
        sentence = sentence_of(message.text, self._bot_name, self._language)
        await call_next(message if sentence is None else replace(message, text=sentence, is_addressed=True))
