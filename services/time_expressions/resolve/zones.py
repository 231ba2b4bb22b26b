"""Convert times given in the clock of another place ("9am Tokyo time") to the zone of the speaker."""

from collections.abc import Mapping
from datetime import datetime, timedelta, timezone, tzinfo
from functools import lru_cache

from services.time_expressions.resolve.context import Answer

_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_FIXED_DAYS = frozenset({"BYMONTHDAY", "BYYEARDAY", "BYMONTH", "BYWEEKNO", "BYSETPOS"})
"""Parts of a rule with days that would differ after midnight in another zone."""


@lru_cache
def zone_of(name: str) -> tzinfo:
    """Return the zone for an IANA name or an offset from UTC such as `+0530`."""
    from zoneinfo import ZoneInfo

    if name[0] not in "+-":
        return ZoneInfo(name)
    length = timedelta(hours=int(name[1:3]), minutes=int(name[3:5]))
    return timezone(-length if name[0] == "-" else length)


def convert_to_zone(answer: Answer, zone: tzinfo) -> Answer:
    """Return the same instant in `zone`."""
    end = answer.end.astimezone(zone) if answer.end else None
    return answer._replace(start=answer.start.astimezone(zone), end=end)


def convert_recurrence(answer: Answer, zone: tzinfo) -> Answer | None:
    """Convert a recurrence to `zone`, with the UTC offsets at its first fire.

    Return None if its days cannot be converted, such as the last day of a month after midnight in `zone`.
    """
    here = convert_to_zone(answer, zone)
    parts = dict(part.split("=", 1) for part in (answer.rrule or "").split(";") if "=" in part)
    later = here.start.replace(tzinfo=None) - answer.start.replace(tzinfo=None)
    days = (here.start.date() - answer.start.date()).days
    clocks = _shift_clocks(parts, answer.start, later, days)
    is_fixed = days and (parts.keys() & _FIXED_DAYS or not parts.get("BYDAY", "MO").replace(",", "").isalpha())
    if clocks is None or is_fixed or "FREQ" not in parts:
        return None
    if "BYDAY" in parts and days:
        shifted = sorted((_WEEKDAYS.index(day) + days) % 7 for day in parts["BYDAY"].split(","))
        parts["BYDAY"] = ",".join(_WEEKDAYS[day] for day in shifted)
    return here._replace(rrule=";".join(f"{name}={value}" for name, value in (parts | clocks).items()))


def _shift_clocks(parts: Mapping[str, str], start: datetime, later: timedelta, days: int) -> dict[str, str] | None:
    """Return BYHOUR and BYMINUTE shifted by `later`; None if only some clocks would change the day."""
    if "BYHOUR" not in parts:
        return {}
    hours = [int(hour) for hour in parts["BYHOUR"].split(",")]
    minutes = [int(minute) for minute in parts["BYMINUTE"].split(",")]
    moved = [start.replace(hour=hour, minute=minute) + later for hour in hours for minute in minutes]
    if any((moment.date() - start.date()).days != days for moment in moved):
        return None
    new_hours, new_minutes = sorted({moment.hour for moment in moved}), sorted({moment.minute for moment in moved})
    if len(new_hours) * len(new_minutes) != len(moved):
        return None
    return {"BYHOUR": ",".join(map(str, new_hours)), "BYMINUTE": ",".join(map(str, new_minutes))}
