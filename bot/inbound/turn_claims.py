"""Claim turns, so that exactly one of several workers answers each message."""

from collections.abc import Awaitable, Callable, Collection
from typing import Final

from loguru import logger

from bot.platforms.base import Platform, ResumesMessages
from function_calls.tools.calls import ToolCall, ToolResult
from function_calls.tools.context import CallContext
from services.kernel.bounded import RepeatLimit
from services.kernel.chat import ChatMessage
from services.kernel.clock import Clock
from services.storage.workers.turn_claims import Key, TurnClaims

_POLL_SECONDS: Final = 2.0

TakeOver = Callable[[Collection[Key]], Awaitable[None]]


class TurnCoordinator:
    """Decides which messages this worker answers, and takes over those of others."""

    def __init__(self, claims: TurnClaims, clock: Clock) -> None:
        self._claims = claims
        self._clock = clock
        self._log_limit = RepeatLimit.of_one_loop()

    async def is_ours(self, message: ChatMessage) -> bool:
        """Return whether this worker owns the turn of `message`; True where the database is unavailable."""
        key = (message.address.key, message.id)
        try:
            is_ours = await self._claims.is_ours(key)
        except Exception as error:  # noqa: BLE001 - a repeated answer is better than none
            logger.bind(chat=key[0], message=key[1]).warning(
                "could not verify turn ownership; answering anyway: {}", error
            )
            return True
        if not is_ours:
            logger.bind(chat=key[0], message=key[1]).warning("turn is owned by another worker; not answering")
        return is_ours

    async def refuse(self, call: ToolCall, context: CallContext) -> ToolResult | None:
        """Refuse a call if another worker has taken over its turn; a hook before each tool."""
        if await self.is_ours(context.message):
            return None
        return ToolResult.failed(f"{call.name} is called by another worker", kind="denied")

    def complete(self, key: Key) -> None:
        """Mark a message as answered."""
        self._claims.complete((key,))

    async def follow(self, platform: Platform, take_over: TakeOver) -> None:
        """Pass unfinished turns of other workers on a platform to `take_over`.

        A platform with one connection is taken over once, when the earlier worker has disconnected. On platforms that
        every worker serves, turns of workers that have ended are taken over until cancelled.
        """
        if not platform.capabilities.per_process:
            await self._take_over(platform.name, take_over, only_dead=False)
            return
        log_limit = RepeatLimit.of_one_loop()
        while isinstance(platform, ResumesMessages):
            try:
                await self._take_over(platform.name, take_over, only_dead=True)
            except Exception as error:  # noqa: BLE001 - the database may be available again at the next attempt
                if log_limit.admits(error):
                    logger.warning("{}: could not read turns left by other workers: {}", platform.name, error)
            await self._clock.nap(_POLL_SECONDS)

    async def release_completed(self) -> None:
        """Release completed claims until cancelled, and once more at the end."""
        try:
            while True:
                await self._clock.nap(_POLL_SECONDS)
                await self._release_once()
        finally:
            await self._release_once()

    async def _take_over(self, platform: str, take_over: TakeOver, *, only_dead: bool) -> None:
        keys = await self._claims.take(platform, only_dead=only_dead)
        if keys:
            logger.info("took over {} turns on {} from another worker", len(keys), platform)
            await take_over(keys)
            self._claims.complete(keys)

    async def _release_once(self) -> None:
        try:
            await self._claims.release_completed()
        except Exception as error:  # noqa: BLE001 - a claim that is kept too long does no harm
            if self._log_limit.admits(error):
                logger.warning("could not release completed turns: {}", error)
