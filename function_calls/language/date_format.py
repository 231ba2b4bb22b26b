"""Format dates, distances and people in a person's language; rules are in `recurrence_text`."""

import re
from collections.abc import Iterable
from datetime import date as calendar_date
from datetime import datetime, timedelta

from function_calls.language.messages import say
from services.kernel.chat import Person
from services.people.member_names import is_unresolved
from services.reminders.model import EVERYONE, Reminder

_TOLD_TO_THE_SECOND = 600
_NEAR_DAYS = {-1: "yesterday", 0: "today", 1: "tomorrow"}
_OFFSET = re.compile(r"Etc/GMT([+-])(\d+)")


def moment(language: str, when: datetime, now: datetime) -> str:
    """Format `when` in its own zone: weekday, date, clock; seconds only when they matter."""
    local = now.astimezone(when.tzinfo)
    days = (when.date() - local.date()).days
    if days in _NEAR_DAYS:
        return say(language, "time.near", day=say(language, f"time.{_NEAR_DAYS[days]}"), clock=clock(when))
    key = "time.date" if when.year == local.year else "time.date_with_year"
    return say(language, key, clock=clock(when), **_date(language, when))


def moments(language: str, times: Iterable[datetime], now: datetime) -> str:
    """Format several times, one after the other."""
    return join(language, (moment(language, when, now) for when in times))


def minute(language: str, when: datetime, now: datetime) -> str:
    """Format `when` to the minute, in the zone of `now`."""
    return moment(language, when.astimezone(now.tzinfo).replace(second=0, microsecond=0), now)


def join(language: str, texts: Iterable[str]) -> str:
    """Join names, times or other texts with the comma of the language."""
    return say(language, "rule.joint").join(texts)


def clock(when: datetime) -> str:
    """Return the clock time; seconds only when they matter."""
    return f"{when:%H:%M:%S}" if when.second else f"{when:%H:%M}"


def day(language: str, when: datetime, now: datetime) -> str:
    """Return the day of `when`, in its own zone: "tomorrow, Saturday 21 November"."""
    local = now.astimezone(when.tzinfo)
    key = "time.day" if when.year == local.year else "time.day_with_year"
    date = say(language, key, **_date(language, when))
    days = (when.date() - local.date()).days
    return (
        say(language, "time.near_day", day=say(language, f"time.{_NEAR_DAYS[days]}"), date=date)
        if days in _NEAR_DAYS
        else date
    )


def date(language: str, when: calendar_date) -> str:
    """Return a date with its year and weekday."""
    return say(language, "time.day_with_year", **_date(language, when))


def _date(language: str, when: calendar_date) -> dict[str, object]:
    return {
        "weekday": weekday(language, when.weekday()),
        "day": when.day,
        "month": say(language, f"time.month_{when.month}"),
        "year": when.year,
    }


def weekday(language: str, index: int) -> str:
    """Return the name of a day of the week, 0 = Monday."""
    return say(language, f"time.weekday_{index}")


def distance(language: str, span: timedelta) -> str:
    """Format a duration in the largest unit that fits, rounded: "10 seconds", "3 days".

    Parts of a second are left out: "in 10 seconds" is due at the first whole second after them.
    """
    seconds = max(0, int(span.total_seconds()))
    if seconds > _TOLD_TO_THE_SECOND:
        seconds = round(seconds / 60) * 60
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= 2 * size or (unit != "day" and seconds >= size and seconds % size == 0):
            return count(language, unit, round(seconds / size))
    return count(language, "second", seconds)


def count(language: str, unit: str, number: int) -> str:
    """Format a number of units: "1 day", "3 days", "3 天"."""
    return say(language, f"time.{unit}_{'one' if number == 1 else 'many'}", n=number)


def targets(language: str, people: tuple[Person, ...]) -> str:
    """Format a reminder's people, with an @ unless only a name is known, which may be a stranger's account."""
    if any(person.id == EVERYONE for person in people):
        return say(language, "reminder.everyone")
    return join(language, (person.name if is_unresolved(person) else f"@{person.name}" for person in people))


def zone_note(language: str, reminder: Reminder, home: str) -> str:
    """Return a note with a reminder's zone, where it differs from the one expected here."""
    return "" if reminder.schedule.zone == home else say(language, "time.zone", zone=zone_label(reminder.schedule.zone))


def zone_label(name: str) -> str:
    """Format the name of a zone; an offset with the usual sign: `Etc/GMT-8` is UTC+8."""
    found = _OFFSET.fullmatch(name)
    if found is None:
        return name
    return f"UTC{'-' if found[1] == '+' else '+'}{found[2]}"
