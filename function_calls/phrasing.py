"""Dates, rules and reminders worded for people, in their language."""

from collections.abc import Mapping
from datetime import date as calendar_date
from datetime import datetime, timedelta

from function_calls.reminder_times import rule_parts
from function_calls.wording import say
from function_calls.zone_words import zone_label
from services.chat import Person
from services.reminders.model import EVERYONE, Reminder

_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_UNITS = {
    "MINUTELY": "minute",
    "HOURLY": "hour",
    "DAILY": "day",
    "WEEKLY": "week",
    "MONTHLY": "month",
    "YEARLY": "year",
}
_BY_OTHER_THAN_DATE = frozenset({"BYDAY", "BYSETPOS", "BYYEARDAY", "BYWEEKNO"})
_TOLD_TO_THE_SECOND = 600
_NEAR_DAYS = {-1: "yesterday", 0: "today", 1: "tomorrow"}


def moment(language: str, when: datetime, now: datetime) -> str:
    """`when` as people write it, in its own zone: weekday, date, clock; seconds only when they matter."""
    local = now.astimezone(when.tzinfo)
    days = (when.date() - local.date()).days
    if days in _NEAR_DAYS:
        return say(language, "time.near", day=say(language, f"time.{_NEAR_DAYS[days]}"), clock=clock(when))
    key = "time.date" if when.year == local.year else "time.date_with_year"
    return say(language, key, clock=clock(when), **_date(language, when))


def clock(when: datetime) -> str:
    """The clock time; seconds only when they matter."""
    return f"{when:%H:%M:%S}" if when.second else f"{when:%H:%M}"


def day(language: str, when: datetime, now: datetime) -> str:
    """The day of `when`, in its own zone: "tomorrow, Saturday 21 November"."""
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
    """A date with its year and weekday."""
    return say(language, "time.day_with_year", **_date(language, when))


def _date(language: str, when: calendar_date) -> dict[str, object]:
    return {
        "weekday": weekday(language, when.weekday()),
        "day": when.day,
        "month": say(language, f"time.month_{when.month}"),
        "year": when.year,
    }


def weekday(language: str, index: int) -> str:
    """The name of a day of the week, 0 = Monday."""
    return say(language, f"time.weekday_{index}")


def distance(language: str, span: timedelta) -> str:
    """How far away, in the largest unit that fits, to the nearest: "10 seconds", "3 days"."""
    seconds = max(0, round(span.total_seconds()))
    if seconds > _TOLD_TO_THE_SECOND:
        seconds = round(seconds / 60) * 60
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= 2 * size or (unit != "day" and seconds >= size and seconds % size == 0):
            return count(language, unit, round(seconds / size))
    return count(language, "second", seconds)


def count(language: str, unit: str, number: int) -> str:
    """A number of units: "1 day", "3 days", "3 天"."""
    return say(language, f"time.{unit}_{'one' if number == 1 else 'many'}", n=number)


def rule(language: str, reminder: Reminder) -> str:
    """How a recurring reminder repeats."""
    parts = rule_parts(reminder.schedule.rule)
    every = int(parts.get("INTERVAL", "1"))
    days = parts.get("BYDAY", "")
    at = f"{reminder.schedule.start:%H:%M}"
    if "FREQ" not in parts:
        return say(language, "rule.at", each=_by_calendar(language, reminder.schedule.rule, parts), clock=at)
    if parts["FREQ"] in {"WEEKLY", "DAILY"} and days and every == 1:
        return say(language, "rule.on_days", days=_days(language, days), clock=at)
    date = _yearly_or_monthly(language, parts, reminder.schedule.start) if every == 1 else ""
    if date:
        return say(language, "rule.at", each=date, clock=at)
    unit = _UNITS[parts["FREQ"]]
    each = (
        say(language, f"rule.each_{unit}")
        if every == 1
        else say(language, "rule.every", span=count(language, unit, every))
    )
    if unit in {"minute", "hour"}:
        return each
    return say(language, "rule.at", each=each, clock=at)


def _by_calendar(language: str, rule_text: str, parts: Mapping[str, str]) -> str:
    """Say a rule of a calendar: working days of a region, or dates of the lunar year."""
    kind, _, dates = rule_text.partition(";")[0].partition(" ")
    return say(language, f"rule.calendar_{kind.lower()}", region=parts.get("REGION", ""), dates=_lunar(language, dates))


def _lunar(language: str, dates: str) -> str:
    """Say `8-15,12-LAST,*-1`: month and day of the lunar year, in the names that the language has for them."""
    said = []
    for month, _, lunar_day in (each.partition("-") for each in dates.split(",") if "-" in each):
        month_name = say(language, f"lunar.month_{'each' if month == '*' else month}")
        said.append(say(language, "lunar.date", month=month_name, day=say(language, f"lunar.day_{lunar_day.lower()}")))
    return say(language, "rule.joint").join(said)


def _yearly_or_monthly(language: str, parts: Mapping[str, str], first: datetime) -> str:
    """Say "every month on day 25", "every year on 5 January"; nothing for rules by weekday or for several dates."""
    if parts.keys() & _BY_OTHER_THAN_DATE or "," in parts.get("BYMONTHDAY", "") + parts.get("BYMONTH", ""):
        return ""
    if parts["FREQ"] == "YEARLY":
        return say(language, "rule.on_date", day=first.day, month=say(language, f"time.month_{first.month}"))
    if parts["FREQ"] != "MONTHLY" or "BYMONTH" in parts:
        return ""
    day = parts.get("BYMONTHDAY", str(first.day))
    if day == "-1":
        return say(language, "rule.on_last_day")
    return say(language, "rule.on_month_day", day=day) if day.isdigit() else ""


def _days(language: str, days: str) -> str:
    if days == "MO,TU,WE,TH,FR":
        return say(language, "rule.workdays")
    if days == "SA,SU":
        return say(language, "rule.weekend")
    names = [weekday(language, _DAYS.index(day)) for day in days.split(",") if day in _DAYS]
    return say(language, "rule.joint").join(names)


def targets(language: str, people: tuple[Person, ...]) -> str:
    """The people that a reminder is for."""
    if any(person.id == EVERYONE for person in people):
        return say(language, "reminder.everyone")
    return say(language, "rule.joint").join(f"@{person.name}" for person in people)


def zone_note(language: str, reminder: Reminder, home: str) -> str:
    """The zone of a reminder, where it is not the one that people here expect."""
    return "" if reminder.schedule.zone == home else say(language, "time.zone", zone=zone_label(reminder.schedule.zone))
