"""The reminders of a chat as one person sees them, and the list they were shown last."""

from datetime import UTC, datetime, timedelta

from services.chat import ChatAddress, Person
from services.clock import Clock
from services.errors import RequestRefused
from services.reminders.due_words import USUAL
from services.reminders.model import Reminder, ReminderState
from services.reminders.ports import ReminderBook
from services.reminders.public_ids import public_id
from services.reminders.records import StoredReminder
from services.reminders.recurrence import next_fires
from services.reminders.references import all_except, all_of, all_others, find_reminder, fitting_all, matching
from services.session import StateStore
from services.time_expressions import TimeReader

_SHOWN_FOR = timedelta(days=1)
_LATEST = datetime.max.replace(tzinfo=UTC)


class Shelf:
    """Finds the open reminders of a chat; every look is limited to that chat."""

    def __init__(
        self, book: ReminderBook, clock: Clock, state: StateStore, most: int, times: TimeReader = USUAL
    ) -> None:
        """`most` is how many reminders a chat may have; `times` reads "the 5pm one"."""
        self._book = book
        self._clock = clock
        self._state = state
        self._most = most
        self._times = times

    async def open_in(self, chat: ChatAddress) -> tuple[tuple[Reminder, StoredReminder], ...]:
        """Active and paused reminders with their rows, soonest first, those without a next fire last."""
        rows = await self._book.in_chat(chat.key, self._most)
        pairs = [(self.public(row), row) for row in rows]
        return tuple(sorted(pairs, key=lambda pair: (_next_fire(pair[0]), pair[1].key)))

    async def find(self, chat: ChatAddress, person: Person, reference: str) -> tuple[Reminder, StoredReminder]:
        """The one open reminder that `reference` names.

        Raises:
            RequestRefused: `no_reminders`, `reminder_unknown`, `reminder_ambiguous`.
        """
        pairs = await self.open_in(chat)
        try:
            here, shown = [reminder for reminder, _ in pairs], await self._shown(chat, person)
            found = find_reminder(reference, here, shown, now=self._clock.now(), times=self._times)
        except RequestRefused as refusal:
            candidates = refusal.fields.get("candidates")
            if isinstance(candidates, tuple) and candidates:
                await self._remember(chat, person, candidates)
            raise
        return next(pair for pair in pairs if pair[0] is found)

    async def show(self, chat: ChatAddress, person: Person, words: str = "") -> tuple[Reminder, ...]:
        """The open reminders, or those that `words` describe; a number said later means a place in this list."""
        here = [reminder for reminder, _ in await self.open_in(chat)]
        listed = matching(words, here, self._clock.now(), self._times)
        await self._remember(chat, person, listed)
        return listed

    async def all_of(self, chat: ChatAddress, person: Person, reference: str) -> frozenset[int]:
        """The rows of one's own that "all of tomorrow" or "all except the dentist" mean; none for other references.

        Raises:
            RequestRefused: `reminder_unknown(reference, candidates)`: what is to be kept is not there.
        """
        words, kept = all_of(reference), all_except(reference)
        pairs = await self.open_in(chat) if words or kept else ()
        here, now = [reminder for reminder, _ in pairs], self._clock.now()
        own = [reminder for reminder in here if reminder.creator.id == person.id]
        if kept:
            meant = all_others(kept, here, await self._shown(chat, person), now=now, times=self._times)
        else:
            meant = fitting_all(words, own, now, self._times)
        return frozenset(row.key for reminder, row in pairs if reminder in own and reminder in meant)

    def public(self, row: StoredReminder) -> Reminder:
        """A row as everybody else sees it."""
        is_active = row.state is ReminderState.ACTIVE
        return Reminder(
            id=public_id(row.key),
            address=row.address,
            creator=row.creator,
            targets=row.targets,
            content=row.content,
            schedule=row.schedule,
            language=row.language,
            state=row.state,
            next_fires=next_fires(row.schedule, self._clock.now()) if is_active else (),
            created_at=row.created_at,
            is_urgent=row.is_urgent,
            catch_up=row.catch_up,
            action=row.action,
        )

    async def _remember(self, chat: ChatAddress, person: Person, shown: tuple[Reminder, ...]) -> None:
        """What the person sees numbered from now on: a whole list, or the candidates of a doubtful reference."""
        await self._state.set(_shown_key(chat, person), [each.id for each in shown], keep=_SHOWN_FOR)

    async def _shown(self, chat: ChatAddress, person: Person) -> list[str]:
        remembered = await self._state.get(_shown_key(chat, person))
        return [str(each) for each in remembered] if isinstance(remembered, list) else []


def _next_fire(reminder: Reminder) -> datetime:
    if reminder.next_fires:
        return reminder.next_fires[0]
    return reminder.created_at if reminder.state is ReminderState.ACTIVE else _LATEST


def _shown_key(chat: ChatAddress, person: Person) -> str:
    return f"reminders.shown:{chat.key}#{person.id}"
