"""Declare the interfaces of notifiers and of the reminder store."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from services.recurrence.rules import Rule
from services.reminders.model import DueNotice, ReminderLimits
from services.reminders.quiet_hours import QuietBook
from services.reminders.records import (
    Change,
    Claim,
    DeliveryOutcome,
    Lease,
    StoredReminder,
    ValidatedReminder,
)


class Notifier(Protocol):
    """Sends a due notice to its chat; the bot's outbox is one."""

    async def deliver(self, notice: DueNotice) -> str | None:
        """Send `notice` and return the platform's message id, None if it has none.

        Raises:
            DeliveryFailed: the platform did not accept it; see its fields for the next step.
        """

    async def report_undeliverable(self, notice: DueNotice, reason: str) -> None:
        """Inform the owner, if possible, that `notice` could not be delivered."""


@runtime_checkable
class BatchNotifier(Notifier, Protocol):
    """A notifier that can send several notices of one chat in one message."""

    async def deliver_together(self, notices: Sequence[DueNotice], idempotency_key: str) -> str | None:
        """Send `notices`, all of one chat, as one message with this key; raises as `deliver`."""


class ReminderReader(Protocol):
    """Reads reminders."""

    async def in_chat(self, chat_key: str, limit: int) -> tuple[StoredReminder, ...]:
        """Return the active and paused reminders of a chat, soonest first."""

    async def get(self, key: int) -> StoredReminder | None:
        """Return the reminder with this key in any state."""

    async def by_request(self, request_key: str) -> StoredReminder | None:
        """Return the reminder created by the command with this key."""


class ReminderBook(ReminderReader, Protocol):
    """Stores reminders. Every method is one transaction."""

    async def add(self, draft: ValidatedReminder, now: datetime, limits: ReminderLimits) -> StoredReminder:
        """Store a reminder; with a known request key, return the stored one.

        Raises:
            RequestRefused: `too_many_reminders(limit)`.
        """

    async def load_calendar(self, rule: Rule) -> None:
        """Load the calendar of a rule in a thread, so that the event loop does not wait for it."""

    async def of_creator(self, platform: str, person_id: str, limit: int) -> tuple[StoredReminder, ...]:
        """Return the active and paused reminders that a person created in any chat of a platform."""

    async def sent_since(self, chat_key: str, since: datetime, limit: int) -> tuple[StoredReminder, ...]:
        """Return the reminders of a chat that are being sent or were sent since `since`, latest first.

        Those being sent count because people may answer before the platform has confirmed the message.
        """

    async def sent_in(self, chat_key: str, message_id: str) -> tuple[StoredReminder, ...]:
        """Return the reminders, in any state, sent in the message of the bot with this platform id."""

    async def change(self, changes: Sequence[Change], now: datetime) -> tuple[StoredReminder, ...]:
        """Apply the changes whose version is current, with their leases, in one transaction; return the new rows."""


class DeliveryLedger(Protocol):
    """Stores occurrences: one row for a reminder and a due time."""

    async def claim(self, owner: str, now: datetime, horizon: datetime, limit: int) -> Claim:
        """Lease occurrences due by `horizon` to `owner`: new ones, and freed ones to be retried by then.

        Of several missed occurrences of a recurring reminder, its `catch_up` decides which are leased; a waiting one is
        included in their count. An occurrence in quiet hours is stored and waits for their end.
        """

    async def begin(
        self, owner: str, delivery_ids: Sequence[int], message_keys: Mapping[int, str] | None = None
    ) -> dict[int, int]:
        """Mark deliveries as being sent if `owner` still has them; return the reminder's version by delivery id.

        `message_keys` are the keys of messages with several deliveries, by delivery id: deliveries that may have been
        sent in one message are retried in one message.
        """

    async def list_sending(self, owner: str, delivery_ids: Sequence[int]) -> frozenset[int]:
        """Return the ids still being sent by `owner`; another process may have claimed the rest after a freeze."""

    async def renew(self, delivery_id: int) -> Lease | None:
        """Reload a claimed occurrence whose reminder was edited."""

    async def record_sent(self, sent: Sequence[tuple[Lease, DeliveryOutcome]]) -> bool:
        """Record sent occurrences faster than `settle`, which must still be called.

        Return False if this store cannot; then a crash before `settle` sends them again.
        """

    async def settle(self, outcomes: Sequence[DeliveryOutcome]) -> None:
        """Record the outcomes of attempts, and free those to be retried."""

    async def free(self, owner: str | None) -> int:
        """Free the leases of `owner` (None: all), with begun sends as `unknown`; return their number."""

    async def release(self, owner: str, but: Collection[int]) -> int:
        """Free the leases of `owner` that are not begun, except the ids `but`; return their number."""

    async def latest_due(self) -> datetime | None:
        """Return the latest due time among the last claimed occurrences; None without any."""

    async def retry_failed(self, chat_key: str, since: datetime, now: datetime) -> int:
        """Schedule failed deliveries of a chat due after `since` for a retry at `now`; return their number.

        Of each reminder only the latest is retried, unless a later one was sent; none of a deleted or paused reminder.
        """

    async def chats_with_failures(self, since: datetime) -> frozenset[str]:
        """Return the keys of the chats with failed deliveries due after `since`."""

    async def realign(self, now: datetime) -> int:
        """Recompute the next fires after the clock was set back to `now`.

        Retries wait for their due time only. Return the number of changed next fires.
        """

    async def follow_zone_data(self, version: str, now: datetime) -> int:
        """Recompute the next fires if `version`, that of the zone data, has changed; return the number of changes."""

    async def purge(self, before: datetime, limit: int) -> int:
        """Delete at most `limit` final occurrences due before `before`; return their number."""


class ReminderStore(ReminderBook, DeliveryLedger, QuietBook, Protocol):
    """Stores reminders and their ledger, so that an edit and its leases are one transaction."""
