"""Pass messages between workers: each worker sends those for the platforms that it leases."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Any, Final

from loguru import logger
from msgspec import Struct, field, json
from msgspec.structs import replace

from bot.outbound.platform_leases import PlatformLeaseHolder
from bot.platforms.base import OutgoingMessage
from services.kernel.bounded import RepeatLimit
from services.kernel.chat import ChatAddress
from services.kernel.clock import Clock
from services.kernel.errors import DeliveryFailed
from services.storage.workers.remote_outbox import RemoteMessages

TIMEOUT: Final = timedelta(seconds=30)
"""Time that a message waits for another worker; longer than the transfer of a lease."""
_POLL_SECONDS: Final = 0.2
_PAUSE_AFTER_ERROR_SECONDS: Final = 1.0

Send = Callable[[ChatAddress, OutgoingMessage], Awaitable[str | None]]


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
