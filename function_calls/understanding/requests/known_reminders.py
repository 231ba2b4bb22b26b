"""Tell whether words name a reminder of the chat."""

import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from function_calls.tools.calls import ToolCall
from function_calls.understanding.requests.arguments import written
from services.kernel.chat import ChatAddress
from services.kernel.errors import RequestRefused
from services.recurrence.schedule import rule_text
from services.reminders.lookup.references import find_reminder
from services.reminders.model import EVERYONE, Reminder

_SHORTEST_SHARED = 2
"""The fewest characters that a name and the text of a reminder share in a script without spaces."""
_SHORTEST_WORD = 4
_TWO_CHARACTERS = re.compile("[\u3400-\u9fff]{2}")

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

    def like(self, name: str) -> Reminder | None:
        """Return the one that shares a word with `name`, or two characters of a script without spaces; else None."""
        found = [each for each in self.reminders if _share(name.casefold(), each.content.casefold())]
        return found[0] if len(found) == 1 else None

    def near(self, name: str) -> Reminder | None:
        """Return the one that shares a character with `name`, which is two Chinese ones: 跑5公里 for 跑步."""
        if not _TWO_CHARACTERS.fullmatch(name):
            return None
        found = [each for each in self.reminders if set(name) & set(each.content)]
        return found[0] if len(found) == 1 else None

    def as_now(self, call: ToolCall, person: str) -> ToolCall:
        """Return the call that set a reminder of `person` (an id) with what was changed since."""
        content = str(call.arguments.get("content", ""))
        own = [each for each in self.reminders if each.creator.id == person]
        same = [each for each in own if each.content == content]
        newest = sorted(own, key=lambda each: each.created_at)[-1:]
        like = [each for each in newest if _share(content.casefold(), each.content.casefold())]
        is_older = len(same) == 1 and bool(like) and like[0].created_at >= same[0].created_at
        found = like if is_older else same or like
        return replace(call, arguments={**call.arguments, **self.arguments_of(found[0])}) if len(found) == 1 else call

    def arguments_of(self, reminder: Reminder) -> dict[str, object]:
        """Return the arguments with which `reminder` would be set as it is now."""
        schedule = reminder.schedule
        coming = reminder.next_fires[0].astimezone(self.now.tzinfo) if reminder.next_fires else schedule.start
        people = [each for each in reminder.targets if each.id != reminder.creator.id]
        is_common = any(each.id == EVERYONE for each in people)
        person = "everyone" if is_common else ", ".join(each.name for each in reminder.targets) if people else None
        rule = {} if schedule.rule is None else {"rrule": rule_text(schedule)}
        return {"type": "once", "time": written(coming), "content": reminder.content, "person": person, **rule}


def _share(name: str, content: str) -> bool:
    words = {word for word in name.split() if word.isascii() and len(word) >= _SHORTEST_WORD}
    if words & set(content.split()):
        return True
    pairs = {name[at : at + _SHORTEST_SHARED] for at in range(len(name) - 1)}
    return any(not pair.isascii() and pair.isalnum() and pair in content for pair in pairs)
