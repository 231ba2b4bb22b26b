"""Lease platforms to one of several workers on a PostgreSQL database each, and pass messages between the workers."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Coroutine, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, Final

from loguru import logger
from msgspec import Struct, field, json
from msgspec.structs import replace

from bot.platforms.base import OutgoingMessage
from services.kernel.background_tasks import run_beside, run_until
from services.kernel.bounded import RepeatLimit
from services.kernel.chat import ChatAddress
from services.kernel.clock import Clock
from services.kernel.errors import DeliveryFailed
from services.storage.workers.platform_leases import PlatformLeases
from services.storage.workers.remote_outbox import RemoteMessages

LEASE_DURATION: Final = timedelta(seconds=9)
"""A lease ends if it is not renewed within this time."""
_RENEW_SECONDS: Final = 2.0
# Before the lease ends, so that two workers are never connected at once.
_GIVE_UP_SECONDS: Final = LEASE_DURATION.total_seconds() - _RENEW_SECONDS

_TIMER_TOLERANCE_SECONDS: Final = 0.01  # a timer of the event loop may be this early

TIMEOUT: Final = timedelta(seconds=30)
"""Time that a message waits for another worker; longer than the transfer of a lease."""
_POLL_SECONDS: Final = 0.2
_PAUSE_AFTER_ERROR_SECONDS: Final = 1.0

Send = Callable[[ChatAddress, OutgoingMessage], Awaitable[str | None]]


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
        self._set_held(frozenset())

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
            give_up_at = (begun_at if self._renewed_at is None else self._renewed_at) + _GIVE_UP_SECONDS
            try:
                async with asyncio.timeout_at(give_up_at if asked_at < give_up_at else asked_at + _GIVE_UP_SECONDS):
                    held = await self._leases.take(self._held_events)
                self._renewed_at = asked_at
                self._set_held(held)
            except Exception as error:  # noqa: BLE001 - the database may be available again at the next attempt
                if log_limit.admits(error):
                    logger.warning("could not renew platform leases: {} {}", type(error).__name__, error)
                if loop.time() >= give_up_at - _TIMER_TOLERANCE_SECONDS:
                    self._set_held(frozenset())
            await self._clock.nap(_RENEW_SECONDS)

    def _set_held(self, held: frozenset[str]) -> None:
        for name, held_event in self._held_events.items():
            lost_event = self._lost_events[name]
            now, before = (held_event, lost_event) if name in held else (lost_event, held_event)
            now.set()
            before.clear()


class _Envelope(Struct, frozen=True, kw_only=True):
    """A message and its chat."""

    address: ChatAddress
    message: OutgoingMessage


class _Outcome(Struct, frozen=True, kw_only=True):
    """Outcome of a remote message: the platform's id, or the reason and the fields of `DeliveryFailed`."""

    message_id: str | None = None
    reason: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)


class RemoteOutbox:
    """Passes messages between workers through the database."""

    def __init__(self, table: RemoteMessages, platform_leases: PlatformLeaseHolder, clock: Clock) -> None:
        self._table = table
        self.platform_leases = platform_leases
        self._clock = clock

    async def hand_over(self, address: ChatAddress, message: OutgoingMessage) -> str | None:
        """Hand `message` to the connected worker; return the platform's id of it.

        Raises:
            DeliveryFailed: the platform refused it, or no worker was connected for half a minute.
        """
        # Notices are shown only by the web room, which every process has.
        envelope = _Envelope(address=address, message=replace(message, notices=()))
        number = await self._table.add(address.platform, json.encode(envelope).decode())
        for _ in range(round(TIMEOUT.total_seconds() / _POLL_SECONDS)):
            await self._clock.nap(_POLL_SECONDS)
            stored = await self._table.outcome(number)
            if stored is not None:
                await self._table.withdraw(number)
                outcome = json.decode(stored, type=_Outcome)
                if outcome.reason is not None:
                    raise DeliveryFailed(outcome.reason, **outcome.fields)
                return outcome.message_id
        was_waiting = await self._table.withdraw(number)
        raise DeliveryFailed(f"no worker is connected to {address.platform}", is_unknown=not was_waiting)

    async def serve(self, send: Send) -> None:
        """Send the messages of other workers with `send`, until cancelled."""
        log_limit = RepeatLimit.of_one_loop()
        async with asyncio.TaskGroup() as group:
            while True:
                try:
                    taken = await self._table.take(self.platform_leases.held) if self.platform_leases.held else []
                except Exception as error:  # noqa: BLE001 - the database may be available again at the next attempt
                    if log_limit.admits(error):
                        logger.warning("could not read the remote outbox: {}", error)
                    await self._clock.nap(_PAUSE_AFTER_ERROR_SECONDS)
                    continue
                for number, content in taken:
                    group.create_task(self._send_one(number, content, send), name=f"remote message {number}")
                await self._clock.nap(_POLL_SECONDS)

    async def _send_one(self, number: int, content: str, send: Send) -> None:
        """Send one message; the outbox keeps the order of each chat."""
        try:
            envelope = json.decode(content, type=_Envelope)
            outcome = _Outcome(message_id=await send(envelope.address, envelope.message))
        except DeliveryFailed as failure:
            outcome = _Outcome(reason=str(failure), fields=vars(failure))
        except Exception as error:  # noqa: BLE001 - the message may have been sent
            outcome = _Outcome(reason=f"{type(error).__name__}: {error}", fields={"is_unknown": True})
        try:
            await self._table.settle(number, json.encode(outcome).decode())
        except Exception as error:  # noqa: BLE001 - the other worker times out and sends again
            logger.warning("could not store the outcome of a remote message: {}", error)
