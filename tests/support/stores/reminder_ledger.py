"""Store the delivery ledger in memory, for tests."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from itertools import count

from msgspec import Struct
from msgspec.structs import replace

from services.recurrence.fires import load_zone_or_utc, previous_fire
from services.reminders.model import CatchUp, DueNotice, ReminderAction, ReminderState, public_id
from services.reminders.occurrences import MAX_CAUGHT_UP, Occurrence, pause_after, plan_due
from services.reminders.quiet_hours import QuietHours, quiet_keys, quiet_until
from services.reminders.records import (
    Claim,
    DeliveryOutcome,
    DeliveryRecord,
    DeliveryState,
    Lease,
    StoredReminder,
)

_WAITING = (DeliveryState.LEASED, DeliveryState.UNKNOWN)
_FINAL = (DeliveryState.SENT, DeliveryState.FAILED, DeliveryState.CANCELLED, DeliveryState.SKIPPED)


class _Entry(Struct, frozen=True, kw_only=True):
    id: int
    reminder: int
    due_at: datetime
    version: int
    content: str
    missed: int
    state: DeliveryState
    try_at: datetime
    owner: str
    was_held: bool = False
    is_withdrawn: bool = False
    attempt: int = 0
    message_key: str = ""
    message_id: str | None = None
    sent_at: datetime | None = None
    error: str = ""


class MemoryLedger:
    """Occurrences of the reminders in `rows`, which it arms for their next fire as it claims them."""

    def __init__(self, rows: dict[int, StoredReminder], quiet: dict[str, QuietHours]) -> None:
        self._rows = rows
        self._quiet = quiet
        self._entries: dict[int, _Entry] = {}
        self._ids = count(1)

    def claim(self, owner: str, now: datetime, horizon: datetime, limit: int) -> Claim:
        """Lease what is due by `horizon`, and return when the next one is due."""
        due = sorted(self._due(horizon), key=lambda row: (row.next_fire_at, row.key))[:limit]
        fresh = [entry for row in due for entry in self._claim_row(row, owner, now)]
        free = sorted(self._find_free(horizon), key=lambda entry: entry.try_at)[:limit]
        free = [each for each in self._add_companions(free) if not self._defer(each, now)]
        leases = [*fresh, *(self._store(replace(entry, owner=owner)) for entry in free)]
        upcoming = [row.next_fire_at for row in self._rows.values() if row.next_fire_at is not None]
        upcoming += [entry.try_at for entry in self._entries.values() if _is_free(entry)]
        return Claim(
            leases=tuple(self._lease(entry) for entry in leases),
            next_at=min(upcoming, default=None),
            is_full=bool(upcoming) and min(upcoming) <= horizon,
        )

    def begin(self, owner: str, delivery_ids: Sequence[int], message_keys: Mapping[int, str]) -> dict[int, int]:
        """Mark as `sending` what is still ours."""
        attempts: dict[int, int] = {}
        for identifier in delivery_ids:
            entry = self._entries.get(identifier)
            if entry is not None and entry.owner == owner and entry.state not in _FINAL and not entry.is_withdrawn:
                key = message_keys.get(identifier, "")
                self._store(replace(entry, state=DeliveryState.SENDING, attempt=entry.attempt + 1, message_key=key))
                attempts[identifier] = entry.version
        return attempts

    def renew(self, delivery_id: int) -> Lease | None:
        """Read a begun occurrence again."""
        entry = self._entries.get(delivery_id)
        return None if entry is None else self._lease(replace(entry, attempt=entry.attempt - 1))

    def list_sending(self, owner: str, delivery_ids: Sequence[int]) -> frozenset[int]:
        """Return which of these are being sent by `owner` still."""
        entries = [self._entries[each] for each in delivery_ids if each in self._entries]
        return frozenset(each.id for each in entries if each.owner == owner and each.state is DeliveryState.SENDING)

    def settle(self, mark: DeliveryOutcome) -> int:
        """Record an outcome; return the key of the reminder."""
        entry = self._entries[mark.delivery_id]
        is_forgotten = entry.state in _WAITING and entry.attempt == mark.attempt - 1
        if entry.state is DeliveryState.SENDING or is_forgotten:
            is_sent = mark.state is DeliveryState.SENT
            sent_at = mark.at if is_sent else None
            self._store(
                replace(
                    entry,
                    state=mark.state if is_sent or not entry.is_withdrawn else DeliveryState.CANCELLED,
                    attempt=mark.attempt,
                    try_at=mark.at,
                    sent_at=sent_at,
                    message_id=mark.platform_message_id,
                    error=mark.error,
                    owner="",
                )
            )
        return entry.reminder

    def free(self, owner: str | None) -> int:
        """Free leases; what was being sent becomes `unknown`."""
        held = [each for each in self._entries.values() if each.owner and owner in {None, each.owner}]
        for entry in held:
            final_state = DeliveryState.CANCELLED if entry.is_withdrawn else DeliveryState.UNKNOWN
            is_begun = entry.state is DeliveryState.SENDING
            self._store(replace(entry, owner="", state=final_state if is_begun else entry.state))
        return len(held)

    def release(self, owner: str, but: Collection[int]) -> int:
        """Free what `owner` has not begun, without `but`."""
        idle = [each for each in self._entries.values() if each.owner == owner and each.state in _WAITING]
        freed = [self._store(replace(entry, owner="")) for entry in idle if entry.id not in but]
        return len(freed)

    def latest_due(self) -> datetime | None:
        """Return the latest due time."""
        return max((entry.due_at for entry in self._entries.values()), default=None)

    def retry_now(self, now: datetime) -> None:
        """Let what waits for another try wait for its due time."""
        for entry in self._find_free(datetime.max.replace(tzinfo=UTC)):
            if entry.try_at > now:
                self._store(replace(entry, try_at=max(entry.due_at, now)))

    def retry_failed(self, reminders: Mapping[int, datetime | None], since: datetime, now: datetime) -> int:
        """Try the latest given up occurrence of each again at `now`, unless it was done by the time in `reminders`."""
        final_states = (DeliveryState.FAILED, DeliveryState.SENT)
        found = [each for each in self._entries.values() if each.state in final_states and each.due_at > since]
        latest = {each.reminder: each for each in sorted(found, key=lambda each: each.due_at)}
        failed = [each for each in latest.values() if each.state is DeliveryState.FAILED and each.reminder in reminders]
        again = [each for each in failed if (reminders[each.reminder] or since) < each.due_at]
        for entry in again:
            self._store(replace(entry, state=DeliveryState.LEASED, try_at=now, attempt=0, error="", sent_at=None))
        return len(again)

    def failed_reminders(self, since: datetime) -> set[int]:
        """Return the keys of the reminders that something was given up of."""
        entries = self._entries.values()
        return {each.reminder for each in entries if each.state is DeliveryState.FAILED and each.due_at > since}

    def cancel(self, reminder: int, next_fire_at: datetime | None) -> None:
        """Cancel what has not begun and withdraw what has, and make room for the fires that it will have again."""
        self._update(reminder, _WAITING, lambda entry: replace(entry, state=DeliveryState.CANCELLED, owner=""))
        self._update(reminder, (DeliveryState.SENDING,), lambda entry: replace(entry, is_withdrawn=True))
        for entry in list(self._entries.values()):
            is_cancelled = entry.reminder == reminder and entry.state is DeliveryState.CANCELLED
            if is_cancelled and next_fire_at is not None and entry.due_at >= next_fire_at:
                del self._entries[entry.id]

    def rewrite(self, row: StoredReminder) -> None:
        """Give what has not begun the new text, and the next attempt of what has."""
        open_ones = (*_WAITING, DeliveryState.SENDING)
        self._update(row.key, open_ones, lambda entry: replace(entry, content=row.content, version=row.version))

    def sent_since(self, since: datetime) -> list[int]:
        """Return keys of the reminders being sent, and of those sent since `since`, latest first."""
        being_sent = [each.reminder for each in self._entries.values() if each.state is DeliveryState.SENDING]
        sent = [(each.sent_at, each.reminder) for each in self._entries.values() if each.sent_at is not None]
        return list(dict.fromkeys([*being_sent, *(key for at, key in sorted(sent, reverse=True) if at >= since)]))

    def sent_in(self, message_id: str) -> list[int]:
        """Return keys of the reminders that were sent in a message."""
        return sorted({each.reminder for each in self._entries.values() if each.message_id == message_id})

    def purge(self, before: datetime, limit: int) -> int:
        """Forget final occurrences due before `before`."""
        old = [each.id for each in self._entries.values() if each.due_at < before and each.state in _FINAL][:limit]
        for identifier in old:
            del self._entries[identifier]
        return len(old)

    def deliveries(self, since: datetime, until: datetime) -> tuple[DeliveryRecord, ...]:
        """Return every occurrence due in the period, oldest first."""
        found = [entry for entry in self._entries.values() if since <= entry.due_at <= until]
        return tuple(
            DeliveryRecord(
                reminder_id=public_id(entry.reminder),
                due_at=entry.due_at,
                state=entry.state,
                attempt=entry.attempt,
                missed=entry.missed,
                sent_at=entry.sent_at,
                error=entry.error,
            )
            for entry in sorted(found, key=lambda entry: (entry.due_at, entry.id))
        )

    def _due(self, horizon: datetime) -> list[StoredReminder]:
        return [row for row in self._rows.values() if row.next_fire_at is not None and row.next_fire_at <= horizon]

    def _find_free(self, horizon: datetime) -> list[_Entry]:
        return [entry for entry in self._entries.values() if _is_free(entry) and entry.try_at <= horizon]

    def _add_companions(self, free: list[_Entry]) -> list[_Entry]:
        """Add the occurrences that belong to the same messages, which are claimed together."""
        keys = {entry.message_key for entry in free if entry.message_key}
        others = [each for each in self._entries.values() if _is_free(each) and each.message_key in keys]
        return free + [each for each in others if each not in free]

    def _claim_row(self, row: StoredReminder, owner: str, now: datetime) -> list[_Entry]:
        plan = plan_due(row.schedule, row.catch_up, row.next_fire_at or now, now)
        state = row.state if plan.is_readable else ReminderState.PAUSED
        self._rows[row.key] = replace(row, next_fire_at=plan.next_fire_at, state=state)
        absorbed = self._merge(row) if row.schedule.is_repeated else 0
        entries = []
        for place, occurrence in enumerate(plan.occurrences):
            entry = self._write(row, occurrence, 0 if place else absorbed, owner, now)
            if entry is not None and entry.owner:
                entries.append(entry)
        return entries

    def _write(
        self, row: StoredReminder, occurrence: Occurrence, absorbed: int, owner: str, now: datetime
    ) -> _Entry | None:
        if any(each.reminder == row.key and each.due_at == occurrence.due_at for each in self._entries.values()):
            return None
        held_until = None if occurrence.is_skipped else self._end_of_quiet_hours(row, max(occurrence.due_at, now))
        entry = _Entry(
            id=next(self._ids),
            reminder=row.key,
            due_at=occurrence.due_at,
            version=row.version,
            content=row.content,
            missed=occurrence.missed + absorbed,
            state=DeliveryState.SKIPPED if occurrence.is_skipped else DeliveryState.LEASED,
            try_at=held_until or occurrence.due_at,
            was_held=held_until is not None,
            owner="" if held_until or occurrence.is_skipped else owner,
        )
        return self._store(entry)

    def _end_of_quiet_hours(self, row: StoredReminder, moment: datetime) -> datetime | None:
        if row.is_urgent:
            return None
        hours = [self._quiet.get(key) for key in quiet_keys(row.address, row.creator, row.targets)]
        return quiet_until((each for each in hours if each is not None), moment)

    def _defer(self, entry: _Entry, now: datetime) -> bool:
        """Defer an occurrence that was certainly not sent to the end of quiet hours; return whether it was."""
        if entry.state is not DeliveryState.LEASED:
            return False
        end = self._end_of_quiet_hours(self._rows[entry.reminder], max(entry.try_at, now))
        if end is not None:
            self._store(replace(entry, try_at=end, was_held=True))
        return end is not None

    def _merge(self, row: StoredReminder) -> int:
        waiting = [each for each in self._entries.values() if each.reminder == row.key and _is_free(each)]
        if row.catch_up is CatchUp.ALL:
            waiting = sorted(waiting, key=lambda entry: entry.due_at, reverse=True)[MAX_CAUGHT_UP - 1 :]
        for entry in waiting:
            self._store(replace(entry, state=DeliveryState.CANCELLED))
        return sum(entry.missed + 1 for entry in waiting)

    def _update(self, reminder: int, states: Collection[DeliveryState], change: Callable[[_Entry], _Entry]) -> None:
        for entry in list(self._entries.values()):
            if entry.reminder == reminder and entry.state in states and not entry.is_withdrawn:
                self._store(change(entry))

    def _store(self, entry: _Entry) -> _Entry:
        self._entries[entry.id] = entry
        return entry

    def _lease(self, entry: _Entry) -> Lease:
        row = self._rows[entry.reminder]
        due_at = entry.due_at.astimezone(load_zone_or_utc(row.schedule.zone))
        notice = DueNotice(
            delivery_id=entry.id,
            idempotency_key=f"{public_id(row.key)}-{entry.due_at.timestamp()}",
            reminder_id=public_id(row.key),
            address=row.address,
            creator=row.creator,
            targets=row.targets,
            content=entry.content,
            language=row.language,
            due_at=due_at,
            missed=entry.missed,
            is_recurring=row.schedule.is_repeated,
            attempt=entry.attempt + 1,
            may_be_repeat=entry.state is DeliveryState.UNKNOWN,
            was_held=entry.was_held,
            repeats_every=pause_after(row.schedule, due_at),
            action=row.action,
            covers_since=None if row.action is ReminderAction.SAY else previous_fire(row.schedule, due_at),
        )
        return Lease(
            notice=notice,
            reminder_key=entry.reminder,
            version=entry.version,
            try_at=entry.try_at,
            message_key=entry.message_key,
        )


def _is_free(entry: _Entry) -> bool:
    return not entry.owner and entry.state in _WAITING
