"""Carry the day of one time on to those after it: "tomorrow at 9 remind me to call, and at 3 to cook"."""

from collections.abc import Iterable, Iterator
from datetime import date, datetime

from function_calls.language.recognized_phrases import is_clock_without_half
from services.time_expressions import Reading

_HALF_DAY = 12

Readings = tuple[Reading, ...]


def on_their_days(times: Iterable[tuple[str, Readings]], now: datetime) -> Iterator[Readings]:
    """The times of one message, each with its words and readings; those that name no day are on the one named last.

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


def _halves_after(before: Reading, readings: Readings) -> Readings:
    """The first half of the day in which `readings` come after `before`; both as they are where none does."""
    later = sorted((half for each in readings for half in halves(each) if half.start > before.start), key=_start)
    return tuple(later[:1]) or readings


def halves(reading: Reading) -> Readings:
    """`reading` in the morning and in the evening of its day."""
    hour = reading.start.hour % _HALF_DAY
    return tuple(
        reading._replace(start=reading.start.replace(hour=each), end=None) for each in (hour, hour + _HALF_DAY)
    )


def _start(reading: Reading) -> datetime:
    return reading.start


def on_day(reading: Reading, day: date) -> Reading:
    """`reading` at its clock time on `day`; its end is as long after its start as before."""
    start = reading.start.replace(year=day.year, month=day.month, day=day.day)
    return reading._replace(start=start, end=reading.end and start + (reading.end - reading.start))
