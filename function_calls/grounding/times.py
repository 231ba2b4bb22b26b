"""Compare a model's time with the times that a message names, since models make mistakes in calendar arithmetic."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta, tzinfo
from itertools import chain
from typing import Final

from msgspec import Struct

from function_calls.language.recognized_phrases import change_words, folded, is_clock_without_half
from function_calls.understanding.reading.lexicon import detect_language, load_lexicon
from function_calls.understanding.reading.times import carry_days, list_halves, set_clock
from services.recurrence.edits import clamp_to_month_end
from services.recurrence.fires import next_fires
from services.recurrence.schedule import Schedule, read_schedule
from services.time_expressions import Grain, Reading, TimeReader, TimeReadings

_COMPARED_FIRES: Final = 5
_CLOCKLESS: Final = {Grain.DAY, Grain.WEEK, Grain.MONTH, Grain.QUARTER, Grain.YEAR}
_SAME: Final = timedelta(minutes=1)
_HALF_DAY: Final = timedelta(hours=12)
_FEW_WORDS: Final = 3
_WORD: Final = re.compile(r"[a-z]+|[\u3400-\u9fff]{1,2}", re.IGNORECASE)


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
    times: TimeReader,
    own: Sequence[Schedule] = (),
) -> Verdict:
    """Compare `proposed` with the times in `words`, the message; `own` are the schedules that the rules read there.

    Words that name no time, a time that fits, or a time relative to another leave the proposal, and so does the answer
    to a question: a clock that stands alone names no day, for that was named before. What is wanted at another hour as
    well ("also at 9pm") may come as often as what was set before. Words with one clear time overrule it; words that
    can be read in several ways, none of them the proposal, are asked about.
    """
    words = without_same_time(words, language)
    local = now.astimezone(zone)
    found = times.parse_all(words, local, language=language) or times.parse_all(words, local)
    named = [(_words_of(each), each.readings) for each in found]
    carried = carry_days(named, local)
    readings = tuple(chain(*(each.readings for each in found), *carried, _beside_events(named)))
    if own and _is_corrected(words, language):
        readings = ()
    if not readings and not own:
        return Verdict(schedule=proposed, is_named=False)
    fits = any(_fits(proposed, reading, now) for reading in readings)
    is_own = any(_equal(proposed, each, now) for each in own)
    if fits or is_own or change_words().relative.search(words) or _is_as_often(proposed, words, readings):
        return Verdict(schedule=proposed)
    if not own and _is_answer(words, found) and all(_has_its_clock(proposed, each) for each in found):
        return Verdict(schedule=proposed)
    meant = own or tuple(_schedule(each.readings[0], proposed.zone, now) for each in found if each.readings)
    if len(meant) == 1 and (own or _is_clear(found, readings[0])):
        return Verdict(schedule=meant[0])
    return Verdict(schedule=proposed, choices=(*meant, proposed))


def without_same_time(words: str, language: str) -> str:
    """Return `words` without "the same time", which means the clock of a reminder."""
    return load_lexicon(detect_language(words, language)).strip_same_time(words)


def compare_with_one(proposed: Schedule, own: Schedule, words: str, now: datetime) -> Verdict:
    """Compare the proposal for one of several reminders with the time that the rules read for it in `words`."""
    is_half = own.rule is None and proposed.rule is None and abs(own.start - proposed.start) == _HALF_DAY
    if change_words().relative.search(words) or is_half or _equal(proposed, own, now):
        return Verdict(schedule=proposed)
    return Verdict(schedule=own)


def _is_corrected(words: str, language: str) -> bool:
    """Return whether a message takes a time back: "at 5, no, at 6"."""
    corrections = load_lexicon(detect_language(words, language)).corrections
    plain = folded(words)
    return any(re.search(rf"\b{word}\b" if word.isascii() else word, plain) for word in corrections)


def _is_as_often(proposed: Schedule, words: str, readings: Sequence[Reading]) -> bool:
    """Return whether a message asks for the same at the clock of `proposed` too, and names clocks only."""
    if proposed.rule is None or change_words().also.search(words) is None or change_words().once.search(words):
        return False
    is_clock = all(each.has_clock and not (each.has_day or each.rrule) for each in readings)
    return is_clock and any(each.start.time() == proposed.start.time() for each in readings)


def _is_answer(words: str, found: Sequence[TimeReadings]) -> bool:
    """Return whether a message is one time with a few words around it, such as the answer "make it 6:15"."""
    best = found[0].best if len(found) == 1 else None
    if best is None or best.rrule is not None or (best.has_day and best.has_clock):
        return False
    covered = {at for start, end in best.spans for at in range(start, end)}
    rest = "".join(" " if at in covered else letter for at, letter in enumerate(words))
    return len(_WORD.findall(rest)) <= _FEW_WORDS


def _has_its_clock(proposed: Schedule, found: TimeReadings) -> bool:
    """Return whether the proposal is one time at the named clock, if there is one, in either half of the day."""
    clocks = [half.start.time() for reading in found.readings if reading.has_clock for half in list_halves(reading)]
    return proposed.rule is None and (not clocks or proposed.start.time() in clocks)


def _beside_events(named: Sequence[tuple[str, tuple[Reading, ...]]]) -> tuple[Reading, ...]:
    """Combine each clock with the day or times named beside it: "standup is every day at 10, … at 9:45"."""
    bests = [(words, readings[0]) for words, readings in named if readings]
    events = [best for _, best in bests if best.has_day or best.rrule]
    clocks = [(words, best) for words, best in bests if best.has_clock and not (best.has_day or best.rrule)]
    return tuple(
        set_clock(event, half)
        for event in events
        for words, clock in clocks
        for half in (list_halves(clock) if is_clock_without_half(words) else (clock,))
    )


def _words_of(found: TimeReadings) -> str:
    spans = found.best.spans if found.best is not None else ()
    return " ".join(found.text[start:end] for start, end in spans)


def _is_clear(found: Sequence[TimeReadings], reading: Reading) -> bool:
    """Return whether there is one contiguous expression with one reading."""
    return not any(each.ambiguous for each in found) and len(reading.spans) == 1


def _fits(proposed: Schedule, reading: Reading, now: datetime) -> bool:
    """Return whether the proposal matches the words as exactly as they are: "tomorrow" leaves the clock open."""
    if (proposed.rule is not None) != bool(reading.rrule):
        return False
    named = _schedule(reading, proposed.zone, now)
    if reading.grain in _CLOCKLESS and not reading.has_clock:
        return proposed.start.date() == named.start.date()
    return _equal(proposed, named, now)


def _equal(proposed: Schedule, named: Schedule, now: datetime) -> bool:
    """Return whether two schedules fire at the same times."""
    if (proposed.rule is None) != (named.rule is None):
        return False
    if named.rule is None:
        return abs(proposed.start - named.start) < _SAME
    return next_fires(proposed, now, _COMPARED_FIRES) == next_fires(named, now, _COMPARED_FIRES)


def _schedule(reading: Reading, zone: str, now: datetime) -> Schedule:
    return clamp_to_month_end(read_schedule(reading.wall, zone, reading.rrule or ""), now)
