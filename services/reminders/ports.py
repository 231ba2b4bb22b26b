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
    DeliveryRecord,
    Lease,
    StoredReminder,
    ValidatedReminder,
)


class Notifier(Protocol):
    """Sends a due notice to its chat; the bot's outbox is one."""

    async def deliver(self, notice: DueNotice) -> str | None:
        """Hand `notice` to the platform and return the platform's message id, None when it has none.

        Raises:
            DeliveryFailed: the platform did not take it; `retry_after`, `is_permanent` and `is_unknown` say what next.
        """
        ...

    async def report_undeliverable(self, notice: DueNotice, reason: str) -> None:
        """Tell the owner, where that can still be done, that `notice` could not be delivered."""
        ...


@runtime_checkable
class BatchNotifier(Notifier, Protocol):
    """A notifier that can send several notices of one chat in one message."""

    async def deliver_together(self, notices: Sequence[DueNotice], idempotency_key: str) -> str | None:
        """Hand `notices`, all of one chat, to the platform as one message with this key; raises as `deliver` does."""
        ...


class ReminderBook(Protocol):
    """Stores reminders. Every method is one transaction."""

    async def add(self, draft: ValidatedReminder, now: datetime, limits: ReminderLimits) -> StoredReminder:
        """Keep a reminder; the same request key again gives the one that is there.

        Raises:
            RequestRefused: `too_many_reminders(limit)`.
        """
        ...

    async def add_many(self, drafts: Sequence[ValidatedReminder], now: datetime) -> int:
        """Keep many at once, caps not asked; return how many were new."""
        ...

    async def load_calendar(self, rule: Rule) -> None:
        """Load the calendars of a rule ahead of time, so that no message waits for them."""
        ...

    async def by_request(self, request_key: str) -> StoredReminder | None:
        """Return the reminder that the command with this key made."""
        ...

    async def in_chat(self, chat_key: str, limit: int) -> tuple[StoredReminder, ...]:
        """Return the active and paused reminders of a chat, soonest first."""
        ...

    async def of_creator(self, platform: str, person_id: str, limit: int) -> tuple[StoredReminder, ...]:
        """Return the active and paused reminders that a person has set in any chat of a platform."""
        ...

    async def get(self, key: int) -> StoredReminder | None:
        """Return the reminder with this key, whatever its state."""
        ...

    async def lately_sent(self, chat_key: str, since: datetime, limit: int) -> tuple[StoredReminder, ...]:
        """Return reminders of a chat being sent, and those sent since `since`, latest first.

        People answer what they see, and that may be before the platform has told us that it shows it.
        """
        ...

    async def sent_in(self, chat_key: str, message_id: str) -> tuple[StoredReminder, ...]:
        """Return the reminders sent in a message of the bot, by the platform's id of it, whatever their state."""
        ...

    async def change(self, changes: Sequence[Change], now: datetime) -> tuple[StoredReminder, ...]:
        """Apply changes whose version still holds, leases included, in one transaction; return the new rows."""
        ...


class DeliveryLedger(Protocol):
    """Stores occurrences: exactly one row for a reminder and a due time, for ever."""

    async def claim(self, owner: str, now: datetime, horizon: datetime, limit: int) -> Claim:
        """Lease occurrences due by `horizon` to `owner`: new ones, and freed ones that are to be retried by then.

        A recurring reminder with several occurrences before `now` gives one, the latest, with the count of the
        earlier, or what its `catch_up` says; an older occurrence of it that is still waiting is absorbed into the
        count. What quiet hours forbid is in the ledger and waits for their end.
        """
        ...

    async def begin(
        self, owner: str, delivery_ids: Sequence[int], message_keys: Mapping[int, str] | None = None
    ) -> dict[int, int]:
        """Mark deliveries as being sent that `owner` still has and that are not cancelled; return id -> version.

        `message_keys` are the keys of messages with several of them, by id: what may have been said in one message
        is claimed together again.
        """
        ...

    async def held(self, owner: str, delivery_ids: Sequence[int]) -> frozenset[int]:
        """Return which of these are still being sent by `owner`; after a freeze others may have claimed them."""
        ...

    async def renew(self, delivery_id: int) -> Lease | None:
        """Read a claimed occurrence again after its reminder was edited."""
        ...

    async def record_sent(self, sent: Sequence[tuple[Lease, DeliveryOutcome]]) -> bool:
        """Record that these were sent, in less time than `settle`, which records it all the same.

        False where only `settle` can: until then a crash would have them sent again.
        """
        ...

    async def settle(self, marks: Sequence[DeliveryOutcome]) -> None:
        """Record the outcomes of attempts; those to be retried are freed until their time."""
        ...

    async def free(self, owner: str | None) -> int:
        """Free the leases of `owner` (None: of everybody), begun sends as `unknown`; return their number."""
        ...

    async def release(self, owner: str, but: Collection[int]) -> int:
        """Free the leases of `owner` that are not begun, except `but`; return their number."""
        ...

    async def latest_due(self) -> datetime | None:
        """Return the latest due time among the occurrences that were claimed last; None when there is none."""
        ...

    async def retry_failed(self, chat_key: str, since: datetime, now: datetime) -> int:
        """Retry deliveries at `now` that were given up in a chat and due after `since`; return their number.

        Of a reminder with several the latest, unless a later one was said; none of one that was deleted or is paused.
        """
        ...

    async def chats_with_failures(self, since: datetime) -> frozenset[str]:
        """Return the keys of the chats in which something due after `since` was given up."""
        ...

    async def realign(self, now: datetime) -> int:
        """Repair the next fires that a clock ahead of `now` has set.

        The next fire of every recurring reminder is computed again, and what waits for another try waits for its due
        time and no longer. Returns how many next fires came out different.
        """
        ...

    async def follow_zone_data(self, version: str, now: datetime) -> int:
        """Compute next fires again when `version`, of the zones' rules, is not that of the last time.

        Returns how many moved.
        """
        ...

    async def purge(self, before: datetime, limit: int) -> int:
        """Forget final occurrences due before `before`, at most `limit`; return how many."""
        ...

    async def deliveries(self, since: datetime, until: datetime) -> tuple[DeliveryRecord, ...]:
        """Return every occurrence due in the period, oldest first."""
        ...


class ReminderStore(ReminderBook, DeliveryLedger, QuietBook, Protocol):
    """Reminders and their ledger together, so that an edit and its leases are one transaction."""
