"""Store reminders in memory, for tests and as the reference for the SQL store."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from msgspec.structs import replace

from services.kernel.errors import RequestRefused
from services.recurrence.fires import next_after
from services.recurrence.rules import Rule, load_calendar
from services.reminders.exchange.model import ImportedReminder, TransferStore
from services.reminders.model import ReminderLimits, ReminderState
from services.reminders.quiet_hours import QuietHours
from services.reminders.records import (
    Change,
    Claim,
    DeliveryOutcome,
    DeliveryRecord,
    DeliveryState,
    Lease,
    PendingPolicy,
    StoredReminder,
    ValidatedReminder,
)
from tests.support.stores.reminder_ledger import MemoryLedger

_OPEN = (ReminderState.ACTIVE, ReminderState.PAUSED)
_FINAL = (DeliveryState.SENT, DeliveryState.FAILED)


async def add_many(store: TransferStore, drafts: Sequence[ValidatedReminder], now: datetime) -> int:
    """Store active reminders without limits, as an import does; return the number of new ones."""
    active = ReminderState.ACTIVE
    imported = [
        ImportedReminder(reminder=draft.reminder, state=active, next_fire_at=draft.first_fire, created_at=now)
        for draft in drafts
    ]
    return await store.add_imported(imported, now)


def make_outcome(lease: Lease, state: DeliveryState, at: datetime, *, message_id: str | None = None) -> DeliveryOutcome:
    """Make the outcome of the attempt of `lease`; `message_id` is that of the platform."""
    notice = lease.notice
    return DeliveryOutcome(
        delivery_id=notice.delivery_id,
        reminder_key=lease.reminder_key,
        state=state,
        attempt=notice.attempt,
        at=at,
        platform_message_id=message_id,
    )


class MemoryReminderStore:
    """A `ReminderStore` that forgets everything when the process ends."""

    def __init__(self) -> None:
        self._rows: dict[int, StoredReminder] = {}
        self._quiet: dict[str, QuietHours] = {}
        self._ledger = MemoryLedger(self._rows, self._quiet)
        self._zone_data = ""

    async def add(self, draft: ValidatedReminder, now: datetime, limits: ReminderLimits) -> StoredReminder:
        """Keep a reminder; the same request key again gives the one that is there."""
        known = await self.by_request(draft.reminder.request_key)
        if known is not None:
            return known
        chat_key = draft.reminder.address.key
        in_chat = [row for row in self._rows.values() if row.address.key == chat_key and _is_open(row)]
        of_person = [row for row in in_chat if row.creator.id == draft.reminder.creator.id]
        for rows, cap in ((of_person, limits.per_person), (in_chat, limits.per_chat)):
            if len(rows) >= cap:
                raise RequestRefused("too_many_reminders", limit=cap)
        return self._insert(draft, now)

    async def add_imported(self, imported: Sequence[ImportedReminder], now: datetime) -> int:
        """Keep many at once, caps not asked."""
        known = {row.request_key for row in self._rows.values()}
        new = [arrival for arrival in imported if arrival.reminder.request_key not in known]
        for arrival in new:
            self._insert(ValidatedReminder(reminder=arrival.reminder, first_fire=arrival.next_fire_at or now), now)
        return len(new)

    async def load_calendar(self, rule: Rule) -> None:
        """Have what a rule needs of calendars read."""
        with suppress(RequestRefused):
            load_calendar(rule)

    async def by_request(self, request_key: str) -> StoredReminder | None:
        """Return the reminder that a command made."""
        return next((row for row in self._rows.values() if row.request_key == request_key), None)

    async def in_chat(self, chat_key: str, limit: int) -> tuple[StoredReminder, ...]:
        """Return the active and paused reminders of a chat."""
        found = [row for row in self._rows.values() if row.address.key == chat_key and _is_open(row)]
        return tuple(found[:limit])

    async def of_creator(self, platform: str, person_id: str, limit: int) -> tuple[StoredReminder, ...]:
        """Return the active and paused reminders that a person has set in any chat of a platform."""
        own = [row for row in self._rows.values() if row.address.platform == platform and row.creator.id == person_id]
        return tuple(row for row in own if _is_open(row))[:limit]

    async def get(self, key: int) -> StoredReminder | None:
        """Return the reminder with this key, whatever its state."""
        return self._rows.get(key)

    async def sent_since(self, chat_key: str, since: datetime, limit: int) -> tuple[StoredReminder, ...]:
        """Return reminders of a chat being sent, and those sent since `since`, latest first."""
        keys = self._ledger.sent_since(since)
        return tuple(self._rows[key] for key in keys if self._rows[key].address.key == chat_key)[:limit]

    async def sent_in(self, chat_key: str, message_id: str) -> tuple[StoredReminder, ...]:
        """Return the reminders that were said in a message of the bot."""
        rows = [self._rows[key] for key in self._ledger.sent_in(message_id)]
        return tuple(row for row in rows if row.address.key == chat_key)

    async def change(self, changes: Sequence[Change], now: datetime) -> tuple[StoredReminder, ...]:
        """Apply changes whose version still holds, leases included."""
        del now
        rows = [self._apply(change) for change in changes]
        return tuple(row for row in rows if row is not None)

    async def claim(self, owner: str, now: datetime, horizon: datetime, limit: int) -> Claim:
        """Take for `owner` what is due by `horizon`."""
        return self._ledger.claim(owner, now, horizon, limit)

    async def begin(
        self, owner: str, delivery_ids: Sequence[int], message_keys: Mapping[int, str] | None = None
    ) -> dict[int, int]:
        """Mark as being sent those that are still ours."""
        return self._ledger.begin(owner, delivery_ids, message_keys or {})

    async def list_sending(self, owner: str, delivery_ids: Sequence[int]) -> frozenset[int]:
        """Return which of these are being sent by `owner` still."""
        return self._ledger.list_sending(owner, delivery_ids)

    async def renew(self, delivery_id: int) -> Lease | None:
        """Read a claimed occurrence again after its reminder was edited."""
        return self._ledger.renew(delivery_id)

    async def record_sent(self, sent: Sequence[tuple[Lease, DeliveryOutcome]]) -> bool:
        """Return False: nothing is quicker than `settle`."""
        del sent
        return False

    async def settle(self, marks: Sequence[DeliveryOutcome]) -> None:
        """Record what came of attempts."""
        for mark in marks:
            row = self._rows[self._ledger.settle(mark)]
            is_over = row.next_fire_at is None and row.state is ReminderState.ACTIVE
            if mark.state in _FINAL and is_over:
                self._rows[row.key] = replace(row, state=ReminderState.DONE)

    async def free(self, owner: str | None) -> int:
        """Free what `owner` holds (None: everybody), begun sends as `unknown`."""
        return self._ledger.free(owner)

    async def release(self, owner: str, but: Collection[int]) -> int:
        """Free what `owner` holds and has not begun, without `but`."""
        return self._ledger.release(owner, but)

    async def latest_due(self) -> datetime | None:
        """Return the latest due time of an occurrence."""
        return self._ledger.latest_due()

    async def retry_failed(self, chat_key: str, since: datetime, now: datetime) -> int:
        """Try again what was given up in a chat."""
        here = {
            row.key: None if row.schedule.follow_up is None else row.schedule.follow_up.done_until
            for row in self._rows.values()
            if row.address.key == chat_key
            and (row.state is ReminderState.DONE or (row.state is ReminderState.ACTIVE and row.schedule.rule))
        }
        return self._ledger.retry_failed(here, since, now)

    async def chats_with_failures(self, since: datetime) -> frozenset[str]:
        """Return the keys of the chats in which something due after `since` was given up."""
        return frozenset(self._rows[key].address.key for key in self._ledger.failed_reminders(since))

    async def realign(self, now: datetime) -> int:
        """Repair what a clock that was ahead has armed."""
        self._ledger.retry_now(now)
        return self._arm_anew(now)

    def _arm_anew(self, now: datetime) -> int:
        changed = 0
        for row in list(self._rows.values()):
            try:
                computed = next_after(row.schedule, now) if row.schedule.is_repeated else row.next_fire_at
            except RequestRefused:
                continue
            if row.next_fire_at is not None and row.next_fire_at > now and computed != row.next_fire_at:
                self._rows[row.key] = replace(row, next_fire_at=computed)
                changed += 1
        return changed

    async def follow_zone_data(self, version: str, now: datetime) -> int:
        """Arm every recurring reminder anew when the rules of the zones are not those of the last time."""
        known, self._zone_data = self._zone_data, version
        return self._arm_anew(now) if known not in {"", version} else 0

    async def quiet_hours(self, key: str) -> QuietHours | None:
        """Return the quiet hours under `key`."""
        return self._quiet.get(key)

    async def set_quiet_hours(self, key: str, hours: QuietHours | None) -> None:
        """Keep quiet hours; None forgets them."""
        if hours is None:
            self._quiet.pop(key, None)
        else:
            self._quiet[key] = hours

    async def purge(self, before: datetime, limit: int) -> int:
        """Forget final occurrences due before `before`."""
        return self._ledger.purge(before, limit)

    async def deliveries(self, since: datetime, until: datetime) -> tuple[DeliveryRecord, ...]:
        """Return every occurrence due in the period, oldest first."""
        return self._ledger.deliveries(since, until)

    def _insert(self, draft: ValidatedReminder, now: datetime) -> StoredReminder:
        new = draft.reminder
        row = StoredReminder(
            key=len(self._rows) + 1,
            version=1,
            request_key=new.request_key,
            address=new.address,
            creator=new.creator,
            targets=new.targets,
            content=new.content,
            schedule=new.schedule,
            language=new.language,
            is_private=new.is_private,
            state=ReminderState.ACTIVE,
            next_fire_at=draft.first_fire,
            created_at=now,
            is_urgent=new.is_urgent,
            catch_up=new.catch_up,
            action=new.action,
        )
        self._rows[row.key] = row
        return row

    def _apply(self, change: Change) -> StoredReminder | None:
        row = self._rows.get(change.key)
        if row is None or row.version != change.version:
            return None
        is_cancelling = change.leases is PendingPolicy.CANCEL
        row = replace(
            row,
            version=row.version + 1,
            content=change.content,
            targets=change.targets,
            schedule=change.schedule,
            state=change.state,
            is_urgent=row.is_urgent if change.is_urgent is None else change.is_urgent,
            catch_up=change.catch_up or row.catch_up,
            next_fire_at=change.next_fire_at if is_cancelling else row.next_fire_at,
        )
        self._rows[row.key] = row
        if is_cancelling:
            self._ledger.cancel(row.key, row.next_fire_at)
        else:
            self._ledger.rewrite(row)
        return row


def _is_open(row: StoredReminder) -> bool:
    return row.state in _OPEN
