"""Send one message and return the delivery outcomes, and record sent messages ahead of their commit."""

import asyncio
from collections.abc import Awaitable, Iterable, Sequence
from datetime import datetime
from hashlib import blake2s
from typing import TYPE_CHECKING, NamedTuple

from loguru import logger

from services.kernel.clock import Clock
from services.kernel.errors import DeliveryFailed
from services.reminders.delivery.config import DeliveryConfig
from services.reminders.ports import BatchNotifier, DeliveryLedger, Notifier
from services.reminders.records import DeliveryOutcome, DeliveryState, Lease

if TYPE_CHECKING:
    from loguru import Logger

Attempt = tuple[Lease, DeliveryOutcome]
"""An occurrence that was sent or tried, with the outcome."""

_MAX_LOGGED_SEPARATELY = 20


def log_outcomes(settled: Sequence[Attempt]) -> None:
    """Log each delivery on a line; many successes share one line, so that logging does not delay other sends."""
    sent = [(lease, outcome) for lease, outcome in settled if outcome.state is DeliveryState.SENT]
    are_many = len(sent) > _MAX_LOGGED_SEPARATELY
    if are_many:
        latest = max((outcome.at - lease.notice.due_at).total_seconds() for lease, outcome in sent)
        logger.info("{} reminders sent, at most {:.3f} s after they were due", len(sent), latest)
        if len(sent) == len(settled):
            return
    for lease, outcome in settled:
        if outcome.state is not DeliveryState.SENT:
            logger_of(lease).warning(
                "reminder {} at attempt {}: {}", outcome.state.name.lower(), outcome.attempt, outcome.error
            )
        elif not are_many:
            late = (outcome.at - lease.notice.due_at).total_seconds()
            logger_of(lease).info("reminder sent at attempt {}, {:.3f} s after it was due", outcome.attempt, late)


def logger_of(lease: Lease) -> "Logger":
    """Return a logger with the fields chat, reminder and delivery."""
    notice = lease.notice
    return logger.bind(chat=str(notice.address), reminder=notice.reminder_id, delivery=notice.delivery_id)


LeaseGroup = tuple[Lease, ...]
"""Occurrences of one chat that are sent in one message."""


class SendingMessage(NamedTuple):
    """A message recorded in the ledger as being sent since `at`, a time of the event loop.

    `edited` are the deliveries whose words changed meanwhile.
    """

    leases: LeaseGroup
    key: str
    at: float
    edited: tuple[int, ...] = ()


def message_key(leases: LeaseGroup) -> str:
    """Return the idempotency key of a message, which depends on its occurrences.

    A single occurrence has its own key. An occurrence that was sent with others before keeps the key of that message,
    even if the others were deleted since, because the platform may have shown that message.
    """
    first = leases[0]
    if first.notice.may_be_repeat and first.message_key:
        return first.message_key
    if len(leases) == 1:
        return first.notice.idempotency_key
    others = ",".join(lease.notice.idempotency_key for lease in leases)
    return f"{first.notice.idempotency_key}+{blake2s(others.encode(), digest_size=6).hexdigest()}"


