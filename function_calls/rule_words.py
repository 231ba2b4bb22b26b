"""How a recurring reminder repeats, in words that say all of the rule: said to the bot again, they mean the same."""

import re
from collections.abc import Mapping
from datetime import datetime
from itertools import pairwise, product
from zoneinfo import ZoneInfo

from function_calls import phrasing
from function_calls.reminder_times import rule_parts
from function_calls.wording import say
from services.reminders.model import Reminder, Schedule
from services.reminders.nagging import nag_of, without_nag
from services.reminders.rules import WEEKDAYS, parse_rule

_UNITS = {
    "MINUTELY": "minute",
    "HOURLY": "hour",
    "DAILY": "day",
    "WEEKLY": "week",
    "MONTHLY": "month",
    "YEARLY": "year",
}
_SETS = {"MO,TU,WE,TH,FR": "workdays", "SA,SU": "weekend"}
_NTH = re.compile(r"([+-]?\d)([A-Z]{2})")
_PLACES = frozenset({"-1", "1", "2", "3", "4", "5"})
_MOST_CLOCKS = 4
"""More clock times a day, evenly apart, are told as "every hour from 09:00 to 17:00"."""


def rule(language: str, reminder: Reminder) -> str:
    """How a reminder repeats: on which days, at which times, how often or until when.

    One that fires once, and then again until it is done, repeats in that way only.
    """
    schedule = reminder.schedule
    bare, nag = without_nag(schedule.rule), nag_of(schedule.rule)
    if nag is not None and not bare:
        return say(language, "rule.until_done", each=_period(language, "minute", round(nag.every.total_seconds() / 60)))
    parts = rule_parts(bare)
    unit, every = _UNITS.get(parts.get("FREQ", ""), ""), int(parts.get("INTERVAL", "1"))
    if not unit:
        each = _by_calendar(language, schedule.rule, parts)
    elif unit in {"minute", "hour"}:
        each = _period(language, unit, every)
    else:
        each = _days(language, unit, every, parts, schedule.start)
        if parts.get("SKIP") == "BACKWARD":
            each = say(language, "rule.or_last_day", each=each)
    told = each if unit in {"minute", "hour"} else _at_clocks(language, each, parts, schedule.start)
    return _bounded(language, told, parts, schedule)


def _period(language: str, unit: str, every: int) -> str:
    if every == 1:
        return say(language, f"rule.each_{unit}")
    return say(language, "rule.every", span=phrasing.count(language, unit, every))


def _days(language: str, unit: str, every: int, parts: Mapping[str, str], start: datetime) -> str:
    """The days of a rule: "every Monday", "every 2 weeks on Friday", "every month on day 25"."""
    each = _period(language, unit, every)
    days = parts.get("BYDAY", "")
    if unit == "week" or (unit == "day" and days):
        names = _weekdays(language, days or WEEKDAYS[start.weekday()])
        return say(language, "rule.on_days" if every == 1 else "rule.weeks_on_days", each=each, days=names)
    if unit == "month" and "BYMONTH" not in parts:
        return _of_month(language, each, every, parts, start)
    if unit == "year":
        return _of_year(language, each, parts, start)
    return each


def _of_month(language: str, each: str, every: int, parts: Mapping[str, str], start: datetime) -> str:
    nth = _nth_days(language, parts)
    if nth:
        return say(language, "rule.on_nth_day", each=each, day=nth)
    if "BYDAY" in parts:
        return each
    days = parts.get("BYMONTHDAY", str(start.day)).split(",")
    if days == ["-1"]:
        return say(language, "rule.on_last_day", each=each)
    if not all(day.isdigit() for day in days):
        return each
    numbers = say(language, "rule.day_joint").join(days)
    return say(language, "rule.on_month_day" if every == 1 else "rule.months_on_day", each=each, day=numbers)


def _of_year(language: str, each: str, parts: Mapping[str, str], start: datetime) -> str:
    """By its date, or by its weekday in a month; by its period alone where it names more than one of them."""
    month, nth = parts.get("BYMONTH", str(start.month)), _nth_days(language, parts)
    if nth and "BYMONTH" in parts and month.isdigit():
        return say(language, "rule.on_nth_day_of", each=each, day=nth, month=say(language, f"time.month_{month}"))
    day = parts.get("BYMONTHDAY", str(start.day))
    if parts.keys() & {"BYDAY", "BYSETPOS", "BYYEARDAY", "BYWEEKNO"} or not (month.isdigit() and day.isdigit()):
        return each
    return say(language, "rule.on_date", each=each, day=day, month=say(language, f"time.month_{month}"))


def _nth_days(language: str, parts: Mapping[str, str]) -> str:
    """The days that a rule counts: "the first Monday", "the last weekday"; nothing where it counts none."""
    days, place = parts.get("BYDAY", ""), parts.get("BYSETPOS", "")
    counted = [_NTH.fullmatch(day) for day in days.split(",")]
    named = [(each[1], phrasing.weekday(language, WEEKDAYS.index(each[2]))) for each in counted if each is not None]
    if days in _SETS and place:
        named = [(place, say(language, f"rule.nth_of_{_SETS[days]}"))]
    elif None in counted:
        return ""
    if any(place.lstrip("+") not in _PLACES for place, _ in named):
        return ""
    told = ((say(language, f"rule.ordinal_{place.lstrip('+')}"), name) for place, name in named)
    return say(language, "rule.joint").join(
        say(language, "rule.nth", ordinal=ordinal, day=name) for ordinal, name in told
    )


def _at_clocks(language: str, each: str, parts: Mapping[str, str], start: datetime) -> str:
    hours = [int(hour) for hour in parts.get("BYHOUR", str(start.hour)).split(",")]
    minutes = [int(minute) for minute in parts.get("BYMINUTE", str(start.minute)).split(",")]
    times = [hour * 60 + minute for hour, minute in sorted(product(hours, minutes))]
    steps = {later - earlier for earlier, later in pairwise(times)}
    is_daily = parts.get("FREQ") == "DAILY" and not parts.keys() & {"BYDAY", "INTERVAL", "BYMONTH"}
    if len(times) > _MOST_CLOCKS and len(steps) == 1 and steps.pop() == 60 and is_daily:
        return say(language, "rule.hourly_from", first=_clock(times[0]), last=_clock(times[-1]))
    clocks = [_clock(time) for time in times] if len(times) > 1 else [phrasing.clock(start)]
    return say(language, "rule.at", each=each, clock=say(language, "rule.joint").join(clocks))


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _bounded(language: str, told: str, parts: Mapping[str, str], schedule: Schedule) -> str:
    if "COUNT" in parts:
        return say(language, "rule.times", rule=told, n=parts["COUNT"])
    until = parse_rule(without_nag(schedule.rule)).until
    if until is None:
        return told
    last = until if until.tzinfo is None else until.astimezone(ZoneInfo(schedule.zone))
    day = phrasing.date(language, last)
    if parts.get("FREQ") in {"MINUTELY", "HOURLY"}:
        day = say(language, "rule.at", each=day, clock=phrasing.clock(last))
    return say(language, "rule.until", rule=told, until=day)


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


def _weekdays(language: str, days: str) -> str:
    if days in _SETS:
        return say(language, f"rule.{_SETS[days]}")
    names = [phrasing.weekday(language, WEEKDAYS.index(day)) for day in days.split(",") if day in WEEKDAYS]
    return say(language, "rule.joint").join(names)
