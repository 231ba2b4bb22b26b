"""Carry the day of one time on to those after it: "tomorrow at 9 remind me to call, and at 3 to cook"."""

from collections.abc import Iterable, Iterator
from datetime import date, datetime

from services.time_expressions import Reading

Readings = tuple[Reading, ...]


def on_their_days(times: Iterable[Readings], now: datetime) -> Iterator[Readings]:
    """The times of one message, each with its readings, of which those that name no day are on the one named last.

    `now` is timezone-aware. A time that would be over by then stays as it was read.
    """
    day: date | None = None
    for readings in times:
        if not readings or readings[0].rrule is not None:
            yield readings
        elif readings[0].has_day or day is None:
            day = readings[0].start.date() if readings[0].has_day else day
            yield readings
        else:
            moved = tuple(on_day(reading, day) for reading in readings)
            yield tuple(reading for reading in moved if reading.start > now) or readings


def on_day(reading: Reading, day: date) -> Reading:
    """`reading` at its clock time on `day`; its end is as long after its start as before."""
    start = reading.start.replace(year=day.year, month=day.month, day=day.day)
    return reading._replace(start=start, end=reading.end and start + (reading.end - reading.start))
