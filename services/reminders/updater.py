"""Apply changes to reminders: find them, check permissions, and retry on concurrent edits."""

from collections.abc import Callable, Iterable
from datetime import datetime

from msgspec import Struct

from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import Clock
from services.kernel.errors import RequestRefused
from services.people.member_names import target_ids
from services.reminders.lookup.finder import ReminderFinder, is_for_everyone
from services.reminders.model import Reminder, public_id, row_key
from services.reminders.ports import ReminderBook
from services.reminders.records import Change, StoredReminder

Check = Callable[[Reminder, Person], None]
"""Raises `RequestRefused` if a person lacks the right."""


def check_may_change(reminder: Reminder, person: Person) -> None:
    """Allow the creator, the recipients and admins of the chat.

    Raises:
        RequestRefused: `not_your_reminder(id, owner)`.
    """
    concerned = {reminder.creator.id, *(target.id for target in reminder.targets)}
    if not person.is_admin and not target_ids(person) & concerned:
        raise RequestRefused("not_your_reminder", id=reminder.id, owner=reminder.creator.name)


def check_may_edit(reminder: Reminder, person: Person) -> None:
    """Allow everybody for a reminder for everyone, else check as `check_may_change`.

    Such a reminder belongs to the chat, but only its creator and admins may delete it.

    Raises:
        RequestRefused: `not_your_reminder(id, owner)`.
    """
    if not is_for_everyone(reminder):
        check_may_change(reminder, person)


def check_may_finish(reminder: Reminder, person: Person) -> None:
    """Check as `check_may_edit` if the reminder has follow-ups, else as `check_may_change`.

    Raises:
        RequestRefused: `not_your_reminder(id, owner)`.
    """
    check = check_may_change if reminder.schedule.follow_up is None else check_may_edit
    check(reminder, person)


def allow_anybody(reminder: Reminder, person: Person) -> None:
    """Allow everybody of the chat."""
    del reminder, person


_TRIES = 5
Make = Callable[[StoredReminder], Change | None]
"""Computes the change of a row; None keeps it."""


class ReminderUpdater(Struct, frozen=True):
    """Applies changes to reminders of a chat; calls `claim_before` with the first of the new next fires."""

    book: ReminderBook
    clock: Clock
    finder: ReminderFinder
    claim_before: Callable[[datetime], None]

    async def change_one(
        self, chat: ChatAddress, person: Person, reference: str, make: Make, *, check: Check = check_may_change
    ) -> Reminder:
        """Change the open reminder that `reference` names, if `check` allows `person`.

        Raises:
            RequestRefused: as `make`; `no_reminders`, `reminder_unknown`, `reminder_ambiguous`, `not_your_reminder`,
                `changed_meanwhile(id)` if others change it at the same time again and again.
        """
        for _ in range(_TRIES):
            reminder, row = await self.finder.find(chat, person, reference)
            check(reminder, person)
            change = make(row)
            changed = reminder if change is None else await self._apply(change)
            if changed is not None:
                return changed
        raise RequestRefused("changed_meanwhile", id=reminder.id)

    async def change_own(
        self,
        chat: ChatAddress,
        person: Person,
        make: Make,
        is_wanted: Callable[[StoredReminder], bool],
        *,
        none: str = "nothing_of_yours",
    ) -> tuple[Reminder, ...]:
        """Change every open reminder that `person` created in this chat and that `is_wanted`.

        Raises:
            RequestRefused: `no_reminders` if the chat has none at all; `none` if no reminder is to be changed;
                `changed_meanwhile(id)` if others change all of them at the same time again and again.
        """
        changed: tuple[Reminder, ...] = ()
        for _ in range(_TRIES):
            rows = [row for _, row in await self.finder.open_in(chat)]
            own = [row for row in rows if row.creator.id == person.id and is_wanted(row)]
            changes = [change for row in own if (change := make(row)) is not None]
            if not changes:
                break
            changed += await self._apply_all(changes)
        if changes and not changed:
            raise RequestRefused("changed_meanwhile", id=public_id(changes[0].key))
        if not changed:
            raise RequestRefused(none if rows else "no_reminders")
        return changed

    async def change_by_id(
        self, chat: ChatAddress, person: Person, reminder_id: str, make: Make, *, check: Check = check_may_change
    ) -> Reminder:
        """Change the reminder with this complete id, in any state, if `check` allows `person`.

        Raises:
            RequestRefused: `reminder_unknown`, `not_your_reminder`, `changed_meanwhile`, and as `make`.
        """
        key = row_key(reminder_id)
        for _ in range(_TRIES):
            row = None if key is None else await self.book.get(key)
            if row is None or row.address.key != chat.key:
                break
            check(self.finder.public(row), person)
            change = make(row)
            if change is None:
                break
            changed = await self._apply(change)
            if changed is not None:
                return changed
        else:
            raise RequestRefused("changed_meanwhile", id=reminder_id)
        raise RequestRefused("reminder_unknown", reference=reminder_id, candidates=())

    async def _apply(self, change: Change) -> Reminder | None:
        return next(iter(await self._apply_all([change])), None)

    async def _apply_all(self, changes: Iterable[Change]) -> tuple[Reminder, ...]:
        changes = tuple(changes)
        rows = await self.book.change(changes, self.clock.now())
        fires = [change.next_fire_at for change in changes if change.next_fire_at is not None]
        if rows and fires:
            self.claim_before(min(fires))
        return tuple(self.finder.public(row) for row in rows)