class Sender:
    """Passes messages to the notifier and converts its exceptions to outcomes; a send is lost after its limit."""

    def __init__(self, ledger: DeliveryLedger, notifier: Notifier, clock: Clock, config: DeliveryConfig) -> None:
        self._ledger = ledger
        self._notifier = notifier
        self._batch_notifier = notifier if isinstance(notifier, BatchNotifier) else None
        self._clock = clock
        self._retries = config.retries
        self._limit_seconds = config.send_limit.total_seconds()
        self._reported: set[int] = set()

    @property
    def can_batch(self) -> bool:
        """Return whether several occurrences can be sent in one message."""
        return self._batch_notifier is not None

    async def send(self, message: SendingMessage) -> list[Attempt]:
        """Send `message`; return the outcome of each of its occurrences."""
        leases = message.leases
        try:
            async with asyncio.timeout(self._limit_seconds):
                if message.edited:
                    leases = await self._reload_edited(message)
                message_id = await self._hand_over(leases, message.key)
        except DeliveryFailed as failure:
            return await self._fail(leases, failure)
        except TimeoutError:
            return await self._fail(leases, DeliveryFailed("the platform took too long", is_unknown=True))
        except Exception as error:  # noqa: BLE001 - an unforeseen error is an unknown outcome and is retried
            name = type(error).__name__
            # The text is for the log: it may name an address with a secret.
            return await self._fail(leases, DeliveryFailed(f"{name}: {error}", is_unknown=True), reason=name)
        now = self._clock.now()
        if self._reported:
            self._reported.difference_update(lease.reminder_key for lease in leases)
        return [(lease, _sent_outcome(lease, now, message_id)) for lease in leases]

    def _hand_over(self, leases: LeaseGroup, key: str) -> Awaitable[str | None]:
        notice = leases[0].notice
        if self._batch_notifier is None or (len(leases) == 1 and key == notice.idempotency_key):
            return self._notifier.deliver(notice)
        return self._batch_notifier.deliver_together([lease.notice for lease in leases], key)

    async def _reload_edited(self, message: SendingMessage) -> LeaseGroup:
        """Return the occurrences with their current text and people."""
        renewed = [
            await self._ledger.renew(lease.notice.delivery_id) if lease.notice.delivery_id in message.edited else lease
            for lease in message.leases
        ]
        return tuple(new or old for new, old in zip(renewed, message.leases, strict=True))

    async def _fail(self, leases: LeaseGroup, failure: DeliveryFailed, *, reason: str = "") -> list[Attempt]:
        """Return the outcomes; report those that failed for good, with `reason` or the text of `failure`."""
        outcomes = self._failed_outcomes(leases, failure)
        for lease, outcome in outcomes:
            if outcome.state is DeliveryState.FAILED:
                await self._report(lease, reason or outcome.error)
        return outcomes

    def _failed_outcomes(self, leases: LeaseGroup, failure: DeliveryFailed) -> list[Attempt]:
        """Build outcomes with one pause for all, so that they are retried in one message again."""
        now = self._clock.now()
        pause = self._retries.pause(max(lease.notice.attempt for lease in leases), failure.retry_after)
        return [(lease, self._retries.outcome_after(lease, failure, now, pause)) for lease in leases]

    async def _report(self, lease: Lease, reason: str) -> None:
        """Report the failure to the owner, once until the reminder is sent again."""
        if lease.reminder_key in self._reported:
            return
        self._reported.add(lease.reminder_key)
        try:
            async with asyncio.timeout(self._limit_seconds):
                await self._notifier.report_undeliverable(lease.notice, reason)
        except Exception as error:  # noqa: BLE001 - the failed outcome must be recorded in any case
            logger_of(lease).warning("could not report the failed reminder to its owner: {}", error)


def _sent_outcome(lease: Lease, at: datetime, message_id: str | None) -> DeliveryOutcome:
    return DeliveryOutcome(
        delivery_id=lease.notice.delivery_id,
        reminder_key=lease.reminder_key,
        state=DeliveryState.SENT,
        attempt=lease.notice.attempt,
        at=at,
        platform_message_id=message_id,
    )


class PendingAcks:
    """Records sent messages in batches, ahead of the commit that settles them.

    `len` is the number of messages that are neither recorded nor settled.
    """

    def __init__(self, ledger: DeliveryLedger) -> None:
        self._ledger = ledger
        self._open: set[int] = set()  # the first delivery of each message
        self._sent: list[Attempt] = []
        self._recording = asyncio.Lock()
        self.is_commit_wanted = False
        """True if some outcomes need a commit to be recorded."""

    def __len__(self) -> int:
        return len(self._open)

    def add(self, outcomes: list[Attempt]) -> None:
        """Add the outcomes of one message."""
        self._open.add(outcomes[0][1].delivery_id)
        if any(outcome.state is not DeliveryState.SENT for _, outcome in outcomes):
            self.is_commit_wanted = True
        else:
            self._sent += outcomes

    async def record(self) -> bool:
        """Record the messages sent until now; return False if only a commit can."""
        async with self._recording:
            sent, self._sent = self._sent, []
            is_recorded = bool(sent) and await self._ledger.record_sent(sent)
            if is_recorded:
                self.discard(outcome for _, outcome in sent)
            elif sent:
                self.is_commit_wanted = True
            return is_recorded

    def discard(self, outcomes: Iterable[DeliveryOutcome]) -> None:
        """Remove outcomes that survive a crash of this process."""
        self._open.difference_update(outcome.delivery_id for outcome in outcomes)
