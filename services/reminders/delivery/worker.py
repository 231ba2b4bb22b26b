"""Claim occurrences a little before they are due and pass them to the dispatcher."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from uuid import uuid4

from loguru import logger

from services.kernel.bounded import RepeatLimit
from services.kernel.chat import ChatAddress
from services.kernel.clock import Clock
from services.reminders.delivery.config import DeliveryConfig
from services.reminders.delivery.dispatcher import Dispatcher, wait_or_nap
from services.reminders.ports import DeliveryLedger, Notifier
from services.reminders.records import LEDGER_RETENTION

_CLOCK_STEP = timedelta(minutes=1)
_PAUSE_AFTER_ERROR_SECONDS = 1.0
_RETRY_FAILED_WITHIN = timedelta(days=7)
_PURGE_BATCH = 1000


class DeliveryWorker:
    """Delivers every occurrence of the ledger, and continues after any exception of the store and the notifier."""

    def __init__(
        self,
        ledger: DeliveryLedger,
        notifier: Notifier,
        clock: Clock,
        config: DeliveryConfig,
        zone_data: str = "",
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._config = config
        self._zone_data = zone_data
        self._owner = uuid4().hex
        self._dispatcher = Dispatcher(ledger, notifier, clock, config, self._owner)
        self._wake = asyncio.Event()
        self._is_claim_due = True
        self._is_claim_open = False
        self._is_draining = False
        self._log_limit = RepeatLimit.of_one_loop()
        self._next_claim_at: datetime | None = None
        self._clock_read_at: datetime | None = None

    def claim_before(self, due: datetime) -> None:
        """Claim from the ledger now, unless the next claim is early enough for `due` (timezone-aware)."""
        if self._next_claim_at is None or due - self._config.look_ahead < self._next_claim_at:
            self.claim_soon()

    def claim_soon(self) -> None:
        """Claim from the ledger now."""
        self._is_claim_due = True
        self._wake.set()

    def tick(self) -> None:
        """Read the clock now, without a query of the ledger."""
        self._wake.set()

    async def run(self) -> None:
        """Deliver until cancelled; first free the leases of an earlier process."""
        await self._persist(self._recover)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._persist(self._claim_for_ever))
            group.create_task(self._persist(self._dispatcher.begin_for_ever))
            group.create_task(self._persist(lambda: self._dispatcher.settle_for_ever(self.claim_before)))
            group.create_task(self._persist(self._dispatcher.record_for_ever))
            for _ in range(self._config.senders):
                group.create_task(self._persist(self._dispatcher.send_for_ever))

    async def drain(self) -> None:
        """Stop beginning sends, wait until begun ones are sent and recorded, and free the other leases.

        Then `run` can be cancelled.
        """
        self._is_draining = True
        await self._dispatcher.drain()

    async def retry_failed(self, chat: ChatAddress) -> int:
        """Retry the failed deliveries of a chat of the last week, after the bot has joined it again.

        Return their number; of a repeating reminder only the latest is retried.
        """
        now = self._clock.now()
        count = await self._ledger.retry_failed(chat.key, now - _RETRY_FAILED_WITHIN, now)
        if count:
            self.claim_soon()
        return count

    async def chats_with_failures(self) -> frozenset[str]:
        """Return the keys of the chats with failed deliveries in the last week."""
        return await self._ledger.chats_with_failures(self._clock.now() - _RETRY_FAILED_WITHIN)

    async def purge(self) -> int:
        """Delete final occurrences older than 30 days, in batches; return their number."""
        total = 0
        while deleted := await self._ledger.purge(self._clock.now() - LEDGER_RETENTION, _PURGE_BATCH):
            total += deleted
        return total

    async def _recover(self) -> None:
        freed = await self._ledger.free(None)
        if freed:
            logger.info("freed {} occurrences claimed by an earlier run", freed)
        latest = await self._ledger.latest_due()
        if latest is not None:
            self._clock_read_at = latest - self._config.look_ahead  # in the future if the clock was set back since
        if self._zone_data:
            moved = await self._ledger.follow_zone_data(self._zone_data, self._clock.now())
            if moved:
                logger.warning(
                    "time zone data changed to {}; recomputed the next fire of {} reminders", self._zone_data, moved
                )

    async def _persist(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run `work` until it returns: a locked or lost database must not end the delivery of reminders."""
        while True:
            try:
                await work()
            except Exception as error:  # noqa: BLE001 - no error may stop the worker
                if self._log_limit.admits(error):
                    logger.error("delivery worker retries after {}: {}", type(error).__name__, error)
                self._is_claim_due = True
                await self._clock.nap(_PAUSE_AFTER_ERROR_SECONDS)
            else:
                return

    async def _claim_for_ever(self) -> None:
        while True:
            self._wake.clear()
            now = self._clock.now()
            await self._handle_clock_step(now)
            if self._is_claim_wanted(now):
                await self._claim(now)
            await wait_or_nap(self._wake, self._clock, self._nap_seconds())

    def _may_claim(self) -> bool:
        return not self._is_draining and len(self._dispatcher) < self._config.max_held

    def _is_claim_wanted(self, now: datetime) -> bool:
        is_time = self._is_claim_due or (self._next_claim_at is not None and now >= self._next_claim_at)
        return is_time and self._may_claim()

    async def _claim(self, now: datetime) -> None:
        self._is_claim_due = False
        self._next_claim_at = None  # so that another claim follows for a reminder added during this one
        if self._is_claim_open:
            await self._dispatcher.release_unstarted()
        self._is_claim_open = True  # a claim that fails without an answer may have been committed
        claim = await self._ledger.claim(self._owner, now, now + self._config.look_ahead, self._config.batch)
        self._is_claim_open = False
        self._dispatcher.push(claim.leases)
        if claim.is_full:
            self.claim_soon()
        elif claim.next_at is not None:
            # Claim at most five times per `look_ahead`, so that rows due shortly after each other share a claim.
            self._next_claim_at = max(claim.next_at - self._config.look_ahead, now + self._config.look_ahead / 5)

    def _nap_seconds(self) -> float:
        tick = self._config.tick.total_seconds()
        if self._next_claim_at is None or not self._may_claim():
            return tick
        return min(tick, (self._next_claim_at - self._clock.now()).total_seconds())

    async def _handle_clock_step(self, now: datetime) -> None:
        """Recompute next fires after the clock was set back."""
        last = self._clock_read_at
        if last is not None and now < last - _CLOCK_STEP:
            await self._dispatcher.release_unstarted()
            changed = await self._ledger.realign(now)
            logger.warning("clock was set back by {}; recomputed the next fire of {} reminders", last - now, changed)
            self._is_claim_due = True
        self._clock_read_at = now
