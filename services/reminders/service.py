"""Create, list, change and delete reminders, and deliver them when they fall due."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from services.chat import ChatAddress, Person
from services.clock import Clock
from services.errors import RequestRefused
from services.reminders.changes import cancelled, edited, paused, resumed
from services.reminders.model import NewReminder, Reminder, ReminderEdit, ReminderLimits, ReminderState, Schedule
from services.reminders.permissions import check_may_change
from services.reminders.ports import Courier, ReminderStore
from services.reminders.public_ids import row_key
from services.reminders.quiet_hours import QuietService
from services.reminders.records import Change, DeliveryRecord, Draft, StoredReminder
from services.reminders.recurrence import check
from services.reminders.references import find_reminder, means_all
from services.reminders.retries import RetryPolicy
from services.reminders.shelf import Shelf
from services.reminders.waker import Waker, WakerPace
from services.session import StateStore

_KEPT = timedelta(days=30)
_PURGED_AT_ONCE = 1000
_SNOOZABLE_FOR = timedelta(days=1)
_LATELY_SENT = 50
_TRIES = 5


class ReminderService:
    """Everything that can be done with reminders. `run` delivers; the other methods may be called while it runs."""

    def __init__(
        self,
        store: ReminderStore,
        clock: Clock,
        courier: Courier,
        state: StateStore,
        *,
        limits: ReminderLimits | None = None,
        pace: WakerPace | None = None,
        retries: RetryPolicy | None = None,
        zone_data: str = "",
    ) -> None:
        """`zone_data` is the version of the zones' rules; when it is a new one, recurring reminders are armed anew."""
        self._store = store
        self._clock = clock
        self._limits = limits or ReminderLimits()
        self._shelf = Shelf(store, clock, state, self._limits.per_chat)
        self.quiet = QuietService(store)
        self.waker = Waker(store, courier, clock, pace or WakerPace(), retries or RetryPolicy(), zone_data)

    async def create(self, wish: NewReminder) -> Reminder:
        """Keep a reminder and deliver it when it falls due; the same request key again gives the same reminder.

        Raises:
            RequestRefused: `content_missing`, `content_too_long(limit)`, `time_in_past(due, now)`,
                `rule_never_fires(rule)`, `rule_too_often(minimum)`, `rule_not_understood(rule)`, `zone_unknown(zone)`,
                `too_many_reminders(limit)`.
        """
        now = self._clock.now()
        try:
            draft = self._draft(wish, now)
        except RequestRefused:
            known = await self._store.by_request(wish.request_key)
            if known is None:
                raise
            return self._shelf.public(known)
        row = await self._store.add(draft, now, self._limits)
        self.waker.nudge(draft.first_fire)
        return self._shelf.public(row)

    async def create_many(self, wishes: Sequence[NewReminder]) -> int:
        """Keep many reminders in one transaction (an import); caps are not asked. Returns how many were new.

        Raises:
            RequestRefused: one of them is refused, see `create`; then none is kept.
        """
        now = self._clock.now()
        drafts = [self._draft(wish, now) for wish in wishes]
        count = await self._store.add_many(drafts, now)
        if drafts:
            self.waker.nudge(min(draft.first_fire for draft in drafts))
        return count

    async def list(self, chat: ChatAddress, person: Person, words: str = "") -> tuple[Reminder, ...]:
        """The active and paused reminders of this chat, soonest first; `person` may name them by number afterwards.

        `words` describe which: when they are due ("tomorrow", 这周), or words of their content; none for all.
        """
        return await self._shelf.show(chat, person, words)

    async def get(self, chat: ChatAddress, person: Person, reference: str) -> Reminder:
        """The open reminder of this chat that `reference` names: id or its beginning, number, words of the content.

        Raises:
            RequestRefused: `no_reminders`, `reminder_unknown(reference, candidates)`,
                `reminder_ambiguous(reference, candidates)`.
        """
        return (await self._shelf.find(chat, person, reference))[0]

    async def delete(self, chat: ChatAddress, person: Person, reference: str) -> tuple[Reminder, ...]:
        """Delete what `reference` names, or with "all" everything that `person` has set in this chat.

        Nothing that was not begun before this returns is said afterwards.

        Raises:
            RequestRefused: as `get`, and `not_your_reminder(id, owner)`.
        """
        if not means_all(reference):
            return (await self._change(chat, person, reference, cancelled),)
        gone: tuple[Reminder, ...] = ()
        for _ in range(_TRIES):
            own = [row for _, row in await self._shelf.open_in(chat) if row.creator.id == person.id]
            if not own:
                break
            rows = await self._store.change([cancelled(row) for row in own], self._clock.now())
            gone += tuple(self._shelf.public(row) for row in rows)
        if not gone:
            raise RequestRefused("no_reminders")
        return gone

    async def restore(self, chat: ChatAddress, person: Person, reminder_id: str) -> Reminder:
        """Undo a delete; `reminder_id` is complete.

        Raises:
            RequestRefused: `reminder_unknown`, `not_your_reminder`, or `time_in_past`, `rule_never_fires` when there
                is no fire left.
        """
        key = row_key(reminder_id)
        row = None if key is None else await self._store.get(key)
        if row is None or row.address.key != chat.key or row.state is not ReminderState.CANCELLED:
            raise RequestRefused("reminder_unknown", reference=reminder_id, candidates=())
        check_may_change(self._shelf.public(row), person)
        restored = await self._apply(resumed(row, self._clock.now(), self._limits.shortest_interval))
        if restored is None:
            raise RequestRefused("reminder_unknown", reference=reminder_id, candidates=())
        return restored

    async def edit(self, chat: ChatAddress, person: Person, reference: str, edit: ReminderEdit) -> Reminder:
        """Change words, people or times of a reminder. What is being sent at that moment keeps the old ones.

        Raises:
            RequestRefused: as `get` and `create`, and `not_your_reminder(id, owner)`.
        """
        if edit.content is not None:
            edit = replace(edit, content=self._content(edit.content))
        now, shortest = self._clock.now(), self._limits.shortest_interval
        return await self._change(chat, person, reference, lambda row: edited(row, edit, now, shortest))

    async def pause(self, chat: ChatAddress, person: Person, reference: str) -> Reminder:
        """Keep a reminder silent until `resume`. Raises as `delete` does."""
        return await self._change(chat, person, reference, paused)

    async def resume(self, chat: ChatAddress, person: Person, reference: str) -> Reminder:
        """Let a paused reminder fire again, from its next time after now. Raises as `edit` does."""
        now, shortest = self._clock.now(), self._limits.shortest_interval
        return await self._change(chat, person, reference, lambda row: resumed(row, now, shortest))

    async def snooze(
        self, chat: ChatAddress, person: Person, reference: str, until: datetime, *, request_key: str
    ) -> Reminder:
        """Say again at `until` (timezone-aware) what was said in the last day; "" means the latest.

        A once-reminder that has not fired yet is moved instead.

        Raises:
            RequestRefused: as `get` and `create`, and `not_your_reminder(id, owner)`.
        """
        rows = await self._store.lately_sent(chat.key, self._clock.now() - _SNOOZABLE_FOR, _LATELY_SENT)
        row = _said(reference, [(self._shelf.public(each), each) for each in rows])
        if row is None:
            schedule = _once_at(until, (await self._shelf.find(chat, person, reference))[1])
            return await self.edit(chat, person, reference, ReminderEdit(schedule=schedule))
        check_may_change(self._shelf.public(row), person)
        wish = NewReminder(
            request_key=request_key,
            address=row.address,
            creator=person,
            content=row.content,
            schedule=_once_at(until, row),
            language=row.language,
            targets=row.targets,
            is_private=row.is_private,
            is_urgent=row.is_urgent,
        )
        return await self.create(wish)

    async def run(self) -> None:
        """Deliver what falls due, until cancelled."""
        await self.waker.run()

    async def drain(self) -> None:
        """Begin nothing new and wait until what is being sent is sent and recorded; then `run` can be cancelled."""
        await self.waker.drain()

    async def purge(self) -> int:
        """Forget the ledger's final rows older than 30 days, in batches; returns how many."""
        total = 0
        while forgotten := await self._store.purge(self._clock.now() - _KEPT, _PURGED_AT_ONCE):
            total += forgotten
        return total

    async def deliveries(self, since: datetime, until: datetime) -> tuple[DeliveryRecord, ...]:
        """What came of every occurrence due in a period, oldest first."""
        return await self._store.deliveries(since, until)

    def _draft(self, wish: NewReminder, now: datetime) -> Draft:
        wish = replace(wish, content=self._content(wish.content))
        return Draft(wish=wish, first_fire=check(wish.schedule, now, self._limits.shortest_interval))

    def _content(self, content: str) -> str:
        content = content.strip()
        if not content:
            raise RequestRefused("content_missing")
        if len(content) > self._limits.content_length:
            raise RequestRefused("content_too_long", limit=self._limits.content_length)
        return content

    async def _change(
        self, chat: ChatAddress, person: Person, reference: str, make: Callable[[StoredReminder], Change]
    ) -> Reminder:
        """Find, check, apply; read again when somebody else changed it in between."""
        for _ in range(_TRIES):
            reminder, row = await self._shelf.find(chat, person, reference)
            check_may_change(reminder, person)
            changed = await self._apply(make(row))
            if changed is not None:
                return changed
        raise RequestRefused("reminder_unknown", reference=reference, candidates=())

    async def _apply(self, change: Change) -> Reminder | None:
        rows = await self._store.change([change], self._clock.now())
        if not rows:
            return None
        if change.next_fire_at is not None:
            self.waker.nudge(change.next_fire_at)
        return self._shelf.public(rows[0])


def _said(reference: str, said: Sequence[tuple[Reminder, StoredReminder]]) -> StoredReminder | None:
    """The lately said reminder that is meant, None when it is none of them."""
    if not reference.strip():
        if not said:
            raise RequestRefused("no_reminders")
        return said[0][1]
    try:
        found = find_reminder(reference, [reminder for reminder, _ in said], ())
    except RequestRefused as refusal:
        if refusal.code in {"no_reminders", "reminder_unknown"}:
            return None
        raise
    return next(row for reminder, row in said if reminder is found)


def _once_at(until: datetime, row: StoredReminder) -> Schedule:
    local = until.astimezone(ZoneInfo(row.schedule.zone))
    return Schedule(start=local.replace(tzinfo=None), zone=row.schedule.zone)
