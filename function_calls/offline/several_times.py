"""Fit the times of one request to reminders: several days share a clock, clocks that no rule holds together part."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import product

from function_calls.offline.time_words import TimeWords
from services.time_expressions import Reading

_PICKED = frozenset({"BYHOUR", "BYMINUTE", "BYSETPOS"})


def sharing_a_clock(times: Sequence[TimeWords]) -> list[TimeWords]:
    """`times`, the days among them at the clock that the last one names: "on tuesday and thursday at 5pm"."""
    last = times[-1].best if times else None
    if last is None or not last.has_clock or last.rrule:
        return list(times)
    return [_at_the_clock_of(last, time) for time in times]


def apart(time: TimeWords) -> list[TimeWords]:
    """`time`, or one for each of its clock times where these are picked out of more: "at 9:15 and at 17:45"."""
    best = time.best
    parts = dict(part.split("=", 1) for part in (best.rrule or "").split(";") if "=" in part) if best else {}
    if best is None or not parts.keys() >= _PICKED:
        return [time]
    return [replace(time, readings=(one,)) for one in _each_clock(best, parts)]


def _at_the_clock_of(last: Reading, time: TimeWords) -> TimeWords:
    day = time.best
    if day is None or day.has_clock or day.part or day.rrule or not day.has_day:
        return time
    start = day.start.replace(hour=last.start.hour, minute=last.start.minute)
    return replace(time, readings=(replace(day, start=start, has_clock=True, grain=last.grain),))


def _each_clock(reading: Reading, parts: dict[str, str]) -> Iterator[Reading]:
    hours, minutes, places = ([int(number) for number in parts.pop(name).split(",")] for name in sorted(_PICKED))
    clocks = list(product(hours, minutes))
    bare = ";".join(f"{name}={value}" for name, value in parts.items())
    for hour, minute in (clocks[place - 1] for place in places):
        start = reading.start.replace(hour=hour, minute=minute)
        start = start if start >= reading.start else start + timedelta(days=1)
        yield replace(reading, start=start, rrule=f"{bare};BYHOUR={hour};BYMINUTE={minute}")
