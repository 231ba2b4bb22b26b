"""Send claimed occurrences at their due time and record the outcomes."""

import asyncio
from collections import deque
from collections.abc import Callable
from datetime import datetime

from services.kernel.clock import Clock
from services.reminders.delivery.config import DeliveryConfig, Prefetch
from services.reminders.delivery.due_queue import DueQueue
from services.reminders.delivery.sender import (
    Attempt,
    LeaseGroup,
    PendingAcks,
    Sender,
    SendingMessage,
    log_outcomes,
    message_key,
)
from services.reminders.ports import DeliveryLedger, Notifier
from services.reminders.records import DeliveryState, Lease

_TURN_SECONDS = 0.001  # limits the time that a notifier which never waits blocks the event loop
# Iterations of the event loop that `begin_for_ever` gets before a commit, because the ledger runs one query at a time
# and due occurrences come before outcomes.
_TURNS_TO_BEGIN = 5
_TURNS_TO_SEND = 2  # iterations of the event loop that senders get before a commit that they would have to wait for
# The commit of recorded outcomes waits at most this long, and up to this number of them, while messages are waiting.
_COMMIT_DELAY_SECONDS = 1.0
_MAX_UNCOMMITTED = 20_000
_COMMIT_POLL_SECONDS = 0.005
_MAX_RECENTLY_SENT = 5000  # more than a second's sends, whose commit a crashed database server may lose
_SETTLE_BATCH = 1000
_STALE_SECONDS = 5.0  # if this process was frozen, another one may have claimed messages begun this long ago


