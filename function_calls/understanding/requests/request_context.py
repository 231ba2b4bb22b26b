"""A request of a message, with what is needed to make calls of it."""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import date, datetime, timedelta
from functools import wraps
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from function_calls.tools.calls import ToolCall, Turn
from function_calls.understanding.open_questions import OpenQuestion
from function_calls.understanding.reading.lexicon import Lexicon, load_common_words
from function_calls.understanding.reading.message import NO_TAG, MessageReading
from function_calls.understanding.reading.named_weekdays import find_recurring_weekdays, find_weekdays, names_weekday
from function_calls.understanding.reading.names import find_members, list_named
from function_calls.understanding.reading.slots.contents import extract_content
from function_calls.understanding.reading.slots.small_words import strip_leading_word
from function_calls.understanding.reading.slots.time_words import (
    parse_amount,
    parse_time,
    parse_times,
    strip_time_words,
)
from function_calls.understanding.reading.times import TimeWords, is_clock_alone, names_single_day
from function_calls.understanding.reading.tokens import is_time
from function_calls.understanding.requests.chat_reminders import ChatReminders
from function_calls.understanding.requests.reminder_answers import ReminderAnswers
from function_calls.understanding.tool_calls import NO_CALL
from services.recurrence.edits import fires_from
from services.reminders.model import Reminder
from services.time_expressions import Reading, ReadTimes, TimeReadings

_MAX_AMOUNT_TOKENS = 4
_SETTING_INTENTS = frozenset({"set", "answer_when", "repeat_last", "summary_schedule"})
Found = TypeVar("Found")


