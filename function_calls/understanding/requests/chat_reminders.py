"""Find those of the coming reminders of a chat that words name."""

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from functools import cached_property
from itertools import chain, product, starmap
from math import fsum

from msgspec import Struct
from msgspec.structs import replace

from function_calls.tools.calls import ToolCall
from function_calls.understanding.reading.lexicon import load_common_words, load_lexicon
from function_calls.understanding.reading.reminder_words import (
    ReminderWords,
    collect_words,
    find_pairs,
    find_stems,
    names_same_act,
)
from function_calls.understanding.reading.slots.people import EVERYONE_ARGUMENT
from function_calls.understanding.reminder_times import format_time
from services.kernel.chat import ChatAddress, Person
from services.kernel.errors import RequestRefused
from services.recurrence.schedule import rule_text
from services.reminders.lookup.due_words import find_due
from services.reminders.lookup.finder import Shown
from services.reminders.lookup.references import candidates_of, find_reminder
from services.reminders.model import EVERYONE, Reminder
from services.time_expressions import ReadTimes

SEVERAL = frozenset({"both", "all", "them"})
"""References to more than one reminder."""
LAST, IT = "last", "it"
"""References to the newest reminder, and to the one that is spoken of."""
ReminderLookup = Callable[[ChatAddress], Awaitable[Sequence[Reminder]]]
"""Returns the coming reminders of a chat, soonest first."""
ShownLookup = Callable[[ChatAddress, Person], Awaitable[Shown]]
"""Returns the numbered list that a person was shown last in a chat."""


