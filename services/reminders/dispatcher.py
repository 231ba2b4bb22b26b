"""The dispatcher: says each claimed occurrence at its instant and records what came of it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from loguru import logger

from services.clock import Clock
from services.errors import DeliveryFailed
from services.reminders.due_queue import DueQueue
from services.reminders.ports import Courier, DeliveryLedger
from services.reminders.records import DeliveryState, Lease, Mark
from services.reminders.retries import RetryPolicy
from services.reminders.throughput import Throughput
from services.reminders.waiting import wait_or_nap

if TYPE_CHECKING:
    from loguru import Logger


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


_LOGGED_ONE_BY_ONE = 20


class Dispatcher:
    """Hands due occurrences to the courier, a bounded number at a time, and keeps the ledger about them."""

    def __init__(
        self,
        ledger: DeliveryLedger,
        courier: Courier,
        clock: Clock,
        pace: WakerPace,
        retries: RetryPolicy,
        owner: str,
    ) -> None:
        self._ledger = ledger
        self._courier = courier
        self._clock = clock
        self._pace = pace
        self._retries = retries
        self._owner = owner
        self._queue = DueQueue()
        self._begun: asyncio.Queue[tuple[Lease, bool]] = asyncio.Queue()
        self._throughput = Throughput(senders=pace.senders, most=pace.batch)
        self._due = asyncio.Event()
        self._marked = asyncio.Event()
        self._idle = asyncio.Event()
        self._is_draining = False
        self._in_flight = 0
        self._marks: list[tuple[Lease, Mark]] = []
        self._reported: set[int] = set()

    def __len__(self) -> int:
        """How many occurrences are held in memory and not begun."""
        return len(self._queue)

    def push(self, leases: tuple[Lease, ...]) -> None:
        """Take on claimed occurrences, due or not."""
        if leases:
            self._queue.push(leases)
            self._due.set()

    async def begin_for_ever(self) -> None:
        """Begin what is due as senders come free."""
        while True:
            self._due.clear()
            room = 0 if self._is_draining else self._room()
            taken = self._queue.take(self._clock.now(), room) if room > 0 else []
            if taken:
                await self._begin(taken)
            else:
                await wait_or_nap(self._due, self._clock, self._seconds_to_next(room > 0))

    async def send_for_ever(self) -> None:
        """Be one sender: say what is begun, one after the other."""
        loop = asyncio.get_running_loop()
        while True:
            lease, is_edited = await self._begun.get()
            self._in_flight += 1
            started = loop.time()
            try:
                mark = await self._send(lease, is_edited)
            finally:
                self._in_flight -= 1
            self._throughput.note_send(loop.time() - started)
            self._marks.append((lease, mark))
            self._marked.set()
            self._due.set()
            await asyncio.sleep(0)  # a courier that never waits must not keep the event loop

    async def settle_for_ever(self, try_at: Callable[[datetime], None]) -> None:
        """Record outcomes as fast as commits return; `try_at` is told when something is to be tried again."""
        while True:
            await self._marked.wait()
            self._marked.clear()
            marks, self._marks = self._marks, []
            if marks:
                await self._settle(marks, try_at)
            self._idle.set()

    async def drain(self) -> None:
        """Begin nothing new, finish what is begun, and give back the rest."""
        self._is_draining = True
        self._due.set()
        while self._in_flight or self._begun.qsize() or self._marks:
            self._idle.clear()
            await self._idle.wait()
        self._queue.clear()
        await self._ledger.free(self._owner)

    def _room(self) -> int:
        """How many may be begun now: free senders, and what they will have finished once the ledger has answered."""
        return self._pace.senders + self._throughput.ahead - self._in_flight - self._begun.qsize()

    def _seconds_to_next(self, has_room: bool) -> float:
        tick = self._pace.tick.total_seconds()
        if not has_room or self._queue.next_at is None:
            return tick
        return min(tick, (self._queue.next_at - self._clock.now()).total_seconds())

    async def _begin(self, taken: list[Lease]) -> None:
        """Re-check at the due instant: what was deleted, edited or taken away meanwhile is not said."""
        started = asyncio.get_running_loop().time()
        try:
            begun = await self._ledger.begin(self._owner, [lease.notice.delivery_id for lease in taken])
        except Exception:
            self._queue.push(taken)
            raise
        self._throughput.note_question(asyncio.get_running_loop().time() - started)
        for lease in taken:
            version = begun.get(lease.notice.delivery_id)
            if version is not None:
                self._begun.put_nowait((lease, version != lease.version))

    async def _send(self, lease: Lease, is_edited: bool) -> Mark:
        try:
            if is_edited:
                lease = await self._ledger.renew(lease.notice.delivery_id) or lease
            return await self._attempt(lease)
        except Exception as error:  # noqa: BLE001 - fire: an unforeseen error is an unknown outcome, said again later
            failure = DeliveryFailed(f"{type(error).__name__}: {error}", is_unknown=True)
            return self._retries.mark_after(lease, failure, self._clock.now())

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
            return mark
        self._reported.discard(lease.reminder_key)
        return Mark(
            delivery_id=notice.delivery_id,
            reminder_key=lease.reminder_key,
            state=DeliveryState.SENT,
            attempt=notice.attempt,
            at=self._clock.now(),
            platform_message_id=message_id,
        )

    async def _report(self, lease: Lease, reason: str) -> None:
        """Tell the owner, once until a reminder gets through again."""
        if lease.reminder_key in self._reported:
            return
        self._reported.add(lease.reminder_key)
        try:
            await self._courier.report_undeliverable(lease.notice, reason)
        except DeliveryFailed as failure:
            logger.bind(reminder=lease.notice.reminder_id).warning("the owner could not be told: {}", failure)

    async def _settle(self, settled: list[tuple[Lease, Mark]], try_at: Callable[[datetime], None]) -> None:
        try:
            await self._ledger.settle([mark for _, mark in settled])
        except Exception:
            self._marks = [*settled, *self._marks]
            self._marked.set()
            raise
        _log(settled)
        for _, mark in settled:
            if mark.state in {DeliveryState.LEASED, DeliveryState.UNKNOWN}:
                try_at(mark.at)


def _log(settled: list[tuple[Lease, Mark]]) -> None:
    """One line for each delivery; of many at once the successes share a line, or the log would delay the rest."""
    sent = [(lease, mark) for lease, mark in settled if mark.state is DeliveryState.SENT]
    are_many = len(sent) > _LOGGED_ONE_BY_ONE
    if are_many:
        latest = max((mark.at - lease.notice.due_at).total_seconds() for lease, mark in sent)
        logger.info("{} reminders sent, at most {:.3f} s after they were due", len(sent), latest)
    for lease, mark in settled:
        if mark.state is not DeliveryState.SENT:
            _logger_of(lease).warning("reminder {} at attempt {}: {}", mark.state, mark.attempt, mark.error)
        elif not are_many:
            late = (mark.at - lease.notice.due_at).total_seconds()
            _logger_of(lease).info("reminder sent at attempt {}, {:.3f} s after it was due", mark.attempt, late)


def _logger_of(lease: Lease) -> "Logger":
    notice = lease.notice
    return logger.bind(chat=str(notice.address), reminder=notice.reminder_id, delivery=notice.delivery_id)