class RequestContext(Struct, frozen=True, kw_only=True, dict=True):
    """One request of a message.

    Attributes:
        may_point: The request may leave unnamed which reminder it is about.
        last_set: The call that set a reminder for this person last.
        chat_reminders: The coming reminders of the chat; None where they were not looked up.
        is_part: The message has other requests.
        set_call_before: The call with which the request in front of this one sets a reminder.
        last_here: The call that set a reminder last in the chat, for anybody.
        last_set_by_other: The call of another person that has set a reminder since the last action of this person.
        discussed_reminder: The only reminder of the request in front, or of the last question of this person.
        last_call: The last call for this person; one without a name for none.
    """

    turn: Turn
    reading: MessageReading
    words: Lexicon
    language: str
    times: ReadTimes
    answers: ReminderAnswers
    question: OpenQuestion | None
    last_set: ToolCall | None
    is_addressed: bool
    may_point: bool
    chat_reminders: ChatReminders | None = None
    is_part: bool = False
    set_call_before: ToolCall | None = None
    last_here: ToolCall | None = None
    last_set_by_other: ToolCall | None = None
    discussed_reminder: Reminder | None = None
    last_call: ToolCall = NO_CALL

    @property
    def now(self) -> datetime:
        """Return the time from which the words of the message are read."""
        return self.turn.message_time

    @property
    def folded_text(self) -> str:
        """Return the words of this request, folded; the message may have others."""
        return self.words.fold(self.words.joint.join(map(self.reading.text_of, self.reading.tokens)))

    @property
    def is_setting(self) -> bool:
        """Return whether the request sets a reminder or a regular summary, and changes none."""
        return self.reading.intent in _SETTING_INTENTS

    @property
    def common_words(self) -> frozenset[str]:
        """Return words that stand beside the name of any reminder."""
        return load_common_words(self.language)

    @property
    def content(self) -> str:
        """Return the content that the words of this request name; "" for none."""
        return extract_content(self.reading, self.words)

    @property
    def last_content(self) -> str:
        """Return the text of the reminder that was set last for this person; "" for none."""
        return "" if self.last_set is None else str(self.last_set.arguments.get("content", ""))

    @property
    def reminders(self) -> tuple[Reminder, ...]:
        """Return the coming reminders of the chat; empty where they were not looked up."""
        return () if self.chat_reminders is None else self.chat_reminders.coming

    @property
    def names_own_one(self) -> bool:
        """Return whether the request is for "mine"."""
        fold = self.words.fold
        return any(fold(piece).strip() in self.words.own_one for piece in self.reading.pieces("REF"))

    def resolve(self, name: str) -> tuple[Reminder, ...]:
        """Return the coming reminders that `name` names; empty for none."""
        return () if self.chat_reminders is None else self.chat_reminders.resolve(name)

    def filter_by_time(self, words: str, among: Sequence[Reminder]) -> tuple[Reminder, ...]:
        """Return those of the coming reminders `among` that come at the time in `words`."""
        return () if self.chat_reminders is None else self.chat_reminders.filter_by_time(words, among)

    def find_closest(self, name: str, others: Iterable[str] = ()) -> Reminder | None:
        """Return the only coming reminder that shares words with `name`, but the common ones and `others`."""
        ignored = self.common_words.union(others)
        return None if self.chat_reminders is None else self.chat_reminders.find_only_closest(name, ignored)

    def read_times(self, text: str, at: datetime | None = None, *, eager: bool = False) -> tuple[TimeReadings, ...]:
        """Read the times in `text` as if it was written at `at`, else as written in this message.

        `eager` accepts weak evidence, as in 12/20.
        """
        return self.times(text, at or self.now, language=self.language, eager=eager)

    def read_only_time(self, text: str) -> Reading | None:
        """Return the only time in `text`; None for none or several."""
        times = self.read_times(text)
        return times[0].best if len(times) == 1 else None

    def list_readings(self, text: str) -> list[Reading]:
        """Return the preferred reading of each time in `text`."""
        return [time.best for time in self.read_times(text) if time.best is not None]

    def names_single_day(self, text: str) -> bool:
        """Return whether a time in `text` has one day and does not repeat."""
        return bool(self.list_days(text))

    def list_days(self, text: str) -> list[date]:
        """Return the days of the times in `text` that have one and do not repeat."""
        return [best.start.date() for best in self.list_readings(text) if names_single_day(best)]

    def list_coming(self, reminder: Reminder, first: date, maximum: int = 1) -> list[datetime]:
        """Return at most `maximum` of the times at which a reminder comes from the day `first` on."""
        return [fire.astimezone(self.now.tzinfo) for fire in fires_from(reminder.schedule, first, self.now, maximum)]

    def read_times_before(self, text: str, first: Reading | None) -> tuple[TimeReadings, ...]:
        """Read the times in `text` as if it was written in front of the `first` time, where that is on a later day."""
        if first is None or first.start.date() <= self.now.date():
            return self.read_times(text)
        return self.read_times(text, first.start - timedelta(minutes=1))

    def parse_time(self, pieces: Sequence[str], at: datetime | None = None) -> TimeWords | None:
        """Return the one coming time that all `pieces` name together as if written at `at`, else in this message."""
        return parse_time(pieces, self.words, lambda text: self.read_times(text, at))

    def parse_times(self, pieces: Sequence[str]) -> list[TimeWords]:
        """Return the times that `pieces` name, as `parse_times` does."""
        return parse_times(pieces, self.words, self.read_times)

    def is_clock(self, pieces: Sequence[str]) -> bool:
        """Return whether `pieces` name a clock without a day together."""
        time = self.parse_time(pieces)
        return time is not None and is_clock_alone(time.best)

    def strip_time_words(self, piece: str) -> str:
        """Return words of time without a preposition in front of them or a particle behind them."""
        return strip_time_words(piece, self.words)

    def strip_leading_word(self, piece: str, leading: Iterable[str]) -> str:
        """Return `piece` without the first of the words `leading` that it begins with."""
        return strip_leading_word(piece, leading, self.words.joint)

    def begins_with(self, piece: str, leading: Iterable[str]) -> bool:
        """Return whether `piece` begins with one of the words `leading`."""
        return self.strip_leading_word(piece, leading) != piece.strip()

    def find_weekdays(self, words: str) -> frozenset[str]:
        """Return the weekdays, as in BYDAY, that `words` name, once or as recurring; empty for anything else."""
        return find_weekdays(words, self.now, self.language, self.times) if words else frozenset()

    def find_recurring_weekdays(self, words: str) -> frozenset[str]:
        """Return the weekdays that `words` name as recurring: those of "Sundays", none of "Sunday"."""
        return find_recurring_weekdays(words, self.now, self.language, self.times) if words else frozenset()

    def names_weekday(self, words: str) -> bool:
        """Return whether `words` name one weekday and at most a clock."""
        return names_weekday(words, self.now, self.language, self.times)

    def parse_length(self, piece: str, start: datetime | None = None) -> timedelta | None:
        """Return the length of time that `piece` names from `start`, else from now: a month has 28 to 31 days."""
        named = self.words.lengths.get(self.words.fold(piece.strip()))
        if named is not None:
            return timedelta(minutes=named)
        length = parse_amount(piece, self.words, self.read_times, start or self.now)
        if length is None and piece.casefold().startswith("the "):
            return parse_amount(f"a {piece[len('the ') :]}", self.words, self.read_times, start or self.now)
        return length

    def parse_amount(self, tag: str) -> timedelta | None:
        """Return the length of time with `tag`; None where there is none, or several."""
        pieces = self.reading.pieces(tag)
        if len(pieces) != 1:
            return None
        directions = (*self.words.earlier, *self.words.later)
        bare = strip_leading_word(pieces[0], directions, self.words.joint)  # 早一个钟
        return self.parse_length(pieces[0]) or self.parse_length(bare)

    def parse_untagged_amount(self) -> timedelta | None:
        """Return the longest length of time that untagged words name; None where they name none."""
        tokens, tags = self.reading.tokens, self.reading.tags
        places = [at for at, tag in enumerate(tags) if tag == NO_TAG and not tokens[at].form.startswith("@")]
        counts = range(_MAX_AMOUNT_TOKENS, 1, -1)  # a figure alone is none
        spans = ((first, first + count - 1) for count in counts for first in places)
        untagged = ((first, last) for first, last in spans if last in places and {*tags[first : last + 1]} == {NO_TAG})
        lengths = (self.parse_length(self.reading.text_of(tokens[first], tokens[last])) for first, last in untagged)
        return next((length for length in lengths if length is not None), None)

    def list_time_spans(self) -> list[tuple[int, int]]:
        """Return the spans of the times to remind, as one where only "and" or a comma is between: "at 5, 6 and 7"."""
        joined: list[tuple[int, int]] = []
        for start, end in self.reading.spans("WHEN"):
            between = self.reading.text[joined[-1][1] : start] if joined else ""
            if joined and between.strip(" ,，、").casefold() in self.words.and_words:
                joined[-1] = (joined[-1][0], end)
            else:
                joined.append((start, end))
        return joined

    def is_listed_number(self, figure: str) -> bool:
        """Return whether `figure` is a number of the list that the person was shown last."""
        shown = () if self.chat_reminders is None else self.chat_reminders.shown.ids
        return figure.isdecimal() and 0 < int(figure) <= len(shown)

    def find_count(self, tags: Collection[str]) -> int:
        """Return the number in the words with one of `tags` that are no time: "skip the next two"; 1 for none."""
        reading, words = self.reading, self.words
        named = [reading.text_of(token) for token, tag in reading.tagged if tag in tags and not is_time(token)]
        counts = (int(word) if word.isdecimal() else words.counts.get(words.fold(word), 0) for word in named)
        return next((count for count in counts if count), 1)

    def has_word(self, words: tuple[str, ...] | frozenset[str]) -> bool:
        """Return whether the request has one of `words` as a token, or as characters where words have no spaces."""
        forms = self.words.joint.join(self.reading.forms)
        return self.words.has_any(words, forms if self.words.joint else self.folded_text)

    def has_phrase(self, phrases: Iterable[str]) -> bool:
        """Return whether the text of the request, with its times, has one of `phrases` as whole words."""
        return self.words.has_any(phrases, self.folded_text)

    def has_part(self, parts: Iterable[str]) -> bool:
        """Return whether the text of the request has one of `parts`, also within a word."""
        return any(part in self.folded_text for part in parts)

    def is_member(self, name: str) -> bool:
        """Return whether `name` is that of somebody who has written lately in the chat."""
        return self.words.fold(name.removeprefix("@")) in map(self.words.fold, find_members(self.turn))

    def find_members_named(self) -> str:
        """Return the members of the chat whom the request names, with " & " between them; "" for none."""
        return " & ".join(list_named(find_members(self.turn), self.folded_text, self.words))

    def with_reading(self, reading: MessageReading) -> "RequestContext":
        """Return the request with its words read otherwise; the same one where nothing is."""
        return self if reading == self.reading else replace(self, reading=reading)

    def with_tags(self, tags: Iterable[str]) -> "RequestContext":
        """Return the request with other tags of its words."""
        return self.with_reading(self.reading.with_tags(tags))

    def retag(self, old: str, new: str) -> "RequestContext":
        """Return the request with the tag `new` for the words with the tag `old`."""
        return self.with_tags(new if tag == old else tag for tag in self.reading.tags)


def cache_per_request(find: Callable[[RequestContext], Found]) -> Callable[[RequestContext], Found]:
    """Return `find` with its result, which depends on the request alone, cached in the request."""

    @wraps(find)
    def find_cached(request: RequestContext) -> Found:
        cache: dict[str, Found] = vars(request)
        if find.__name__ not in cache:
            cache[find.__name__] = find(request)
        return cache[find.__name__]

    return find_cached