class ChatReminders(Struct, frozen=True, dict=True):
    """The coming reminders of a chat, looked up at `now` (timezone-aware in the zone of the person).

    `coming` are soonest first; `shown` is the list that the person was shown last, with the reminders that they created
    since, whose numbers name reminders; `times` reads times in references.
    """

    coming: tuple[Reminder, ...]
    now: datetime
    times: ReadTimes
    shown: Shown = Shown()

    @property
    def awaits_completion(self) -> bool:
        """Return whether a reminder comes again until somebody says that it is done."""
        return any(reminder.schedule.follow_up is not None for reminder in self.coming)

    def can_resolve(self, words: str) -> bool:
        """Return whether `words` name reminders by number, time, order or words of the content."""
        is_numbers = not words.strip("0123456789 ,，、&和and")
        return bool(self.coming) and (is_numbers or words in SEVERAL or bool(self.resolve(words)))

    def matches(self, name: str, common: Collection[str]) -> bool:
        """Return whether `name` names reminders, or shares words with one more than with all others."""
        return self.can_resolve(name) or len(self.find_closest(name, common) or self.find_act(name, common)) == 1

    def resolve(self, words: str) -> tuple[Reminder, ...]:
        """Return the reminders that `words` name; empty for none."""
        try:
            return (find_reminder(words, self.coming, self.shown.ids, now=self.now, times=self.times),)
        except RequestRefused as refusal:
            return candidates_of(refusal) if refusal.code == "reminder_ambiguous" else ()

    @cached_property
    def _words_by_language(self) -> dict[str, ReminderWords]:
        """Cache the words of the texts by language."""
        return {}

    def collect_words(self, language: str) -> ReminderWords:
        """Return the words of the texts but those that are common in `language`."""
        if language not in self._words_by_language:
            fold = load_lexicon(language).fold  # as the tokens of messages are folded
            texts = (fold(reminder.content) for reminder in self.coming)
            self._words_by_language[language] = collect_words(texts, load_common_words(language))
        return self._words_by_language[language]

    def find_closest(self, name: str, common: Collection[str] = ()) -> tuple[Reminder, ...]:
        """Return the reminders whose text shares most with `name`, weighted by how few reminders have a word.

        Empty where no word is shared. Words match in another form ("stretch", "stretching"), Chinese by two characters;
        those in `common` count only where `name` has no others.
        """
        if not find_stems(name, common) and not find_pairs(name, common):
            common = ()
        shared = [find_shared_words(name, reminder.content, common) for reminder in self.coming]
        frequencies = Counter(word for words in shared for word in words)
        # Exact, as the words of a set come in any order, which changes a rounded sum.
        weights = [fsum(1 / frequencies[word] for word in words) for words in shared]
        maximum = max(weights, default=0.0)
        return tuple(each for each, weight in zip(self.coming, weights, strict=True) if weight == maximum > 0)

    def find_act(self, name: str, common: Collection[str]) -> tuple[Reminder, ...]:
        """Return the reminders whose text has the verb of a noun of `name`, or the noun of its verb: "riego"."""
        words = [word for word in name.casefold().split() if word not in common]
        texts = ((each, each.content.casefold().split()) for each in self.coming)
        pairs = ((each, chain(product(words, text), product(text, words))) for each, text in texts)
        return tuple(each for each, word_pairs in pairs if any(starmap(names_same_act, word_pairs)))

    def find_alike(self, name: str, common: Collection[str]) -> tuple[Reminder, ...]:
        """Return the reminders that have most, and at least two of three, characters of a name: 洗雪克杯 for 洗杯子."""
        letters = {*name} - {*common}
        alike = filter_by_characters(letters, self.coming)
        is_like = len(letters) > 2 and any(len(letters & {*each.content}) * 3 >= len(letters) * 2 for each in alike)
        return alike if is_like else ()

    def filter_by_time(self, words: str, among: Sequence[Reminder]) -> tuple[Reminder, ...]:
        """Return those of `among` that come at the time in `words`; all of them where it has none."""
        matches = find_due(words, among, self.now, self.times) if among else None
        return tuple(among) if matches is None else tuple(matches[0])

    def find_only_closest(self, name: str, common: Collection[str]) -> Reminder | None:
        """Return the only reminder of `find_closest`; None for none or several."""
        closest = self.find_closest(name, common)
        return closest[0] if len(closest) == 1 else None

    def update_call(self, call: ToolCall, person: str, common: Collection[str]) -> ToolCall:
        """Return the call that set a reminder of `person` (an id) with what was changed since.

        The present text shares a word, which is not in `common`, with the one that was set.
        """
        content = str(call.arguments.get("content", ""))
        own = [reminder for reminder in self.coming if reminder.creator.id == person]
        unchanged = [reminder for reminder in own if reminder.content == content]
        newest = sorted(own, key=lambda reminder: reminder.created_at)[-1:]
        similar = [each for each in newest if find_shared_words(content, each.content, common)]
        candidates = similar if len(unchanged) == 1 and similar else unchanged or similar
        changed = self.make_arguments(candidates[0]) if len(candidates) == 1 else {}
        return replace(call, arguments={**call.arguments, **changed})

    def make_set_call(self, reminder: Reminder) -> ToolCall:
        """Return the call that would set `reminder` as it is now."""
        return ToolCall(id="", name="reminder_set", arguments=self.make_arguments(reminder))

    def make_arguments(self, reminder: Reminder) -> dict[str, object]:
        """Return the arguments with which `reminder` would be set as it is now."""
        schedule = reminder.schedule
        coming = reminder.next_fires[0].astimezone(self.now.tzinfo) if reminder.next_fires else schedule.start
        people = [each for each in reminder.targets if each.id != reminder.creator.id]
        is_for_everyone = any(each.id == EVERYONE for each in people)
        names = ", ".join(each.name for each in reminder.targets) if people else None
        person = EVERYONE_ARGUMENT if is_for_everyone else names
        rule = {} if schedule.rule is None else {"rrule": rule_text(schedule)}
        return {"type": "once", "time": format_time(coming), "content": reminder.content, "person": person, **rule}


def filter_by_characters(letters: AbstractSet[str], among: Sequence[Reminder]) -> tuple[Reminder, ...]:
    """Return those of `among` whose text has most of `letters`."""
    counts = [len(letters & {*each.content}) for each in among]
    return tuple(each for each, count in zip(among, counts, strict=True) if count == max(counts))


def find_shared_words(name: str, content: str, common: Collection[str]) -> set[str]:
    """Return the words of `name` that stand in `content` in any form, and the pairs of Chinese characters."""
    words = find_stems(name, common) & find_stems(content, common)
    return words | (find_pairs(name, common) & find_pairs(content, common))
