"""Create, list, change and delete reminders, and deliver them when they are due."""

from datetime import datetime
from functools import partial

from msgspec.structs import replace

from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import Clock
from services.kernel.errors import RequestRefused
from services.kernel.state import StateStore
from services.recurrence.fires import check, next_fires
from services.recurrence.schedule import Schedule, schedule_once
from services.reminders import transitions
from services.reminders.delivery.config import DeliveryConfig
from services.reminders.delivery.worker import DeliveryWorker
from services.reminders.lookup.finder import ReminderFinder, is_for_everyone, is_of
from services.reminders.lookup.recent_deliveries import RecentDeliveries
from services.reminders.lookup.references import is_moved_from, match_reminders, means_all
from services.reminders.model import (
    CatchUp,
    NewReminder,
    Reminder,
    ReminderEdit,
    ReminderLimits,
    ReminderState,
    fields_of,
    public_id,
)
from services.reminders.ports import Notifier, ReminderStore
from services.reminders.quiet_hours import QuietHours, QuietService
from services.reminders.records import Change, StoredReminder, ValidatedReminder
from services.reminders.updater import (
    ReminderUpdater,
    allow_anybody,
    check_may_change,
    check_may_edit,
    check_may_finish,
)
from services.time_expressions import ReadTimes


class ReminderService:
    """Creates, finds and changes reminders. `worker` delivers them; all methods may be called meanwhile."""

    def __init__(
        self,
        store: ReminderStore,
        clock: Clock,
        notifier: Notifier,
        state: StateStore,
        *,
        times: ReadTimes,
        limits: ReminderLimits | None = None,
        delivery: DeliveryConfig | None = None,
        zone_data: str = "",
        quiet: QuietHours | None = None,
    ) -> None:
        """Create the service; `times` reads the time in a reference such as "the 5pm one".

        `quiet` are the default quiet hours, the same that the store has. `zone_data` is the version of the zone data;
        when it changes, the next fires of recurring reminders are recomputed.
        """
        self._store = store
        self._clock = clock
        self._limits = limits or ReminderLimits()
        self.finder = ReminderFinder(store, clock, state, self._limits.per_chat, times)
        self.recent_deliveries = RecentDeliveries(store, clock, self.finder)
        self.quiet = QuietService(store, quiet)
        self.worker = DeliveryWorker(store, notifier, clock, delivery or DeliveryConfig(), zone_data)
        self._updater = ReminderUpdater(store, clock, self.finder, self.worker.claim_before)

    async def create(self, reminder: NewReminder) -> Reminder:
        """Create a reminder; with a known request key, return the existing one.

        Raises:
            RequestRefused: `content_missing`, `content_too_long(limit)`, `time_in_past(due, now)`,
                `rule_never_fires(rule)`, `rule_too_often(minimum)`, `rule_not_understood(rule)`, `zone_unknown(zone)`,
                `too_many_reminders(limit)`.
        """
        now = self._clock.now()
        await self.load_calendar(reminder.schedule)
        try:
            validated = self._validate(reminder, now)
        except RequestRefused:
            known = await self._store.by_request(reminder.request_key)
            if known is None:
                raise
            return self.finder.public(known)
        row = await self._store.add(validated, now, self._limits)
        self.worker.claim_before(validated.first_fire)
        return self.finder.public(row)

    async def of_request(self, request_key: str) -> Reminder | None:
        """Return the reminder created by this command, in any state."""
        row = await self._store.by_request(request_key)
        return None if row is None else self.finder.public(row)

    async def load_calendar(self, schedule: Schedule | None) -> None:
        """Load the calendar of a schedule without blocking the event loop."""
        if schedule is not None and schedule.rule is not None and schedule.rule.calendar is not None:
            await self._store.load_calendar(schedule.rule)

    async def list(
        self,
        chat: ChatAddress,
        person: Person,
        words: str = "",
        *,
        only_own: bool = False,
        names: frozenset[str] = frozenset(),
    ) -> tuple[Reminder, ...]:
        """Return the chat's active and paused reminders, soonest first, and remember their numbers for `person`.

        `words` select them by due time ("tomorrow", 这周) or content; empty for all. `only_own` leaves out reminders
        that the person neither created nor receives; `names` are ids of targets without an account for the person.
        """
        here = [each for each in await self.open_in(chat) if not only_own or is_of(each, person, names)]
        listed = match_reminders(words, here, self._clock.now(), self.finder.times)
        await self.finder.remember(chat, person, listed)
        return listed

    async def open_in(self, chat: ChatAddress) -> tuple[Reminder, ...]:
        """Return all reminders like `list`, without remembering their numbers."""
        return tuple(reminder for reminder, _ in await self.finder.open_in(chat))

    async def get(self, chat: ChatAddress, person: Person, reference: str) -> Reminder:
        """Return the open reminder of this chat for `reference`: an id or its beginning, a number, or words.

        Raises:
            RequestRefused: `no_reminders`, `reminder_unknown(reference, candidates)`,
                `reminder_ambiguous(reference, candidates)`.
        """
        return (await self.finder.find(chat, person, reference))[0]

    async def find(self, chat: ChatAddress, person: Person, reference: str) -> Reminder:
        """Find a reminder like `get`, else one that is done: sent in the last day, or with this complete id."""
        try:
            return await self.get(chat, person, reference)
        except RequestRefused as refusal:
            is_unknown = refusal.code in {"no_reminders", "reminder_unknown"}
            ended = await self.recent_deliveries.find_ended(chat, reference) if is_unknown else None
            if ended is None:
                raise
            return ended

    async def find_named(self, chat: ChatAddress, person: Person, reference: str) -> tuple[Reminder, ...]:
        """Return the reminders that `delete` with this reference would delete, unless it means all.

        Raises:
            RequestRefused: as `get`.
        """
        chosen = await self.finder.all_of(chat, person, reference)
        if chosen:
            return tuple(reminder for reminder, row in await self.finder.open_in(chat) if row.key in chosen)
        return (await self.get(chat, person, reference),)

    async def delete(self, chat: ChatAddress, person: Person, reference: str) -> tuple[Reminder, ...]:
        """Delete the reminder of `reference`, or with "all" every reminder that `person` created in this chat.

        "All of tomorrow", "all about work" and "all except the dentist" select some of these. With a repeating reminder
        its occurrences at other times are deleted. After the return no send of a deleted reminder begins.

        Raises:
            RequestRefused: as `get`; `not_your_reminder(id, owner)`; `nothing_of_yours` if "all" matches none.
        """
        if means_all(reference):
            return await self._updater.change_own(chat, person, transitions.cancel, lambda _: True)
        chosen = await self.finder.all_of(chat, person, reference)
        if chosen:
            return await self._updater.change_own(chat, person, transitions.cancel, lambda row: row.key in chosen)
        gone = await self._updater.change_one(chat, person, reference, transitions.cancel)
        rule = gone.schedule.rule
        others = await self.finder.open_in(chat) if rule is not None and rule.except_walls else ()
        moved = [each for each, _ in others if is_moved_from(each, gone)]
        return (gone, *[await self._updater.change_one(chat, person, each.id, transitions.cancel) for each in moved])

    async def restore(self, chat: ChatAddress, person: Person, reminder_id: str) -> Reminder:
        """Undo a delete; `reminder_id` is complete.

        Raises:
            RequestRefused: `reminder_unknown`, `not_your_reminder`; `time_in_past`, `rule_never_fires` if no fire is
                left.
        """
        now = self._clock.now()

        def resume_cancelled(row: StoredReminder) -> Change | None:
            return transitions.resume(row, now) if row.state is ReminderState.CANCELLED else None

        return await self._updater.change_by_id(chat, person, reminder_id, resume_cancelled)

    async def edit(
        self,
        chat: ChatAddress,
        person: Person,
        reference: str,
        edit: ReminderEdit,
        *,
        asked_at: datetime | None = None,
    ) -> Reminder:
        """Change text, people, schedule or options of a reminder. A message that is being sent keeps the old values.

        A new time may lie between `asked_at` (timezone-aware) and now; then the reminder is sent at once.

        Raises:
            RequestRefused: as `get` and `create`, and `not_your_reminder(id, owner)`.
        """
        await self.load_calendar(edit.schedule)
        make = partial(transitions.edit, edit=self._check_edit(edit), now=self._clock.now(), asked_at=asked_at)
        return await self._updater.change_one(chat, person, reference, make, check=check_may_edit)

    async def revert(
        self,
        chat: ChatAddress,
        person: Person,
        reminder_id: str,
        edit: ReminderEdit,
        *,
        is_undo: bool = False,
        was_ended: bool = True,
        asked_at: datetime | None = None,
    ) -> Reminder:
        """Restore an earlier state of a reminder in any state; `reminder_id` is complete, `asked_at` as in `edit`.

        With `is_undo` everybody who may edit the reminder may revert it. Without `was_ended`, that is if the reverted
        change did not end the reminder, a reminder deleted since stays deleted.

        Raises:
            RequestRefused: `reminder_unknown`, `not_your_reminder`, `deleted_since(id)`, and as `create`.
        """
        await self.load_calendar(edit.schedule)
        edit, now = self._check_edit(edit), self._clock.now()
        may = check_may_edit if is_undo else check_may_change

        def revert_row(row: StoredReminder) -> Change:
            if row.state is ReminderState.CANCELLED and not was_ended:
                raise RequestRefused("deleted_since", id=public_id(row.key))
            return transitions.edit(row, edit, now, asked_at)

        return await self._updater.change_by_id(chat, person, reminder_id, revert_row, check=may)

    async def pause(self, chat: ChatAddress, person: Person, reference: str) -> tuple[Reminder, ...]:
        """Pause a reminder, or with "all" every reminder that `person` created.

        Raises:
            RequestRefused: as `delete`; `nothing_of_yours` if "all" matches no active one.
        """
        if means_all(reference):
            return await self._updater.change_own(
                chat, person, transitions.pause, lambda row: row.state is ReminderState.ACTIVE
            )
        return (await self._updater.change_one(chat, person, reference, transitions.pause, check=check_may_edit),)

    async def resume(self, chat: ChatAddress, person: Person, reference: str) -> tuple[Reminder, ...]:
        """Resume a paused reminder from its next fire; "all" as in `pause`. Raises as `edit`.

        With "all", one-time reminders whose time has passed, and those whose rule cannot be read, stay paused.
        """
        now = self._clock.now()
        make = partial(transitions.resume, now=now)
        if not means_all(reference):
            return (await self._updater.change_one(chat, person, reference, make, check=check_may_edit),)

        def is_resumable(row: StoredReminder) -> bool:
            return row.state is ReminderState.PAUSED and _has_fire(row.schedule, now)

        return await self._updater.change_own(chat, person, make, is_resumable)

    async def finish(self, chat: ChatAddress, person: Person, reference: str) -> Reminder:
        """Mark as done: follow-ups stop, and a one-time reminder ends. Raises as `edit`.

        Everybody of the chat may finish a reminder for everyone that has follow-ups.
        """
        make = partial(transitions.finish, now=self._clock.now())
        return await self._updater.change_one(chat, person, reference, make, check=check_may_finish)

    async def join(self, chat: ChatAddress, person: Person, reference: str) -> Reminder:
        """Add `person` to the recipients. Raises as `get`."""
        make = partial(transitions.join, person=person, now=self._clock.now())
        return await self._updater.change_one(chat, person, reference, make, check=allow_anybody)

    async def leave(
        self, chat: ChatAddress, person: Person, reference: str, others: tuple[Person, ...] = ()
    ) -> Reminder:
        """Remove `person` from the recipients; `others` are the remaining recipients of a reminder for everyone.

        Raises:
            RequestRefused: as `get`; `for_everyone(id)` without `others`; `for_you_alone(id)`.
        """
        make = partial(transitions.leave, person=person, others=others, now=self._clock.now())
        return await self._updater.change_one(chat, person, reference, make, check=allow_anybody)

    async def copy_for(self, chat: ChatAddress, person: Person, reference: str, request_key: str) -> Reminder:
        """Create a copy of a reminder for `person` alone. Raises as `get` and `create`."""
        _, row = await self.finder.find(chat, person, reference)
        return await self.create(_copy_at(row, row.schedule, person, (), request_key))

    async def move_to_zone(self, chat: ChatAddress, person: Person, zone: str) -> tuple[Reminder, ...]:
        """Move the recurring reminders that `person` created in the chat to another zone (IANA name).

        An active one that would never fire again there stays as it is.

        Raises:
            RequestRefused: `no_reminders`: none is to be moved.
        """
        now = self._clock.now()

        def change_zone(row: StoredReminder) -> Change | None:
            schedule = replace(row.schedule, zone=zone)
            return transitions.edit(row, ReminderEdit(schedule=schedule), now)

        def is_in_other_zone(row: StoredReminder) -> bool:
            is_other = row.schedule.rule is not None and row.schedule.zone != zone
            moved = replace(row.schedule, zone=zone)
            return is_other and (row.state is ReminderState.PAUSED or _has_fire(moved, now))

        return await self._updater.change_own(chat, person, change_zone, is_in_other_zone, none="no_reminders")

    async def snooze(
        self,
        chat: ChatAddress,
        person: Person,
        reference: str,
        until: datetime,
        *,
        request_key: str,
        asked_at: datetime | None = None,
    ) -> Reminder:
        """Repeat at `until` (timezone-aware) a reminder sent in the last day; "" means the latest.

        A time between `asked_at` (timezone-aware) and now means at once. A one-time reminder that has not fired is
        moved instead. Follow-ups continue after `until`. A reminder for everyone is repeated for `person` alone if they
        may not change it.

        Raises:
            RequestRefused: as `get` and `create`, and `not_your_reminder(id, owner)`.
        """
        row = await self.recent_deliveries.find(chat, reference)
        if row is None:
            schedule = schedule_once(until, (await self.finder.find(chat, person, reference))[1].schedule.zone)
            return await self.edit(chat, person, reference, ReminderEdit(schedule=schedule), asked_at=asked_at)
        targets = self._recipients_of_repeat(row, person)
        schedule = replace(schedule_once(until, row.schedule.zone), follow_up=row.schedule.follow_up)
        again = replace(_copy_at(row, schedule, person, targets, request_key), asked_at=asked_at)
        snoozed = await self.create(again)
        if row.schedule.follow_up is not None and row.state is ReminderState.ACTIVE:
            await self.finish(chat, person, public_id(row.key))
        return snoozed

    async def reschedule_occurrence(
        self, chat: ChatAddress, person: Person, reminder_id: str, *, once: Schedule, left: Schedule, request_key: str
    ) -> tuple[Reminder, Reminder]:
        """Move one occurrence of a repeating reminder to a new reminder at `once`; the rest has the schedule `left`.

        Return the repeating reminder and the new one. Raises as `edit` and `create`.
        """
        reminder, row = await self.finder.find(chat, person, reminder_id)
        check_may_edit(reminder, person)
        single = await self.create(_copy_at(row, once, row.creator, row.targets, request_key))
        # In this order, a crash in between duplicates the occurrence instead of losing it.
        return await self.edit(chat, person, reminder_id, ReminderEdit(schedule=left)), single

    def _recipients_of_repeat(self, row: StoredReminder, person: Person) -> tuple[Person, ...]:
        """Return the recipients of a repetition requested by `person`: all recipients, or only that person."""
        reminder = self.finder.public(row)
        try:
            check_may_change(reminder, person)
        except RequestRefused:
            if row.schedule.follow_up is not None or not is_for_everyone(reminder):
                raise
            return ()
        return row.targets

    def _validate(self, reminder: NewReminder, now: datetime) -> ValidatedReminder:
        reminder = replace(reminder, content=self._limits.check_content(reminder.content))
        return ValidatedReminder(reminder=reminder, first_fire=check(reminder.schedule, now, reminder.asked_at))

    def _check_edit(self, edit: ReminderEdit) -> ReminderEdit:
        return edit if edit.content is None else replace(edit, content=self._limits.check_content(edit.content))


def _has_fire(schedule: Schedule, now: datetime) -> bool:
    """Return whether there is a fire after `now`; False if this version cannot read the rule."""
    try:
        return bool(next_fires(schedule, now, 1))
    except RequestRefused:
        return False


def _copy_at(
    row: StoredReminder, schedule: Schedule, creator: Person, targets: tuple[Person, ...], request_key: str
) -> NewReminder:
    """Return a new reminder with the content of `row` at `schedule`."""
    changed = {"schedule": schedule, "creator": creator, "targets": targets, "catch_up": CatchUp.LATEST}
    return NewReminder(request_key=request_key, address=row.address, **fields_of(row) | changed)
