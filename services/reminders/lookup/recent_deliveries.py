"""Find recently sent reminders for "done", "snooze" and replies."""

from collections.abc import Sequence
from datetime import timedelta

from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import Clock
from services.kernel.errors import RequestRefused
from services.people.member_names import target_ids
from services.reminders.lookup.finder import ReminderFinder
from services.reminders.lookup.references import find_reminder
from services.reminders.model import EVERYONE, Reminder, ReminderState, row_key
from services.reminders.ports import ReminderBook
from services.reminders.records import StoredReminder
from services.time_expressions import ReadTimes

_RECENT = timedelta(days=1)
_MAX_DELIVERIES = 50


class RecentDeliveries:
    """Finds reminders that were sent; every search is limited to one chat."""

    def __init__(self, book: ReminderBook, clock: Clock, finder: ReminderFinder) -> None:
        self._book = book
        self._clock = clock
        self._finder = finder

    async def in_message(self, chat: ChatAddress, message_id: str) -> tuple[Reminder, ...]:
        """Return the reminders, in any state, sent in the message of the bot with this platform id."""
        return tuple(self._finder.public(row) for row in await self._book.sent_in(chat.key, message_id))

    async def recent_for(self, chat: ChatAddress, person: Person, within: timedelta) -> tuple[Reminder, ...]:
        """Return the reminders sent to `person` in this chat in the time `within` until now, latest first."""
        return tuple(self._finder.public(row) for row in await self._sent_to(chat, person, within))

    async def latest_unfinished(self, chat: ChatAddress, person: Person, within: timedelta = _RECENT) -> Reminder:
        """Return the latest reminder with follow-ups sent to `person` in the time `within` until now.

        Raises:
            RequestRefused: `nothing_to_finish`.
        """
        for row in await self._sent_to(chat, person, within):
            if row.state is ReminderState.ACTIVE and row.schedule.follow_up is not None:
                return self._finder.public(row)
        raise RequestRefused("nothing_to_finish")

    async def find(self, chat: ChatAddress, reference: str) -> StoredReminder | None:
        """Find a reminder that was sent in the last day or has ended; "" means the latest. None if none matches.

        Raises:
            RequestRefused: `no_reminders`: none was sent; `reminder_ambiguous`.
        """
        rows = await self._book.sent_since(chat.key, self._clock.now() - _RECENT, _MAX_DELIVERIES)
        sent = [(self._finder.public(row), row) for row in rows]
        return _find_named(reference, sent, self._finder.times) or await self.find_done(chat, reference)

    async def find_ended(self, chat: ChatAddress, reference: str) -> Reminder | None:
        """Return the named reminder that was sent in the last day and has ended; None if there is none."""
        try:
            row = await self.find(chat, reference)
        except RequestRefused:
            return None
        return self._finder.public(row) if row is not None and row.state is ReminderState.DONE else None

    async def find_done(self, chat: ChatAddress, reference: str) -> StoredReminder | None:
        """Return the reminder of this chat with this complete id, if it is done."""
        key = row_key(reference)
        row = None if key is None else await self._book.get(key)
        is_over = row is not None and row.state is ReminderState.DONE and row.address.key == chat.key
        return row if is_over else None

    async def _sent_to(self, chat: ChatAddress, person: Person, within: timedelta) -> tuple[StoredReminder, ...]:
        ids = {*target_ids(person), EVERYONE}
        rows = await self._book.sent_since(chat.key, self._clock.now() - within, _MAX_DELIVERIES)
        return tuple(row for row in rows if ids & {target.id for target in row.recipients})


def _find_named(
    reference: str, sent: Sequence[tuple[Reminder, StoredReminder]], times: ReadTimes
) -> StoredReminder | None:
    """Return the reminder of `sent` that matches `reference`; None if there is none."""
    if not reference.strip():
        if not sent:
            raise RequestRefused("no_reminders")
        return sent[0][1]
    try:
        found = find_reminder(reference, [reminder for reminder, _ in sent], (), times=times)
    except RequestRefused as refusal:
        if refusal.code in {"no_reminders", "reminder_unknown"}:
            return None
        raise
    return next(row for reminder, row in sent if reminder is found)
