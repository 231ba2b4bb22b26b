"""Find the words of a sentence that name a time: those a clock can read, and those it cannot."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import chain
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from function_calls.understanding.impossible_times import impossible_times
from function_calls.understanding.pack import LanguagePack
from services.time_expressions import MOST_EFFORT, Reading, TimeReadings, is_effort_spent, spend_effort

Span = tuple[int, int]

_FIRST_HOUR_UP = 5
_HALF_DAY = 12
_CHARACTERS_A_UNIT = 5
_MOST_TIMES = 20
"""Times in one text; nobody who wants something names more."""
_MOST_LOOSE = 24
"""Lengths of time and times that no clock knows which are read in one text."""


class TimeReader(Protocol):
    """Reads every separate time expression of a text; `services.time_expressions.parse_all` is one."""

    def __call__(self, text: str, now: datetime, *, language: str | None = None) -> tuple[TimeReadings, ...]:
        """Return the expressions in order; `now` is timezone-aware."""
        ...


class TimeWords(Struct, frozen=True, kw_only=True):
    """Words that name a time.

    Attributes:
        words: As written, the parts joined by spaces.
        spans: Where they stand in the sentence.
        readings: What they may mean, best first; empty when no clock knows ("later", "when I get home").
        is_ambiguous: Two readings differ, and the person should be asked.
        lead: For "30 minutes before": how long ahead of something else.
        is_impossible: There is no such time ("30 February").
    """

    words: str
    spans: tuple[Span, ...]
    readings: tuple[Reading, ...] = ()
    is_ambiguous: bool = False
    lead: timedelta | None = None
    is_impossible: bool = False

    @property
    def best(self) -> Reading | None:
        """The preferred reading, if there is one."""
        return self.readings[0] if self.readings else None


def find_times(text: str, now: datetime, pack: LanguagePack, read: TimeReader) -> tuple[TimeWords, ...]:
    """Every time named in `text`, in order; no two share a character."""
    if is_effort_spent():
        return ()
    spend_effort(len(text) // _CHARACTERS_A_UNIT)
    leads = list(_leads(text, pack))
    reader = partial(read, now=now, language=pack.language)
    plain = without_owners(_as_read(text, pack), pack, reader)
    found = list(_read(text, reader(plain)))
    torn = [span for lead in leads for span in lead.spans if any(span[0] < start < span[1] for start in _starts(found))]
    if torn:  # 前一天晚上八点: a day before something, and a clock
        found = list(_read(text, reader(_without(plain, torn))))
    found = [words for words in found if not _is_part_of(words.spans, leads)]
    loose = (*leads, *_lengths(text, now, pack, read), *_vague(text, pack))
    for words in loose[:_MOST_LOOSE]:
        found = [each for each in found if not _is_vaguer(words, each)]
        if not any(_overlap(span, taken) for span in words.spans for each in found for taken in each.spans):
            found.append(words)
    for words in _impossible(text, plain, found, reader):
        found = [each for each in found if not any(_overlap(span, words.spans[0]) for span in each.spans)] + [words]
    if len(found) > _MOST_TIMES:  # the work of the sentence patterns grows with the fourth power of their number
        spend_effort(MOST_EFFORT)
        return ()
    return tuple(sorted(found, key=lambda words: words.spans))


def without_owners(text: str, pack: LanguagePack, read: Callable[[str], Sequence[TimeReadings]]) -> str:
    """`text`, letter for letter as long, without the week that something is of, where another time is named."""
    plain = pack.owning.sub(_cover, text)
    return plain if plain != text and read(plain) else text


def repeated(time: TimeWords, now: datetime, pack: LanguagePack, read: TimeReader) -> TimeWords | None:
    """The repetition that is meant by "a recurring reminder for Friday at five"."""
    words = pack.timed_words.sub("", time.words)
    for template in pack.data.every:
        expressions = read(template.format(time=words), now, language=pack.language)
        if len(expressions) == 1 and (best := expressions[0].best) is not None and best.rrule and best.coverage >= 1:
            return replace(time, readings=expressions[0].readings, is_ambiguous=expressions[0].ambiguous)
    return None


def in_the_morning(time: TimeWords, text: str, now: datetime, pack: LanguagePack, read: TimeReader) -> TimeWords | None:
    """The time that is meant by "wake me at seven", where `text` speaks of what people do in the morning."""
    folded = pack.fold(text)
    data = next((data for words, data in pack.mornings if words.search(folded)), None)
    if data is None or time.best is None or not time.best.has_clock:
        return None
    if data.is_likely and time.best.start.hour < _FIRST_HOUR_UP + _HALF_DAY:
        return None
    expressions = read(data.said.format(time=time.words), now, language=pack.language)
    if len(expressions) != 1 or not expressions[0].readings or expressions[0].readings[0].coverage < 1:
        return None
    if not _is_same_figure(time.best, expressions[0].readings[0]):  # every two hours is no hour of the morning
        return None
    if data.is_likely:
        return _or_in_the_morning(time, time.best, expressions[0].readings[0])
    return replace(time, readings=expressions[0].readings, is_ambiguous=expressions[0].ambiguous)


def _is_same_figure(one: Reading, other: Reading) -> bool:
    return (one.start.hour - other.start.hour) % _HALF_DAY == 0 and one.start.minute == other.start.minute


def _or_in_the_morning(time: TimeWords, usual: Reading, morning: Reading) -> TimeWords | None:
    """A time of which either reading may be meant; None where nobody is up by then, or the hour is marked."""
    early, late = morning.start.time(), usual.start.time()
    if early.hour < _FIRST_HOUR_UP or early.replace(hour=(early.hour + _HALF_DAY) % 24) != late:
        return None
    both = sorted((usual, morning), key=lambda reading: reading.start)
    return replace(time, readings=tuple(both), is_ambiguous=True)


def joined(
    first: TimeWords, second: TimeWords, now: datetime, pack: LanguagePack, read: TimeReader
) -> TimeWords | None:
    """Two expressions as one, "tomorrow" and "at 5", if together they are a single time."""
    if first.best is None or second.best is None or (first.best.has_clock and second.best.has_clock):
        return None
    if _are_apart(first.best, second.best) or _are_apart(second.best, first.best):
        return None
    for text in (f"{first.words} {second.words}", f"{second.words} {first.words}"):
        expressions = read(text, now, language=pack.language)
        if len(expressions) == 1 and expressions[0].best is not None and expressions[0].best.coverage >= 1:
            return TimeWords(
                words=text,
                spans=(*first.spans, *second.spans),
                readings=expressions[0].readings,
                is_ambiguous=expressions[0].ambiguous,
            )
    return None


def _are_apart(moment: Reading, day: Reading) -> bool:
    """Whether `moment` has a day and a clock, and `day` is another day: 周四下午4点提醒我周五前发合同."""
    is_moment = moment.has_day and moment.has_clock and moment.rrule is None
    return is_moment and day.has_day and day.rrule is None


def _is_vaguer(words: TimeWords, other: TimeWords) -> bool:
    """Whether `words` say of what `other` reads that no clock knows it: "daily" of 每天饭后半小时."""
    (start, end), best = words.spans[0], other.best
    is_open = not words.readings and words.lead is None and best is not None and bool(best.rrule or not best.has_clock)
    is_wider = all(start <= first and last <= end for first, last in other.spans)
    return is_open and is_wider and len(other.spans) == 1 and other.spans[0] != (start, end)


def _starts(found: Sequence[TimeWords]) -> Iterator[int]:
    return (start for words in found for start, end in words.spans)


def _without(text: str, spans: Sequence[Span]) -> str:
    for start, end in spans:
        text = f"{text[:start]}{'，' * (end - start)}{text[end:]}"
    return text


def _read(text: str, expressions: Sequence[TimeReadings]) -> Iterator[TimeWords]:
    for expression in expressions:
        readings = expression.readings or expression.past[:1]
        if readings and readings[0].spans:
            spans = readings[0].spans
            yield TimeWords(
                words=" ".join(text[start:end] for start, end in spans),
                spans=spans,
                readings=readings,
                is_ambiguous=expression.ambiguous,
            )


def _as_read(text: str, pack: LanguagePack) -> str:
    """`text` folded, letter for letter as long, with what only looks like a time covered up."""
    covered = pack.not_time.sub(_cover, pack.fold(text))
    if pack.odd.search(covered):
        for pattern, replacement in pack.read_as:
            covered = pattern.sub(replacement, covered)
    return covered


def _cover(match: re.Match[str]) -> str:
    return "".join("x" if letter.isalnum() else letter for letter in match[0])


def _leads(text: str, pack: LanguagePack) -> Iterator[TimeWords]:
    for match in pack.lead.finditer(pack.fold(text)):
        number, unit = filter(None, match.groups())
        yield TimeWords(words=text[slice(*match.span())], spans=(match.span(),), lead=pack.lead_time(number, unit))


def _lengths(text: str, now: datetime, pack: LanguagePack, read: TimeReader) -> Iterator[TimeWords]:
    """Amounts of time that say when: those of timers."""
    folded = pack.fold(text)
    for match in chain.from_iterable(pattern.finditer(folded) for pattern in pack.lengths):
        span = match.span("span")
        expressions = read(pack.data.from_now.format(span=match["span"]), now, language=pack.language)
        if len(expressions) == 1:
            yield TimeWords(words=text[slice(*span)], spans=(span,), readings=expressions[0].readings)


def _vague(text: str, pack: LanguagePack) -> Iterator[TimeWords]:
    for match in pack.vague.finditer(pack.fold(text)):
        yield TimeWords(words=text[slice(*match.span())], spans=(match.span(),))


def _impossible(
    text: str, plain: str, found: Sequence[TimeWords], read: Callable[[str], Sequence[TimeReadings]]
) -> Iterator[TimeWords]:
    taken = [span for words in found for span in words.spans]
    for start, end in impossible_times(plain, taken, read):
        yield TimeWords(words=text[start:end], spans=((start, end),), is_impossible=True)


def _is_part_of(spans: tuple[Span, ...], leads: list[TimeWords]) -> bool:
    return any(all(lead.spans[0][0] <= start and end <= lead.spans[0][1] for start, end in spans) for lead in leads)


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]
