"""Lease platforms, so that one of several workers on a PostgreSQL database connects to each."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Coroutine
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final

from loguru import logger

from services.kernel.background_tasks import run_beside, run_until
from services.kernel.bounded import RepeatLimit
from services.kernel.clock import Clock
from services.storage.workers.platform_leases import PlatformLeases

LEASE_DURATION: Final = timedelta(seconds=9)
"""A lease ends if it is not renewed within this time."""
_RENEW_SECONDS: Final = 2.0
# Before the lease ends, so that two workers are never connected at once.
_GIVE_UP_SECONDS: Final = LEASE_DURATION.total_seconds() - _RENEW_SECONDS


class PlatformLeaseHolder:
    """Holds the leases of `platforms` for this process. `local` are platforms that every process serves."""

    def __init__(
        self, leases: PlatformLeases, platforms: Collection[str], clock: Clock, *, local: Collection[str] = ()
    ) -> None:
        self._leases = leases
        self._clock = clock
        self._local = frozenset(local)
        self._held_events = {name: asyncio.Event() for name in platforms}
        self._lost_events = {name: asyncio.Event() for name in platforms}
        self._renewed_at: float | None = None
        for event in self._lost_events.values():
            event.set()

    @property
    def held(self) -> frozenset[str]:
        """Return the platforms that this process leases.

        Empty when the leases may have ended: after being suspended, a process detects this by the clock.
        """
        now = asyncio.get_running_loop().time()
        if self._renewed_at is None or now - self._renewed_at >= _GIVE_UP_SECONDS:
            return frozenset()
        return frozenset(name for name, event in self._held_events.items() if event.is_set())

    def is_here(self, platform: str) -> bool:
        """Return whether this worker sends the messages of `platform`."""
        return platform in self._local or platform in self.held

    @asynccontextmanager
    async def hold(self) -> AsyncIterator[None]:
        """Take and renew leases until the context ends, then release them."""
        try:
            async with run_beside(self._renew(), "platform leases"):
                yield
        finally:
            self._set_held(frozenset())
            try:
                async with asyncio.timeout(_RENEW_SECONDS):
                    await self._leases.give_back()
            except Exception as error:  # noqa: BLE001 - leases end by themselves
                logger.warning("could not release platform leases: {}", error)

    async def run_while_leader(self, platform: str, run: Callable[[], Coroutine[object, object, None]]) -> None:
        """Run a connection while this process leases the platform, until its input ends."""
        if platform in self._local:
            await run()
            return
        while True:
            await self._held_events[platform].wait()
            logger.info("acquired lease for {}; connecting", platform)
            if await run_until(run(), self._lost_events[platform].wait(), f"{platform} while leased"):
                return
            logger.warning("lost lease for {}; disconnecting", platform)

    async def _renew(self) -> None:
        loop, log_limit = asyncio.get_running_loop(), RepeatLimit.of_one_loop()
        begun_at = loop.time()
        while True:
            asked_at = loop.time()
            try:
                async with asyncio.timeout(_GIVE_UP_SECONDS):
                    held = await self._leases.take(self._held_events)
                self._renewed_at = asked_at
                self._set_held(held)
            except Exception as error:  # noqa: BLE001 - the database may be available again at the next attempt
                if log_limit.admits(error):
                    logger.warning("could not renew platform leases: {} {}", type(error).__name__, error)
                if loop.time() - (self._renewed_at or begun_at) >= _GIVE_UP_SECONDS:
                    self._set_held(frozenset())
            await self._clock.nap(_RENEW_SECONDS)

    def _set_held(self, held: frozenset[str]) -> None:
        for name, held_event in self._held_events.items():
            lost_event = self._lost_events[name]
            for event, is_set in ((held_event, name in held), (lost_event, name not in held)):
                if is_set:
                    event.set()
                else:
                    event.clear()
