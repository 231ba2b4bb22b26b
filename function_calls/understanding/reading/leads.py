"""Count back from an event to when to remind of it."""

import re
from datetime import datetime, timedelta

from msgspec.structs import replace

from function_calls.understanding.reading.times import TimeWords
from services.recurrence.rules import WEEKDAYS
from services.time_expressions import Reading

_DAY = timedelta(days=1)
_LUNAR = re.compile(r"LUNAR (?P<month>\d+)-(?P<day>\d+)(?P<clock>;BYHOUR=\d+;BYMINUTE=\d+)?")


def ahead_of(event: TimeWords, lead: timedelta, clock: TimeWords | None) -> TimeWords | None:
    """Return the time `lead` before `event`, at `clock` where that is named; of one that repeats, before each time."""
    best = event.best
    if best is None or (lead < _DAY and not best.has_clock):
        return None
    start = best.start - lead
    if clock is not None and clock.best is not None and lead >= _DAY:
        start = start.replace(hour=clock.best.start.hour, minute=clock.best.start.minute)
    early = best._replace(start=start, has_clock=True, has_day=True)
    if best.rrule is not None:
        rule = _rule_ahead(best, early.start)
        if rule is None:
            return None
        early = early._replace(rrule=rule)
    return replace(event, readings=(early,), is_ambiguous=False)


def _rule_ahead(event: Reading, start: datetime) -> str | None:
    """Return the rule of `event` with the clock, weekday or date of `start`, where it names one of each."""
    lunar = _LUNAR.fullmatch(event.rrule or "")
    if lunar is not None:
        day = int(lunar["day"]) + (start.date() - event.start.date()).days
        clock = f";BYHOUR={start.hour};BYMINUTE={start.minute}" if lunar["clock"] else ""
        return f"LUNAR {lunar['month']}-{day}{clock}" if day > 0 else None
    if "FREQ=" not in (event.rrule or ""):
        return None
    parts = dict(part.split("=", 1) for part in (event.rrule or "").split(";") if "=" in part)
    days = (start.date() - event.start.date()).days
    if any("," in parts.get(name, "") for name in ("BYHOUR", "BYMONTHDAY", "BYMONTH")):
        return None
    if "BYHOUR" in parts:
        parts |= {"BYHOUR": str(start.hour), "BYMINUTE": str(start.minute)}
    if days and "BYDAY" in parts:
        named = parts["BYDAY"].split(",")
        if not all(day in WEEKDAYS for day in named):
            return None
        parts["BYDAY"] = ",".join(WEEKDAYS[(WEEKDAYS.index(day) + days) % 7] for day in named)
    if days and "BYMONTHDAY" in parts:
        parts["BYMONTHDAY"] = str(start.day)
    if days and "BYMONTH" in parts:
        parts["BYMONTH"] = str(start.month)
    return ";".join(f"{name}={value}" for name, value in parts.items())
