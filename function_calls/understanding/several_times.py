"""Fit the times of one request to reminders: several days share a clock, clocks that no rule holds together part."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import product

from msgspec.structs import replace

from function_calls.understanding.carried_days import on_day
from function_calls.understanding.pack import LanguagePack
from function_calls.understanding.time_words import TimeReader, TimeWords
from services.time_expressions import Reading

_CLOCK_AHEAD = re.compile(r"\D{0,3}\d")
"""How a time begins that names its clock before its day, as that of others perhaps: "(at 5 and) at 6 tomorrow"."""
_PICKED = frozenset({"BYHOUR", "BYMINUTE", "BYSETPOS"})


def with_listed_clocks(
    times: Sequence[TimeWords], text: str, now: datetime, pack: LanguagePack, read: TimeReader
) -> tuple[TimeWords, ...]:
    """`times` of `text` with the bare figures that follow one in a list: the six and seven of "at 5, 6 and 7"."""
    found: list[TimeWords] = []
    for time in times:
        found.append(time)
        while found[-1].words[-1:].isdigit() and (
            figure := pack.listed_clock.compiled.match(text, found[-1].spans[-1][1])
        ):
            readings = read(pack.data.clock.format(time=figure["clock"]), now, language=pack.language)
            if len(readings) != 1 or any(_overlap(figure.span("clock"), each) for each in times):
                break
            span = figure.span("clock")
            found.append(TimeWords(words=figure["clock"], spans=(span,), readings=readings[0].readings))
    return tuple(found)


def with_alternatives(times: Sequence[TimeWords], text: str, pack: LanguagePack) -> tuple[TimeWords, ...]:
    """`times` of `text` with those between which it leaves the choice as one that is to be asked about: "at 5 or 6"."""
    found: list[TimeWords] = []
    for time in times:
        if found and pack.either.compiled.fullmatch(text, found[-1].spans[-1][1], time.spans[0][0]):
            found.append(_either(found.pop(), time, text))
        else:
            found.append(time)
    return tuple(found)


def completed(times: Sequence[TimeWords]) -> list[TimeWords]:
    """`times`, of which the last completes the others: "on tuesday and thursday at 5pm", "at 5 and 6 tomorrow"."""
    last = times[-1].best if times else None
    if last is None or not last.has_clock or last.rrule:
        return list(times)
    on_time = [_at_the_clock_of(last, time) for time in times]
    return [_on_the_day_of(last, time) for time in on_time] if _CLOCK_AHEAD.match(times[-1].words) else on_time


def apart(time: TimeWords) -> list[TimeWords]:
    """`time`, or one for each of its clock times where these are picked out of more: "at 9:15 and at 17:45"."""
    best = time.best
    parts = dict(part.split("=", 1) for part in (best.rrule or "").split(";") if "=" in part) if best else {}
    if best is None or parts.get("FREQ") == "MONTHLY" or not parts.keys() >= _PICKED:
        return [time]  # of a month, it is days that are picked: "on the last workday at 4pm"
    return [replace(time, readings=(one,)) for one in _each_clock(best, parts)]


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


def _either(first: TimeWords, second: TimeWords, text: str) -> TimeWords:
    """Both as one time that may be the one or the other."""
    span = (first.spans[0][0], second.spans[-1][1])
    several = completed([replace(first, readings=(each,)) for each in first.readings] + [second])
    readings = tuple(time.best for time in several if time.best is not None)
    return TimeWords(words=text[slice(*span)], spans=(span,), readings=readings, is_ambiguous=True)


def _overlap(span: tuple[int, int], time: TimeWords) -> bool:
    return any(start < span[1] and span[0] < end for start, end in time.spans)


def _each_clock(reading: Reading, parts: dict[str, str]) -> Iterator[Reading]:
    hours, minutes, places = ([int(number) for number in parts.pop(name).split(",")] for name in sorted(_PICKED))
    clocks = list(product(hours, minutes))
    bare = ";".join(f"{name}={value}" for name, value in parts.items())
    for hour, minute in (clocks[place - 1] for place in places):
        start = reading.start.replace(hour=hour, minute=minute)
        start = start if start >= reading.start else start + timedelta(days=1)
        yield reading._replace(start=start, rrule=f"{bare};BYHOUR={hour};BYMINUTE={minute}")
