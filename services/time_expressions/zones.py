"""Tell by one's own clock what was said by that of another place: "9am Tokyo time"."""

from collections.abc import Mapping
from datetime import datetime, timedelta, timezone, tzinfo
from functools import lru_cache

from services.time_expressions.present import Answer

_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_FIXED_DAYS = frozenset({"BYMONTHDAY", "BYYEARDAY", "BYMONTH", "BYWEEKNO", "BYSETPOS"})
"""Parts of a rule that name days which another zone's midnight would move."""


@lru_cache
def zone_of(name: str) -> tzinfo:
    """Return the zone of an IANA name, or of an offset from UTC such as `+0530`."""
    from zoneinfo import ZoneInfo

    if name[0] not in "+-":
        return ZoneInfo(name)
    length = timedelta(hours=int(name[1:3]), minutes=int(name[3:5]))
    return timezone(-length if name[0] == "-" else length)


def at_home(answer: Answer, zone: tzinfo) -> Answer:
    """Return the same instant in `zone`."""
    end = answer.end.astimezone(zone) if answer.end else None
    return answer._replace(start=answer.start.astimezone(zone), end=end)


def repeated_at_home(answer: Answer, zone: tzinfo) -> Answer | None:
    """Return the same repetition by the clock of `zone`, at the difference between both of the first time.

    None where its days would be others: the last of a month there is no fixed day here.
    """
    here = at_home(answer, zone)
    parts = dict(part.split("=", 1) for part in (answer.rrule or "").split(";") if "=" in part)
    later = here.start.replace(tzinfo=None) - answer.start.replace(tzinfo=None)
    days = (here.start.date() - answer.start.date()).days
    clocks = _clocks(parts, answer.start, later, days)
    is_fixed = days and (parts.keys() & _FIXED_DAYS or not parts.get("BYDAY", "MO").replace(",", "").isalpha())
    if clocks is None or is_fixed or "FREQ" not in parts:
        return None
    if "BYDAY" in parts and days:
        shifted = sorted((_WEEKDAYS.index(day) + days) % 7 for day in parts["BYDAY"].split(","))
        parts["BYDAY"] = ",".join(_WEEKDAYS[day] for day in shifted)
    return here._replace(rrule=";".join(f"{name}={value}" for name, value in (parts | clocks).items()))


def _clocks(parts: Mapping[str, str], start: datetime, later: timedelta, days: int) -> dict[str, str] | None:
    """BYHOUR and BYMINUTE moved by `later`; None where only some of the clocks would change the day."""
    if "BYHOUR" not in parts:
        return {}
    hours = [int(hour) for hour in parts["BYHOUR"].split(",")]
    minutes = [int(minute) for minute in parts["BYMINUTE"].split(",")]
    moved = [start.replace(hour=hour, minute=minute) + later for hour in hours for minute in minutes]
    if any((moment.date() - start.date()).days != days for moment in moved):
        return None
    told_hours, told_minutes = sorted({each.hour for each in moved}), sorted({each.minute for each in moved})
    if len(told_hours) * len(told_minutes) != len(moved):
        return None
    return {"BYHOUR": ",".join(map(str, told_hours)), "BYMINUTE": ",".join(map(str, told_minutes))}
