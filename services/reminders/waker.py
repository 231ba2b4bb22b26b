"""The waker: claims what falls due a little ahead, says it at its instant, and keeps the ledger."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import uuid4

from loguru import logger

from services.clock import Clock
from services.errors import DeliveryFailed
from services.reminders.due_queue import DueQueue
from services.reminders.ports import Courier, DeliveryLedger
from services.reminders.records import DeliveryState, Lease, Mark
from services.reminders.retries import RetryPolicy
from services.reminders.waiting import wait_or_nap


@dataclass(frozen=True, kw_only=True, slots=True)
class WakerPace:
    """How the waker works.

    It claims `look_ahead` before the due time in batches of `batch`, looks at the clock at least every `tick`, has at
    most `senders` messages in flight and `most_held` occurrences in memory, and calls a send lost after `send_limit`.
    """

    look_ahead: timedelta = timedelta(seconds=5)
    tick: timedelta = timedelta(seconds=1)
    batch: int = 500
    senders: int = 16
    most_held: int = 20_000
    send_limit: timedelta = timedelta(minutes=2)


_CLOCK_STEP = timedelta(minutes=1)
_LOOK_AGAIN = timedelta(minutes=1)  # the ledger is asked this often even when nothing was heard of
_PAUSE_AFTER_ERROR_SECONDS = 1.0


class Waker:
    """Delivers every occurrence of the ledger; survives whatever store and courier raise."""

    def __init__(
        self, ledger: DeliveryLedger, courier: Courier, clock: Clock, pace: WakerPace, retries: RetryPolicy
    ) -> None:
        self._ledger = ledger
        self._courier = courier
        self._clock = clock
        self._pace = pace
        self._retries = retries
        self._owner = uuid4().hex
        self._queue = DueQueue()
        self._look = asyncio.Event()
        self._due = asyncio.Event()
        self._marked = asyncio.Event()
        self._idle = asyncio.Event()
        self._is_claim_due = True
        self._is_draining = False
        self._target: datetime | None = None
        self._last_look: datetime | None = None
        self._in_flight = 0
        self._marks: list[Mark] = []
        self._reported: set[str] = set()

    def nudge(self, due: datetime) -> None:
        """Look at the ledger soon, if `due` comes earlier than what is being waited for."""
        if self._target is None or due - self._pace.look_ahead < self._target:
            self.claim_soon()

    def claim_soon(self) -> None:
        """Look at the ledger now."""
        self._is_claim_due = True
        self._look.set()

    def tick(self) -> None:
        """Look at the clock now; cheap, the ledger is not asked."""
        self._look.set()

    async def run(self) -> None:
        """Deliver until cancelled. What an earlier process had claimed is freed first."""
        await self._persist(self._recover)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._persist(self._claim_for_ever))
            group.create_task(self._persist(lambda: self._say_for_ever(group)))
            group.create_task(self._persist(self._settle_for_ever))

    async def drain(self) -> None:
        """Begin nothing new, wait for what is being sent and recorded, and free the rest."""
        self._is_draining = True
        self._look.set()
        self._due.set()
        while self._in_flight or self._marks:
            self._idle.clear()
            await self._idle.wait()
        self._queue.clear()
        await self._ledger.free(self._owner)

    async def _recover(self) -> None:
        freed = await self._ledger.free(None)
        if freed:
            logger.info("{} occurrences of an earlier run are taken up again", freed)

    async def _persist(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do `work` until it returns: a locked or lost database must not end the delivery of reminders."""
        while True:
            try:
                await work()
            except Exception as error:  # noqa: BLE001 - fire: nothing that happens here may stop the waker
                logger.error("the waker goes on after {}: {}", type(error).__name__, error)
                self._is_claim_due = True
                await self._clock.nap(_PAUSE_AFTER_ERROR_SECONDS)
            else:
                return

    async def _claim_for_ever(self) -> None:
        while True:
            self._look.clear()
            now = self._clock.now()
            await self._notice_clock_step(now)
            if self._is_claim_wanted(now):
                await self._claim(now)
            await wait_or_nap(self._look, self._clock, self._nap_seconds())

    def _is_claim_wanted(self, now: datetime) -> bool:
        if self._is_draining or len(self._queue) >= self._pace.most_held:
            return False
        return self._is_claim_due or (self._target is not None and now >= self._target)

    async def _claim(self, now: datetime) -> None:
        self._is_claim_due = False
        self._target = None  # whatever is added while the claim runs must nudge
        claim = await self._ledger.claim(self._owner, now, now + self._pace.look_ahead, self._pace.batch)
        self._queue.push(claim.leases)
        if claim.leases:
            self._due.set()
        if claim.is_full:
            self.claim_soon()
        elif claim.next_at is not None:
            # Rows due one after the other are claimed together, five times in the time that is looked ahead.
            self._target = max(claim.next_at - self._pace.look_ahead, now + self._pace.look_ahead / 5)

    def _nap_seconds(self) -> float:
        tick = self._pace.tick.total_seconds()
        if self._target is None:
            return tick
        return min(tick, (self._target - self._clock.now()).total_seconds())

    async def _notice_clock_step(self, now: datetime) -> None:
        """After the clock was set back, next fires computed from the wrong future are computed again."""
        last, self._last_look = self._last_look, now
        if last is not None and now < last - _CLOCK_STEP:
            changed = await self._ledger.realign(now)
            logger.warning("the clock went back by {}; {} reminders were armed again", last - now, changed)
            self._is_claim_due = True

    async def _say_for_ever(self, group: asyncio.TaskGroup) -> None:
        while True:
            self._due.clear()
            free = 0 if self._is_draining else self._pace.senders - self._in_flight
            taken = self._queue.take(self._clock.now(), free) if free else []
            if taken:
                await self._begin(taken, group)
            else:
                await wait_or_nap(self._due, self._clock, self._seconds_to_next(bool(free)))

    def _seconds_to_next(self, is_free: bool) -> float:
        tick = self._pace.tick.total_seconds()
        if not is_free or self._queue.next_at is None:
            return tick
        return min(tick, (self._queue.next_at - self._clock.now()).total_seconds())

    async def _begin(self, taken: list[Lease], group: asyncio.TaskGroup) -> None:
        """Re-check at the due instant: what was deleted, edited or taken away meanwhile is not said."""
        try:
            begun = await self._ledger.begin(self._owner, [lease.notice.delivery_id for lease in taken])
        except Exception:
            self._queue.push(taken)
            raise
        for lease in taken:
            version = begun.get(lease.notice.delivery_id)
            if version is not None:
                self._in_flight += 1
                group.create_task(self._say(lease, is_edited=version != lease.version))

    async def _say(self, lease: Lease, *, is_edited: bool) -> None:
        try:
            if is_edited:
                lease = await self._ledger.renew(lease.notice.delivery_id) or lease
            mark = await self._attempt(lease)
        except Exception as error:  # noqa: BLE001 - fire: an unforeseen error is an unknown outcome, said again later
            failure = DeliveryFailed(f"{type(error).__name__}: {error}", is_unknown=True)
            mark = self._retries.mark_after(lease, failure, self._clock.now())
            _log(lease, mark)
        finally:
            self._in_flight -= 1
            self._due.set()
        self._marks.append(mark)
        self._marked.set()

    async def _attempt(self, lease: Lease) -> Mark:
        now = self._clock.now()
        notice = replace(lease.notice, fired_at=now.astimezone(lease.notice.due_at.tzinfo))
        try:
            async with asyncio.timeout(self._pace.send_limit.total_seconds()):
                message_id = await self._courier.deliver(notice)
        except DeliveryFailed as failure:
            mark = self._retries.mark_after(lease, failure, self._clock.now())
            if mark.state is DeliveryState.PARKED:
                await self._report(lease, mark.error)
        else:
            self._reported.discard(notice.reminder_id)
            mark = Mark(
                delivery_id=notice.delivery_id,
                reminder_id=notice.reminder_id,
                state=DeliveryState.SENT,
                attempt=notice.attempt,
                at=self._clock.now(),
                platform_message_id=message_id,
            )
        _log(lease, mark)
        return mark

    async def _report(self, lease: Lease, reason: str) -> None:
        """Tell the owner, once until a reminder gets through again."""
        if lease.notice.reminder_id in self._reported:
            return
        self._reported.add(lease.notice.reminder_id)
        try:
            await self._courier.report_undeliverable(lease.notice, reason)
        except DeliveryFailed as failure:
            logger.bind(reminder=lease.notice.reminder_id).warning("the owner could not be told: {}", failure)

    async def _settle_for_ever(self) -> None:
        while True:
            await self._marked.wait()
            self._marked.clear()
            marks, self._marks = self._marks, []
            if marks:
                await self._settle(marks)
            self._idle.set()

    async def _settle(self, marks: list[Mark]) -> None:
        try:
            await self._ledger.settle(marks)
        except Exception:
            self._marks = [*marks, *self._marks]
            self._marked.set()
            raise
        for mark in marks:
            if mark.state in {DeliveryState.LEASED, DeliveryState.UNKNOWN}:
                self.nudge(mark.at)


def _log(lease: Lease, mark: Mark) -> None:
    log = logger.bind(chat=str(lease.notice.address), reminder=mark.reminder_id, delivery=mark.delivery_id)
    late = mark.at - lease.notice.due_at
    if mark.state is DeliveryState.SENT:
        log.info("reminder sent at attempt {}, {:.3f} s after it was due", mark.attempt, late.total_seconds())
    else:
        log.warning("reminder {} at attempt {}: {}", mark.state, mark.attempt, mark.error)
