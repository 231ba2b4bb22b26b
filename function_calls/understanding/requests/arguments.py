"""Put a reading of time into the arguments of `reminder_set`."""

from datetime import UTC, datetime, timedelta

from function_calls.understanding.reminder_times import zone_name
from services.kernel.errors import RequestRefused
from services.recurrence.edits import clamp_to_month_end
from services.recurrence.rules import WEEKDAYS
from services.recurrence.schedule import read_schedule, rule_text
from services.time_expressions import Reading

_CLOCK_PARTS = frozenset({"FREQ", "BYHOUR", "BYMINUTE"})


def make_schedule_arguments(reading: Reading, now: datetime) -> dict[str, object]:
    """Return the arguments `type`, `time`, `weekday` and `rrule`; `now` is in the zone of `reading`.

    A repetition that daily and weekly cannot say keeps its RRULE, and `type` and `time` name its first fire.
    """
    if reading.rrule is None:
        return {"type": "once", "time": format_time(_drop_seconds(reading, now).wall)}
    parts = dict(part.split("=", 1) for part in reading.rrule.split(";") if "=" in part)
    clock = f"{reading.wall:%H:%M}"
    if _is_plain(parts, "DAILY", _CLOCK_PARTS) and reading.start - now <= timedelta(days=1):
        return {"type": "daily", "time": clock}
    day = parts.get("BYDAY", WEEKDAYS[reading.start.weekday()])
    is_weekly = _is_plain(parts, "WEEKLY", _CLOCK_PARTS | {"BYDAY"}) and day in WEEKDAYS
    if is_weekly and reading.start - now <= timedelta(days=7):
        return {"type": "weekly", "time": clock, "weekday": WEEKDAYS.index(day)}
    try:
        meant = clamp_to_month_end(read_schedule(reading.wall, zone_name(now.tzinfo or UTC), reading.rrule), now)
    except RequestRefused:  # the function that is called says what is wrong with it: "every 5 seconds"
        return {"type": "once", "time": format_time(reading.wall), "rrule": reading.rrule}
    return {"type": "once", "time": format_time(meant.start), "rrule": rule_text(meant)}


def make_change_arguments(reading: Reading, now: datetime) -> dict[str, object]:
    """Return the arguments of `reminder_update` for another time.

    A clock or a part of the day alone leaves the day, or the repetition; a day or a repetition alone leaves the clock.
    """
    if not reading.has_day:
        return {"time": f"{reading.wall:%H:%M}"}
    names_clock = reading.has_clock or bool(reading.part)
    if reading.rrule is None and not names_clock:
        return {"time": f"{reading.wall:%Y-%m-%d}"}
    schedule = make_schedule_arguments(reading, now)
    if reading.rrule is None or "rrule" in schedule:
        del schedule["type"]
    if reading.rrule is not None and not names_clock:
        del schedule["time"]
    if "BYDAY" not in (reading.rrule or ""):
        schedule.pop("weekday", None)
    return schedule


def format_shift(moved: timedelta) -> str:
    """Return a shift as text: `+1:30` for an hour and a half later, `-0:15` for a quarter of an hour earlier."""
    minutes = round(abs(moved).total_seconds() / 60)
    return f"{'-' if moved < timedelta() else '+'}{minutes // 60}:{minutes % 60:02}"


def format_time(moment: datetime) -> str:
    """Return `YYYY-MM-DD HH:MM`, with seconds unless they are 0."""
    return f"{moment:%Y-%m-%d %H:%M:%S}" if moment.second else f"{moment:%Y-%m-%d %H:%M}"


def _drop_seconds(reading: Reading, now: datetime) -> Reading:
    """Return `reading` without the seconds that it has of `now`: "this time tomorrow" is a clock time."""
    is_far = reading.start - now >= timedelta(days=1) and reading.start.second == now.second
    return reading._replace(start=reading.start.replace(second=0, microsecond=0)) if is_far else reading


def _is_plain(parts: dict[str, str], frequency: str, allowed: frozenset[str]) -> bool:
    """Return whether a rule has only its frequency, one clock time, and parts that are `allowed`."""
    clocks = parts.get("BYHOUR", "") + parts.get("BYMINUTE", "")
    return parts.get("FREQ") == frequency and parts.keys() <= allowed and "," not in clocks
