"""Let the time that somebody says last take the place of the one before: "at 5, no, at 6"."""

import re
from datetime import datetime

from msgspec.structs import replace

from function_calls.understanding.blanks import Blanked, blank_out, has_words
from function_calls.understanding.pack import LanguagePack
from function_calls.understanding.templates import BLANK
from function_calls.understanding.time_words import TimeReader, TimeWords, find_times
from services.time_expressions import Reading

_CLOCK = re.compile(r"BYHOUR=[\d,]+;BYMINUTE=[\d,]+")
_BLANK = re.compile(BLANK)


def corrected(clause: Blanked, now: datetime, pack: LanguagePack, read: TimeReader) -> Blanked:
    """`clause` without the times that were taken back.

    The correction stands right behind the time that it replaces, or at the end of the sentence.
    """
    found = pack.correction.search(pack.fold(clause.text)) if clause.times else None
    before = [] if found is None else list(_BLANK.finditer(clause.text, 0, found.start()))
    if found is None or not before:
        return clause
    is_near = not has_words(clause.text[before[-1].end() : found.start()])
    if not is_near and has_words(clause.text[found.end() :]):
        return clause
    (owner,) = clause.owners_in(before[-1][0])
    time = _instead(clause.times[owner], _named(found, clause, now, pack, read))
    if time is None:
        return clause
    return Blanked(
        text=clause.text[: found.start()] + clause.text[found.end() :],
        words=tuple(
            time.words if of == owner else words for of, words in zip(clause.owners, clause.words, strict=True)
        ),
        owners=clause.owners,
        times=(*clause.times[:owner], time, *clause.times[owner + 1 :]),
    )


def corrected_times(text: str, now: datetime, pack: LanguagePack, read: TimeReader) -> tuple[TimeWords, ...] | None:
    """The times of a text that takes one back, without that; None for a text that does not."""
    if not pack.afresh.search(pack.fold(text)):
        return None
    plain = blank_out(text, find_times(text, now, pack, read))
    clause = corrected(plain, now, pack, read)
    return None if clause is plain else tuple(clause.times[owner] for owner in clause.owners_in(clause.text))


def _named(
    found: re.Match[str], clause: Blanked, now: datetime, pack: LanguagePack, read: TimeReader
) -> TimeWords | None:
    """The time that is meant instead; a bare figure is a clock time."""
    if found["blank"]:
        return clause.times[clause.owners_in(found["blank"])[0]]
    expressions = read(pack.data.clock.format(time=found["figure"]), now, language=pack.language)
    if len(expressions) != 1:
        return None
    return TimeWords(words=found["figure"], spans=(), readings=expressions[0].readings)


def _instead(old: TimeWords, new: TimeWords | None) -> TimeWords | None:
    """`new` in the place of `old`; a new clock keeps the old day, or the old repetition."""
    if new is None or new.best is None:
        return None
    day = old.best
    if day is None or new.best.has_day or not day.has_day or not new.best.has_clock:
        return replace(new, spans=old.spans)
    readings = tuple(at_clock(day, reading) for reading in new.readings)
    return replace(new, spans=old.spans, readings=readings)


def at_clock(day: Reading, clock: Reading) -> Reading:
    """`day`, or the repetition that it is, at the time of `clock`."""
    at = clock.start
    rule = day.rrule and _CLOCK.sub(f"BYHOUR={at.hour};BYMINUTE={at.minute}", day.rrule)
    start = day.start.replace(hour=at.hour, minute=at.minute, second=at.second)
    return day._replace(start=start, rrule=rule, has_clock=True, grain=clock.grain)
