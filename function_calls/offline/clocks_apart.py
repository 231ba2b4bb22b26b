"""Make several repetitions of one whose clock times no rule of a reminder holds together: "at 9:15 and at 17:45"."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import product

from services.time_expressions import Reading

_PICKED = frozenset({"BYHOUR", "BYMINUTE", "BYSETPOS"})


def clocks_apart(reading: Reading) -> tuple[Reading, ...]:
    """`reading`, or one for each of its clock times where these are picked out of more (BYSETPOS)."""
    parts = dict(part.split("=", 1) for part in (reading.rrule or "").split(";") if "=" in part)
    return tuple(_each_clock(reading, parts)) if parts.keys() >= _PICKED else (reading,)


def _each_clock(reading: Reading, parts: dict[str, str]) -> Iterator[Reading]:
    hours, minutes, places = ([int(number) for number in parts.pop(name).split(",")] for name in sorted(_PICKED))
    clocks = list(product(hours, minutes))
    bare = ";".join(f"{name}={value}" for name, value in parts.items())
    for hour, minute in (clocks[place - 1] for place in places):
        start = reading.start.replace(hour=hour, minute=minute)
        start = start if start >= reading.start else start + timedelta(days=1)
        yield replace(reading, start=start, rrule=f"{bare};BYHOUR={hour};BYMINUTE={minute}")
