"""Find the reminders of a chat that a person may see, and remember the list shown last."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import Clock
from services.kernel.errors import RequestRefused
from services.kernel.state import StateStore
from services.people.member_names import target_ids
from services.recurrence.fires import next_fires
from services.reminders.lookup.references import (
    LAST,
    all_except,
    all_of,
    all_others,
    find_reminder,
    is_in,
    match_all,
)
from services.reminders.lookup.several import at_end, several_in
from services.reminders.model import EVERYONE, Reminder, ReminderState, fields_of, public_id
from services.reminders.ports import ReminderBook
from services.reminders.records import StoredReminder
from services.time_expressions import ReadTimes

_SHOWN_FOR = timedelta(days=1)
_EARLIEST = datetime.min.replace(tzinfo=UTC)
_LATEST = datetime.max.replace(tzinfo=UTC)
_READ_FOR = timedelta(minutes=10)
_ANYBODY = Person(id="*", name="")
"""Stands for everybody who has read a list of the chat."""


class Shown(Struct, frozen=True, kw_only=True):
    """The ids of a numbered list, in order, and the time at which it was shown."""

    ids: tuple[str, ...] = ()
    at: datetime = _EARLIEST

    def find_newer(self, person: Person, here: Sequence[Reminder]) -> list[Reminder]:
        """Return the reminders of `here` that `person` created after the list was shown, oldest first."""
        newer = [each for each in here if each.creator.id == person.id and each.created_at > self.at]
        return sorted((each for each in newer if each.id not in self.ids), key=lambda each: each.created_at)

    def with_newer(self, person: Person, here: Sequence[Reminder]) -> "Shown":
        """Return the list continued by newer reminders of `person`; an empty list stays empty."""
        newer = self.find_newer(person, here) if self.ids else ()
        return replace(self, ids=(*self.ids, *(each.id for each in newer)))


class ReminderFinder(Struct, frozen=True):
    """Finds the open reminders of a chat; every search is limited to that chat.

    At most `limit` reminders of a chat are read; `times` reads times in references.
    """

    book: ReminderBook
    clock: Clock
    state: StateStore
    limit: int
    times: ReadTimes

    async def open_in(self, chat: ChatAddress) -> tuple[tuple[Reminder, StoredReminder], ...]:
        """Return the active and paused reminders with their rows, soonest first, and last those without a next fire."""
        rows = await self.book.in_chat(chat.key, self.limit)
        pairs = [(self.public(row), row) for row in rows]
        return tuple(sorted(pairs, key=lambda pair: (_next_fire(pair[0]), pair[1].key)))

    async def open_elsewhere(self, chat: ChatAddress, person: Person) -> tuple[Reminder, ...]:
        """Return the active and paused reminders that `person` created in other chats of the platform."""
        rows = await self.book.of_creator(chat.platform, person.id, self.limit)
        return tuple(self.public(row) for row in rows if row.address.key != chat.key)

    async def find(self, chat: ChatAddress, person: Person, reference: str) -> tuple[Reminder, StoredReminder]:
        """Return the open reminder that `reference` names.

        Raises:
            RequestRefused: `no_reminders`, `reminder_unknown`, `reminder_ambiguous`.
        """
        pairs = await self.open_in(chat)
        (found,) = await self._resolve(chat, person, [reference], [reminder for reminder, _ in pairs])
        return next(pair for pair in pairs if pair[0] is found)

    async def several(self, chat: ChatAddress, person: Person, reference: str) -> tuple[Reminder, ...]:
        """Return the reminders of "1 and 3", "the milk and the dentist" or "the first two"; else an empty tuple.

        A reminder whose content has all words of the reference is a single one.

        Raises:
            RequestRefused: as `find`, for any of them.
        """
        named = several_in(reference)
        here = [] if named is None else [reminder for reminder, _ in await self.open_in(chat)]
        if named is None or named.kind == "spoken" or any(is_in(reminder.content, reference) for reminder in here):
            return ()
        if named.kind == "each":
            return tuple(dict.fromkeys(await self._resolve(chat, person, named.references, here)))
        shown = await self.last_shown(chat, person)
        listed = [reminder for place in shown.ids for reminder in here if reminder.id == place]
        own = [reminder for reminder in here if is_of(reminder, person)]
        return at_end(named, listed or own or here, shown.find_newer(person, here))

    async def all_of(self, chat: ChatAddress, person: Person, reference: str) -> frozenset[int]:
        """Return the keys of the person's reminders in "all of tomorrow" or "all except the dentist"; else none.

        Raises:
            RequestRefused: `reminder_unknown(reference, candidates)`: an exception matches no reminder.
        """
        words, exceptions = all_of(reference), all_except(reference)
        pairs = await self.open_in(chat) if words or exceptions else ()
        here, now = [reminder for reminder, _ in pairs], self.clock.now()
        own = [reminder for reminder in here if reminder.creator.id == person.id]
        if exceptions:
            shown = (await self.last_shown(chat, person)).with_newer(person, here)
            matches = all_others(exceptions, here, shown.ids, now=now, times=self.times)
        else:
            matches = match_all(words, own, now, self.times)
        return frozenset(row.key for reminder, row in pairs if reminder in own and reminder in matches)

    async def duplicate_of(self, reminder: Reminder) -> Reminder | None:
        """Return another open reminder of the chat with the same text, people and next fire."""
        rows = await self.book.in_chat(reminder.address.key, self.limit)
        alike = (self.public(row) for row in rows if _has_same_words(row, reminder))
        return next((other for other in alike if _is_duplicate(other, reminder)), None)

    def public(self, row: StoredReminder) -> Reminder:
        """Return the public form of a row, with its next fires; none if this version cannot read its rule."""
        coming: tuple[datetime, ...] = ()
        if row.state is ReminderState.ACTIVE:
            with suppress(RequestRefused):
                coming = next_fires(row.schedule, self.clock.now())
        return Reminder(
            id=public_id(row.key),
            address=row.address,
            state=row.state,
            next_fires=coming,
            created_at=row.created_at,
            **fields_of(row),
        )

    async def remember(self, chat: ChatAddress, person: Person, shown: Sequence[Reminder]) -> None:
        """Remember the numbered list that the person sees: a list, or the candidates of an ambiguous reference."""
        at, ids = self.clock.now().isoformat(), [reminder.id for reminder in shown]
        for reader, keep in ((person, _SHOWN_FOR), (_ANYBODY, _READ_FOR)):
            await self.state.set(_shown_key(chat, reader), {"at": at, "ids": [*ids]}, keep=keep)

    async def last_shown(self, chat: ChatAddress, person: Person) -> Shown:
        """Return the numbered list shown to the person in the last day, or else just now to anybody in the chat."""
        stored = await self.state.get(_shown_key(chat, person)) or await self.state.get(_shown_key(chat, _ANYBODY))
        if isinstance(stored, list):  # stored by an earlier version, without the time
            return Shown(ids=tuple(map(str, stored)))
        ids = stored.get("ids") if isinstance(stored, dict) else None
        if not isinstance(stored, dict) or not isinstance(ids, list):
            return Shown()
        return Shown(ids=tuple(map(str, ids)), at=datetime.fromisoformat(str(stored.get("at"))))

    async def _resolve(
        self, chat: ChatAddress, person: Person, references: Sequence[str], here: Sequence[Reminder]
    ) -> list[Reminder]:
        """Return the match of each of `references` in `here`. "The last one" is one of the person, if they have any."""
        shown, now = (await self.last_shown(chat, person)).with_newer(person, here), self.clock.now()
        own = [reminder for reminder in here if is_of(reminder, person)] or here
        lists = [(single, own if single.casefold() in LAST else here) for single in references]
        return [find_reminder(single, among, shown.ids, now=now, times=self.times) for single, among in lists]


def is_of(reminder: Reminder, person: Person, names: frozenset[str] = frozenset()) -> bool:
    """Return whether `person`, by id or one of the target ids `names`, created or receives `reminder`."""
    targets = {target.id for target in reminder.targets}
    is_target = bool(targets & {person.id, *names}) or is_for_everyone(reminder)
    return reminder.creator.id == person.id or is_target


def is_for_everyone(reminder: Reminder) -> bool:
    """Return whether a reminder is for everyone in the chat."""
    return any(target.id == EVERYONE for target in reminder.targets)


def is_joined(reminder: Reminder, person: Person) -> bool:
    """Return whether `person`, who has not set a reminder, has asked to be reminded as well."""
    ids = target_ids(person)
    return reminder.creator.id != person.id and any(each.has_joined and each.id in ids for each in reminder.targets)


def _next_fire(reminder: Reminder) -> datetime:
    if reminder.next_fires:
        return reminder.next_fires[0]
    return reminder.created_at if reminder.state is ReminderState.ACTIVE else _LATEST


def _shown_key(chat: ChatAddress, person: Person) -> str:
    return f"reminders.shown:{chat.key}#{person.id}"


def _has_same_words(row: StoredReminder, reminder: Reminder) -> bool:
    """Return whether `row` has the content, address and action of `reminder`."""
    is_same_place = (row.address, row.action) == (reminder.address, reminder.action)
    return is_same_place and row.content.casefold() == reminder.content.casefold()


def _is_duplicate(first: Reminder, second: Reminder) -> bool:
    """Return whether two different reminders have the same next fire and recipients."""
    has_same_fire = first.next_fires[:1] == second.next_fires[:1] != ()
    people = [{person.id for person in each.recipients} for each in (first, second)]
    return first.id != second.id and has_same_fire and people[0] == people[1]
