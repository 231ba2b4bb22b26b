"""Claim turns, so that one of several workers answers each message, even if the first one dies."""

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
        except Exception as error:  # noqa: BLE001 - fire: better said twice than never
            logger.bind(chat=key[0], message=key[1]).warning(
                "could not verify turn ownership; answering anyway: {}", error
            )
            return True
        if not is_ours:
            logger.bind(chat=key[0], message=key[1]).warning("turn is owned by another worker; not answering")
        return is_ours

    async def refuse(self, call: ToolCall, context: CallContext) -> ToolResult | None:
        """Before a tool runs: stop what another process has begun anew."""
        if await self.is_ours(context.message):
            return None
        return ToolResult.failed(f"{call.name} is called by another worker", kind="denied")

    def complete(self, key: Key) -> None:
        """Note that a message is answered."""
        self._claims.complete((key,))

    async def follow(self, platform: Platform, take_over: TakeOver) -> None:
        """Pass turns that other workers left on a platform to `take_over`.

        Where one process is connected, that is everything, once: the one before is connected no longer. In the rooms
        that every process has, it is what those who are gone have left, for as long as this one is there.
        """
        if not platform.capabilities.per_process:
            await self._take_over(platform.name, take_over, only_of_the_gone=False)
            return
        log_limit = RepeatLimit.of_one_loop()
        while isinstance(platform, ResumesMessages):
            try:
                await self._take_over(platform.name, take_over, only_of_the_gone=True)
            except Exception as error:  # noqa: BLE001 - fire: a database that is lost for a while comes back
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

    async def _take_over(self, platform: str, take_over: TakeOver, *, only_of_the_gone: bool) -> None:
        keys = await self._claims.take(platform, only_of_the_gone=only_of_the_gone)
        if keys:
            logger.info("took over {} turns on {} from another worker", len(keys), platform)
            await take_over(keys)
            self._claims.complete(keys)

    async def _release_once(self) -> None:
        try:
            await self._claims.release_completed()
        except Exception as error:  # noqa: BLE001 - fire: what is claimed too long is looked at in vain, and left
            if self._log_limit.admits(error):
                logger.warning("could not release completed turns: {}", error)
