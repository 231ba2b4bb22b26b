"""Check a model's time against the person's own words, since models make mistakes in calendar arithmetic."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta, tzinfo
from functools import partial
from itertools import chain, combinations
from typing import Final

from msgspec import Struct

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.understanding.answers import is_choice
from function_calls.understanding.blanks import blank_out, has_words
from function_calls.understanding.carried_days import halves, on_their_days
from function_calls.understanding.clauses import tidy
from function_calls.understanding.corrections import at_clock, corrected_times
from function_calls.understanding.pack import LanguagePack, language_of, load_pack
from function_calls.understanding.same_time import without_same_time
from function_calls.understanding.several_times import completed, with_listed_clocks
from function_calls.understanding.time_words import TimeWords, find_times, in_the_morning, joined, without_owners
from services.recurrence.edits import clamp_to_month_end
from services.recurrence.fires import next_fires
from services.recurrence.schedule import Schedule, read_schedule
from services.time_expressions import Grain, Reading, TimeReader, TimeReadings

_COMPARED_FIRES = 5
_CLOCKLESS = {Grain.DAY, Grain.WEEK, Grain.MONTH, Grain.QUARTER, Grain.YEAR}
_SAME = timedelta(minutes=1)
_MOST_JOINED = 4
_USUAL = TimeReader()
_CALLED = re.compile(r"^\s*(?:@[^\s,:，：]+[\s,:，：]*|\w+[,:，：]\s*)")
# "Ten minutes before the meeting at two": the words name the event's time, and the reminder's by subtraction.
_RELATIVE = re.compile(r"\b(before|beforehand|ahead|earlier|prior|in advance)\b|提前|之前|以前", re.IGNORECASE)


# The reminder's own clock: "remind me again tomorrow, same time".
SAME_TIME: Final = re.compile(
    r"\bsame (?:time|hour)\b|(?:同一个?|同样的?|相同的?)(?:时间|时候|钟点|時間|時候)", re.IGNORECASE
)


class Verdict(Struct, frozen=True, kw_only=True):
    """The result of the comparison: the schedule to use, or the schedules for the person to choose from.

    `is_named` is False where the words name no time, so that the schedule is the model's alone.
    """

    schedule: Schedule
    choices: tuple[Schedule, ...] = ()
    is_named: bool = True


def cross_check(
    proposed: Schedule,
    words: str,
    *,
    now: datetime,
    zone: tzinfo,
    language: str,
    times: TimeReader = _USUAL,
    own: TimeWords | None = None,
) -> Verdict:
    """Compare `proposed` with the times in `words`, the part of a message that it is about; `times` reads them.

    `own` is the one of these times that belongs to it, where they are those of several reminders.

    Words that name no time, a time that fits, or a time relative to another leave the proposal, and so does the answer
    to a question: a clock that stands alone names no day, for that was named before. What is wanted at another hour as
    well ("also at 9pm") may come as often as what was set before. Words with one clear time overrule
    it; words that can be read in several ways, none of them the proposal, are asked about.
    """
    pack = load_pack(language_of(words, language))
    if is_choice(words, pack):
        return Verdict(schedule=proposed)
    words = tidy(words, pack)  # with typos corrected: "evry day" names no time
    words = without_same_time(words, pack)
    words = without_owners(words, pack, partial(times.parse_all, now=now.astimezone(zone), language=language))
    found = _times_in(words, now.astimezone(zone), language, times)
    apart = [each.readings for each in found]
    listed = _listed_in(words, now.astimezone(zone), language, times)
    named = [(_words_of(each), each.readings) for each in found]
    carried = on_their_days(named, now.astimezone(zone))
    joint = _joined_in(words, now.astimezone(zone), pack, times)
    readings = tuple(chain.from_iterable((*apart, *carried, *listed, *joint, _beside_events(named))))
    if proposed.rule is not None and _is_as_often(
        proposed, _mask(words, now.astimezone(zone), pack, times), readings, pack
    ):
        return Verdict(schedule=proposed)
    is_relative = _RELATIVE.search(words) or pack.lead.search(pack.fold(words))
    if own is not None and not is_relative:
        return _with_own(proposed, own, now)
    if not readings:
        return Verdict(schedule=proposed, is_named=False)
    if is_relative or any(_fits(proposed, reading, now) for reading in readings):
        return Verdict(schedule=proposed)
    if _is_only_a_clock(words, found, pack) and any(_has_its_clock(proposed, each) for each in readings):
        return Verdict(schedule=proposed)
    meant = tuple(_schedule(each.readings[0], proposed.zone, now) for each in found if each.readings)
    if len(meant) == 1 and _is_clear(found, readings[0]):
        return Verdict(schedule=meant[0])
    return Verdict(schedule=proposed, choices=(*meant, proposed))


def _mask(words: str, now: datetime, pack: LanguagePack, times: TimeReader) -> str:
    return blank_out(words, find_times(words, now, pack, times.parse_all)).text


def _is_as_often(proposed: Schedule, words: str, readings: Sequence[Reading], pack: LanguagePack) -> bool:
    """Return whether a message asks for the same at the clock of `proposed` too, and names clocks only."""
    said = pack.fold(_CALLED.sub("", words))
    is_alike = pack.alike.search(said) is not None and pack.just_once.search(said) is None
    is_clock = all(each.has_clock and not (each.has_day or each.rrule) for each in readings)
    return is_alike and is_clock and any(each.start.time() == proposed.start.time() for each in readings)


def _is_only_a_clock(words: str, found: Sequence[TimeReadings], pack: LanguagePack) -> bool:
    """Return whether a message is only a clock with words that go with answers: "make it 6:15"."""
    best = found[0].best if len(found) == 1 else None
    if best is None or best.has_day or best.rrule is not None or not best.has_clock or len(best.spans) != 1:
        return False
    start, end = best.spans[0]
    front, behind = pack.fold(_CALLED.sub("", words[:start])), pack.fold(words[end:])
    while has_words(front + behind):
        shorter = pack.answering.compiled.sub("", front), pack.answering.compiled.sub("", behind)
        if shorter == (front, behind):
            return False
        front, behind = shorter
    return True


def _has_its_clock(proposed: Schedule, reading: Reading) -> bool:
    """Return whether the proposal is one time at the named clock, in either half of the day."""
    return proposed.rule is None and any(half.start.time() == proposed.start.time() for half in halves(reading))


def _with_own(proposed: Schedule, own: TimeWords, now: datetime) -> Verdict:
    """Return the proposal for one of several reminders with the time named for it."""
    is_open = is_clock_without_half(own.words)
    either = [half for each in own.readings for half in halves(each)] if is_open else []
    if any(_fits(proposed, reading, now) for reading in (*own.readings, *either)):
        return Verdict(schedule=proposed)
    meant = _schedule(own.readings[0], proposed.zone, now)
    if not own.is_ambiguous:
        return Verdict(schedule=meant)
    return Verdict(schedule=proposed, choices=(meant, proposed))


def _beside_events(named: Sequence[tuple[str, tuple[Reading, ...]]]) -> tuple[Reading, ...]:
    """Combine each clock with the day or times named beside it: "standup is every day at 10, … at 9:45"."""
    bests = [(words, readings[0]) for words, readings in named if readings]
    events = [best for _, best in bests if best.has_day or best.rrule]
    clocks = [(words, best) for words, best in bests if best.has_clock and not (best.has_day or best.rrule)]
    return tuple(
        at_clock(event, half)
        for event in events
        for words, clock in clocks
        for half in (halves(clock) if is_clock_without_half(words) else (clock,))
    )


def _words_of(found: TimeReadings) -> str:
    spans = found.best.spans if found.best is not None else ()
    return " ".join(found.text[start:end] for start, end in spans)


def _times_in(words: str, now: datetime, language: str, times: TimeReader) -> tuple[TimeReadings, ...]:
    """Return the times of a message; of a corrected one ("at 5, no, at 6") the corrected times."""
    left = corrected_times(words, now, load_pack(language_of(words, language)), times.parse_all)
    if left is not None:
        return tuple(TimeReadings(text=words, readings=each.readings, ambiguous=each.is_ambiguous) for each in left)
    return times.parse_all(words, now, language=language) or times.parse_all(words, now)


def _listed_in(words: str, now: datetime, language: str, times: TimeReader) -> Iterator[tuple[Reading, ...]]:
    """Yield the times of a list with the day completed: "at 5, 6 and 7 tomorrow".

    Alarms are meant in the morning.
    """
    pack = load_pack(language_of(words, language))
    if pack.afresh.search(words):
        return
    found = find_times(words, now, pack, times.parse_all)
    yield from (each.readings for each in completed(with_listed_clocks(found, words, now, pack, times.parse_all)))
    early = (in_the_morning(each, words, now, pack, times.parse_all) for each in found)
    yield from (each.readings for each in early if each is not None)


def _joined_in(words: str, now: datetime, pack: LanguagePack, times: TimeReader) -> Iterator[tuple[Reading, ...]]:
    """Read two times that stand apart as one: "on the last day of the month …, every month"."""
    found = find_times(words, now, pack, times.parse_all)[:_MOST_JOINED]
    for first, second in combinations(found, 2):
        one = joined(first, second, now, pack, times.parse_all)
        if one is not None:
            yield one.readings


def _is_clear(found: Sequence[TimeReadings], reading: Reading) -> bool:
    """Return whether there is one contiguous expression with one reading."""
    return not any(each.ambiguous for each in found) and len(reading.spans) == 1


def _fits(proposed: Schedule, reading: Reading, now: datetime) -> bool:
    """Return whether the proposal matches the words as exactly as they are: "tomorrow" leaves the clock open."""
    if (proposed.rule is not None) != bool(reading.rrule):
        return False
    spoken = _schedule(reading, proposed.zone, now)
    if reading.grain in _CLOCKLESS and not reading.has_clock:
        return proposed.start.date() == spoken.start.date()
    if not reading.rrule:
        return abs(proposed.start - spoken.start) < _SAME
    return next_fires(proposed, now, _COMPARED_FIRES) == next_fires(spoken, now, _COMPARED_FIRES)


def _schedule(reading: Reading, zone: str, now: datetime) -> Schedule:
    return clamp_to_month_end(read_schedule(reading.wall, zone, reading.rrule or ""), now)