class Dispatcher:
    """Passes due occurrences to the notifier, a bounded number at a time, and records outcomes in the ledger."""

    def __init__(
        self,
        ledger: DeliveryLedger,
        notifier: Notifier,
        clock: Clock,
        config: DeliveryConfig,
        owner: str,
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._config = config
        self._owner = owner
        self._sender = Sender(ledger, notifier, clock, config)
        self._queue = DueQueue(config.max_per_message if self._sender.can_batch else 1)
        self._to_send: deque[SendingMessage] = deque()
        self._prefetch = Prefetch(senders=config.senders, maximum=config.max_ahead)
        self._due = asyncio.Event()
        self._gate = asyncio.Semaphore(0)
        self._has_outcomes = asyncio.Event()
        self._acks_wanted = asyncio.Event()
        self._idle = asyncio.Event()
        self._is_draining = False
        self._beginning: list[LeaseGroup] = []
        self._unsettled: set[int] = set()
        self._recently_sent: deque[int] = deque(maxlen=_MAX_RECENTLY_SENT)
        self._is_verifying = False
        self._in_flight = 0
        self._admission: asyncio.Handle | None = None
        self._outcomes: list[Attempt] = []
        self._pending_acks = PendingAcks(ledger)

    def __len__(self) -> int:
        """Return the number of occurrences in memory that are not begun."""
        return len(self._queue)

    def push(self, leases: tuple[Lease, ...]) -> None:
        """Queue claimed occurrences, due or not."""
        if leases:
            self._queue.push(leases)
            self._due.set()

    async def begin_for_ever(self) -> None:
        """Begin due occurrences as senders become free."""
        while True:
            self._due.clear()
            room = self._room()
            taken = self._queue.take(self._clock.now(), min(room, self._config.batch)) if room > 0 else []
            if taken:
                self._beginning = taken
                try:
                    await asyncio.sleep(0)  # taking many occurrences has blocked the event loop
                    await self._begin(taken)
                finally:
                    self._beginning = []
                    self._idle.set()
            else:
                await wait_or_nap(self._due, self._clock, self._seconds_to_next(room > 0))

    async def send_for_ever(self) -> None:
        """Send begun messages one after the other; several senders run this concurrently."""
        loop = asyncio.get_running_loop()
        self._wake_sender_or_record()  # after an error nobody else may wake a sender for the messages that are left
        while True:
            await self._gate.acquire()
            self._wake_sender_or_record()
            turn_ends = loop.time() + _TURN_SECONDS
            while self._may_send() and loop.time() < turn_ends:
                await self._send(self._to_send.popleft(), loop)
            self._wake_sender_or_record()

    async def settle_for_ever(self, try_at: Callable[[datetime], None]) -> None:
        """Record outcomes, one commit after the other; call `try_at` with the time of each retry."""
        while True:
            await self._has_outcomes.wait()
            for _ in range(_TURNS_TO_BEGIN):
                if self._due.is_set():
                    await asyncio.sleep(0)
            await self._yield_to_senders()
            await self._pending_acks.record()
            self._pending_acks.is_commit_wanted = False
            await self._settle(try_at)
            self._admit()
            self._idle.set()

    async def record_for_ever(self) -> None:
        """Record sent messages ahead of their commit when senders wait for it."""
        while True:
            await self._acks_wanted.wait()
            self._acks_wanted.clear()
            if await self._pending_acks.record():
                self._admit()

    async def _yield_to_senders(self) -> None:
        """Delay the commit while messages wait to be sent, which are more urgent."""
        loop = asyncio.get_running_loop()
        latest = loop.time() + _COMMIT_DELAY_SECONDS
        while (self._to_send or self._beginning) and loop.time() < latest:
            if self._pending_acks.is_commit_wanted:
                for _ in range(_TURNS_TO_SEND):
                    await asyncio.sleep(0)
                return
            if len(self._outcomes) >= _MAX_UNCOMMITTED:
                return
            await asyncio.sleep(_COMMIT_POLL_SECONDS)

    async def drain(self) -> None:
        """Stop beginning messages, finish begun ones, and free the other leases."""
        self._is_draining = True
        self._due.set()
        while self._beginning or self._is_verifying or self._in_flight or self._to_send or self._outcomes:
            self._idle.clear()
            await self._idle.wait()
        self._queue.clear()
        await self._ledger.free(self._owner)

    async def release_unstarted(self) -> None:
        """Free occurrences that are not begun, and leases that this process lost, so that they are claimed again.

        Begun and recently sent ones are excepted, also if a crashed database server lost the commit of their outcome.
        """
        self._queue.clear()
        started = (lease.notice.delivery_id for leases in self._beginning for lease in leases)
        await self._ledger.release(self._owner, self._unsettled.union(started, self._recently_sent))

    def _may_send(self) -> bool:
        """Return whether a send may start: at most as many sent messages as senders may be unrecorded at a crash."""
        return bool(self._to_send) and self._in_flight + len(self._pending_acks) < self._config.senders

    def _wake_sender_or_record(self) -> None:
        """Wake the next sender if it may send; else start recording the sent messages that it waits for."""
        if self._may_send():
            self._admit()
        elif self._to_send:
            self._acks_wanted.set()

    def _admit(self) -> None:
        """Wake one sender in the next iteration of the event loop.

        It wakes the next one when it waits for the platform; woken together, most senders would find nothing to send.
        """
        if self._admission is None:
            self._admission = asyncio.get_running_loop().call_soon(self._open_gate)

    def _open_gate(self) -> None:
        self._admission = None
        if self._gate.locked():
            self._gate.release()

    def _room(self) -> int:
        """Return the number of messages that may begin now: free senders, and sends during two ledger queries.

        Return 0 until half of the latter are free, because many queries for a few rows cost more than one for many.
        """
        if self._is_draining:
            return 0
        ahead = self._prefetch.ahead
        room = self._config.senders + ahead - self._in_flight - len(self._to_send)
        return room if room > ahead // 2 else 0

    def _seconds_to_next(self, has_room: bool) -> float:
        tick = self._config.tick.total_seconds()
        if not has_room or self._queue.next_at is None:
            return tick
        return min(tick, (self._queue.next_at - self._clock.now()).total_seconds())

    async def _begin(self, taken: list[LeaseGroup]) -> None:
        """Mark occurrences as being sent, and drop those deleted, edited or claimed by others meanwhile."""
        keyed = [(leases, message_key(leases)) for leases in taken]
        expected = {lease.notice.delivery_id: lease.version for leases in taken for lease in leases}
        shared = {
            lease.notice.delivery_id: key
            for leases, key in keyed
            if key != leases[0].notice.idempotency_key
            for lease in leases
        }
        started = asyncio.get_running_loop().time()
        try:
            versions = await self._ledger.begin(self._owner, list(expected), shared)
        except Exception:
            self._queue.push(lease for leases in taken for lease in leases)
            raise
        self._prefetch.record_query(asyncio.get_running_loop().time() - started)
        self._queue.drop(versions)
        self._unsettled.update(versions)
        if versions == expected:
            self._to_send.extend(SendingMessage(leases, key, started) for leases, key in keyed)
        else:
            messages = (_sendable_part(leases, key, started, versions) for leases, key in keyed)
            self._to_send.extend(message for message in messages if message is not None)
        if self._to_send:
            self._admit()

    async def _send(self, message: SendingMessage, loop: asyncio.AbstractEventLoop) -> None:
        started = loop.time()
        if started - message.at > _STALE_SECONDS:
            await self._verify_ownership(message)
            return
        self._in_flight += 1
        try:
            outcomes = await self._sender.send(message)
        finally:
            self._in_flight -= 1
        self._pending_acks.add(outcomes)
        self._prefetch.record_send(loop.time() - started)
        self._outcomes += outcomes
        self._has_outcomes.set()
        if not self._due.is_set() and self._room():
            self._due.set()

    async def _verify_ownership(self, stale: SendingMessage) -> None:
        """Check in one query that this process still owns messages begun long ago; their new owner sends the others.

        Messages that are not being sent according to the ledger are begun again, because a crashed database server may
        have lost that.
        """
        checked = [stale, *self._to_send]
        self._to_send.clear()
        self._is_verifying = True
        try:
            ids = {lease.notice.delivery_id for message in checked for lease in message.leases}
            ours = await self._ledger.list_sending(self._owner, sorted(ids))
        except Exception:
            self._to_send.extendleft(reversed(checked))
            raise
        finally:
            self._is_verifying = False
            self._idle.set()
        now = asyncio.get_running_loop().time()
        self._unsettled -= ids - ours
        for message in reversed(checked):
            if all(lease.notice.delivery_id in ours for lease in message.leases):
                self._to_send.appendleft(message._replace(at=now))
            else:
                self.push(message.leases)
        self._admit()

    async def _settle(self, try_at: Callable[[datetime], None]) -> None:
        """Record the present outcomes in batches, so that due occurrences can begin in between."""
        left = len(self._outcomes)
        while left:
            settled = self._outcomes[: min(left, _SETTLE_BATCH)]
            await self._ledger.settle([outcome for _, outcome in settled])
            del self._outcomes[: len(settled)]
            left -= len(settled)
            self._pending_acks.discard(outcome for _, outcome in settled)
            self._unsettled.difference_update(outcome.delivery_id for _, outcome in settled)
            self._recently_sent.extend(
                outcome.delivery_id for _, outcome in settled if outcome.state is DeliveryState.SENT
            )
            log_outcomes(settled)
            for _, outcome in settled:
                if outcome.state in {DeliveryState.LEASED, DeliveryState.UNKNOWN}:
                    try_at(outcome.at)
        if not self._outcomes:
            self._has_outcomes.clear()


async def wait_or_nap(event: asyncio.Event, clock: Clock, seconds: float) -> None:
    """Return when `event` is set or after `seconds`, whichever comes first."""
    if event.is_set() or seconds <= 0:
        await asyncio.sleep(0)
        return
    waits = (asyncio.ensure_future(event.wait()), asyncio.ensure_future(clock.nap(seconds)))
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()


def _sendable_part(leases: LeaseGroup, key: str, at: float, versions: dict[int, int]) -> SendingMessage | None:
    """Return the part of a message that the ledger has marked as being sent."""
    ours = tuple(lease for lease in leases if lease.notice.delivery_id in versions)
    if not ours:
        return None
    edited = tuple(lease.notice.delivery_id for lease in ours if versions[lease.notice.delivery_id] != lease.version)
    return SendingMessage(ours, key, at, edited)
