"""Tell whether words name a reminder of the chat."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from msgspec import Struct

from services.kernel.chat import ChatAddress
from services.kernel.errors import RequestRefused
from services.reminders.lookup.references import find_reminder
from services.reminders.model import Reminder

ReminderLookup = Callable[[ChatAddress], Awaitable[Sequence[Reminder]]]
"""Returns the coming reminders of a chat, soonest first."""


class KnownReminders(Struct, frozen=True):
    """The coming reminders of a chat, looked up at `now` (timezone-aware in the zone of the person)."""

    reminders: tuple[Reminder, ...]
    now: datetime

    def has(self, words: str) -> bool:
        """Return whether `words` name one, or several, by number, time, order or words of the content."""
        is_counted = not words.strip("0123456789 ,，、&和and")
        return bool(self.reminders) and (is_counted or words in {"all", "both", "them"} or bool(self.named(words)))

    def named(self, words: str) -> tuple[Reminder, ...]:
        """Return those that `words` name."""
        try:
            return (find_reminder(words, self.reminders, (), now=self.now),)
        except RequestRefused as refusal:
            several = refusal.fields.get("candidates") if refusal.code == "reminder_ambiguous" else None
            return several if isinstance(several, tuple) else ()
