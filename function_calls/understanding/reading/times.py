"""The times that the words of a message name, and how several of them fit together."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.understanding.reading.tokens import TimeReader
from services.time_expressions import Reading

_HALF_DAY = 12
_CLOCK_AHEAD = re.compile(r"\D{0,3}\d")
"""The beginning of a time that names its clock before its day: "at 6 tomorrow"."""
_PICKED = frozenset({"BYHOUR", "BYMINUTE", "BYSETPOS"})


class TimeWords(Struct, frozen=True, kw_only=True):
    """Words that name a time.

    Attributes:
        words: As written, the parts joined by spaces.
        readings: Their possible times, best first; empty for words without a clock time ("later").
        is_ambiguous: Two readings differ, and the person should be asked.
    """

    words: str
    readings: tuple[Reading, ...] = ()
    is_ambiguous: bool = False

    @property
    def best(self) -> Reading | None:
        """Return the preferred reading, if there is one."""
        return self.readings[0] if self.readings else None


def whole_time(words: str, now: datetime, language: str, read: TimeReader) -> Reading | None:
    """Return the time that `words` name; None where they name none, several, or something else as well."""
    found = read(words, now, language=language)
    best = found[0].best if len(found) == 1 else None
    if best is None:
        return None
    beside = (letter for at, letter in enumerate(words) if not any(start <= at < end for start, end in best.spans))
    return None if any(map(str.isalnum, beside)) else best


def completed(times: Sequence[TimeWords]) -> list[TimeWords]:
    """Return `times` completed by the last one: "on tuesday and thursday at 5pm", "at 5 and 6 tomorrow"."""
    last = times[-1].best if times else None
    if last is None or not last.has_clock or last.rrule:
        return list(times)
    on_time = [_at_the_clock_of(last, time) for time in times]
    return [_on_the_day_of(last, time) for time in on_time] if _CLOCK_AHEAD.match(times[-1].words) else on_time


def apart(time: TimeWords) -> list[TimeWords]:
    """Return `time`, or one for each of its clock times where these are picked out of more: "at 9:15 and at 17:45"."""
    best = time.best
    parts = dict(part.split("=", 1) for part in (best.rrule or "").split(";") if "=" in part) if best else {}
    if best is None or parts.get("FREQ") == "MONTHLY" or not parts.keys() >= _PICKED:
        return [time]  # of a month, it is days that are picked: "on the last workday at 4pm"
    return [replace(time, readings=(one,)) for one in _each_clock(best, parts)]


def on_day(reading: Reading, day: date) -> Reading:
    """Return `reading` at its clock time on `day`; its end is as long after its start as before."""
    start = reading.start.replace(year=day.year, month=day.month, day=day.day)
    return reading._replace(start=start, end=reading.end and start + (reading.end - reading.start))


def at_clock(day: Reading, clock: Reading) -> Reading:
    """Return `day`, or the repetition that it is, at the time of `clock`."""
    at = clock.start
    parts = (day.rrule or "").split(";")
    replaced = ("BYHOUR", "BYMINUTE") if "FREQ=MONTHLY" in parts or "FREQ=YEARLY" in parts else tuple(_PICKED)
    kept = [part for part in parts if part and not part.startswith(replaced)]
    rule = ";".join([*kept, f"BYHOUR={at.hour}", f"BYMINUTE={at.minute}"]) if day.rrule else None
    start = day.start.replace(hour=at.hour, minute=at.minute, second=at.second)
    return day._replace(start=start, rrule=rule, has_clock=True, grain=clock.grain)


def halves(reading: Reading) -> tuple[Reading, ...]:
    """Return `reading` in the morning and in the evening of its day."""
    hour = reading.start.hour % _HALF_DAY
    return tuple(
        reading._replace(start=reading.start.replace(hour=each), end=None) for each in (hour, hour + _HALF_DAY)
    )


def _at_the_clock_of(last: Reading, time: TimeWords) -> TimeWords:
    day = time.best
    if day is None or day.has_clock or day.part or day.rrule or not day.has_day:
        return time
    start = day.start.replace(hour=last.start.hour, minute=last.start.minute)
    return replace(time, readings=(day._replace(start=start, has_clock=True, grain=last.grain),))


def _on_the_day_of(last: Reading, time: TimeWords) -> TimeWords:
    clock = time.best
    if clock is None or not clock.has_clock or clock.rrule or clock.has_day or not last.has_day:
        return time
    moved = (on_day(each, last.start.date()) for each in time.readings)
    return replace(time, readings=tuple(each._replace(has_day=True) for each in moved))


def _each_clock(reading: Reading, parts: dict[str, str]) -> Iterator[Reading]:
    hours, minutes, places = ([int(number) for number in parts.pop(name).split(",")] for name in sorted(_PICKED))
    clocks = list(product(hours, minutes))
    bare = ";".join(f"{name}={value}" for name, value in parts.items())
    for hour, minute in (clocks[place - 1] for place in places):
        start = reading.start.replace(hour=hour, minute=minute)
        start = start if start >= reading.start else start + timedelta(days=1)
        yield reading._replace(start=start, rrule=f"{bare};BYHOUR={hour};BYMINUTE={minute}")


def on_their_days(times: Iterable[tuple[str, tuple[Reading, ...]]], now: datetime) -> Iterator[tuple[Reading, ...]]:
    """Yield the readings of the times of one message; those that name no day are on the one named last.

    `now` is timezone-aware. A time that would be over by then stays as it was read. Of an hour that leaves open which
    half of the day is meant, the first after the time before is: "wake me at 7am tomorrow, and at 8 remind me to eat".
    """
    before: Reading | None = None
    for words, readings in times:
        told = readings
        if readings and readings[0].rrule is None and not readings[0].has_day and before is not None:
            moved = tuple(on_day(reading, before.start.date()) for reading in readings)
            is_open = before.has_clock and is_clock_without_half(words)
            moved = _halves_after(before, moved) if is_open else moved
            told = tuple(reading for reading in moved if reading.start > now) or readings
        if told and told[0].rrule is None and (told[0].has_day or before is not None):
            before = told[0]
        yield told


def _halves_after(before: Reading, readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
    """Return the first half of the day in which `readings` come after `before`; both as they are where none does."""
    later = sorted((half for each in readings for half in halves(each) if half.start > before.start), key=_start)
    return tuple(later[:1]) or readings


def _start(reading: Reading) -> datetime:
    return reading.start
