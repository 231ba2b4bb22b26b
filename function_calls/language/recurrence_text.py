"""Word recurrence rules completely, so that the text parses to the same rule again."""

import re
from collections.abc import Mapping
from datetime import datetime
from itertools import pairwise, product
from zoneinfo import ZoneInfo

from function_calls.language import date_format
from function_calls.language.messages import FALLBACK, LANGUAGES, say
from services.kernel.errors import RequestRefused
from services.recurrence.calendars.lunar import LAST_DAY, LunarDays
from services.recurrence.calendars.workdays import Workdays
from services.recurrence.rules import WEEKDAYS, Rule, parse_rule
from services.recurrence.schedule import Schedule
from services.reminders.model import Reminder

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
_MAX_CLOCKS = 4
"""More clock times a day, evenly apart, are told as "every hour from 09:00 to 17:00"."""
_LONG_IN_MINUTES = 120
"""A longer period is worded in hours: nobody counts 210 minutes."""
_HALF_HOUR = 30
_DAY_PARTS = frozenset({"BYDAY", "BYMONTH", "BYMONTHDAY", "BYSETPOS", "BYYEARDAY", "BYWEEKNO"})
_ANY_DAY = datetime(2001, 1, 1)  # noqa: DTZ001 - wall clock, for a rule without its start
_RULE_TEXT = re.compile(r"(?:RRULE:)?\b(?:[A-Z]+=[\w,+-]+;){0,20}FREQ=[A-Z]+(?:;[A-Z]+=[\w+-]+(?:,[\w+-]+)*)*")


def rule(language: str, reminder: Reminder) -> str:
    """Word the repetition of a reminder: days, times, count or end, or only its follow-ups until done."""
    return schedule_words(language, reminder.schedule)


def schedule_words(language: str, schedule: Schedule) -> str:
    """Word the rule of `schedule`; `is_custom` recognises rules that no sentence here expresses completely."""
    if schedule.rule is None:
        if schedule.follow_up is None:
            return say(language, "rule.custom")
        minutes = round(schedule.follow_up.every.total_seconds() / 60)
        return say(language, "rule.until_done", each=_period(language, "minute", minutes))
    parts, every = schedule.rule.parts, schedule.rule.interval
    unit = _UNITS.get(parts.get("FREQ", ""), "")
    if not unit:
        each = _by_calendar(language, schedule.rule)
    elif unit in {"minute", "hour"}:
        each = _within_day(language, unit, every, parts)
    else:
        each = _days(language, unit, every, parts, schedule.start)
        if each and parts.get("SKIP") == "BACKWARD":
            each = say(language, "rule.or_last_day", each=each)
    if not each:
        return _bounded(language, say(language, "rule.custom"), parts, schedule)
    phrase = each if unit in {"minute", "hour"} else _at_clocks(language, each, parts, schedule.start)
    return _bounded(language, phrase, parts, schedule)


def is_custom(schedule: Schedule) -> bool:
    """Return whether `schedule_words` words the rule as a custom one, so that its next time has to be named too."""
    custom = say(FALLBACK, "rule.custom")
    return schedule.rule is not None and schedule_words(FALLBACK, schedule).startswith(custom)


def without_rule_text(language: str, text: str) -> str:
    """Replace each RFC 5545 rule in `text`, such as an argument of a call, by its words."""
    return _RULE_TEXT.sub(lambda found: _rule_text_words(language, found[0]), text) if "FREQ=" in text else text


def rules_in_words(text: str) -> dict[str, dict[str, str]]:
    """Return the words of each RFC 5545 rule in `text`, by language and then by the rule as it is written."""
    rules = dict.fromkeys(found[0] for found in _RULE_TEXT.finditer(text)) if "FREQ=" in text else {}
    if not rules:
        return {}
    return {language: {each: _rule_text_words(language, each) for each in rules} for language in LANGUAGES}


def _rule_text_words(language: str, rule_text: str) -> str:
    try:
        rule = parse_rule(rule_text)
    except RequestRefused:
        return say(language, "rule.custom")
    if rule.hours:
        start = _ANY_DAY.replace(hour=rule.hours[0], minute=next(iter(rule.minutes), 0))
        return schedule_words(language, Schedule(start=start, zone="UTC", rule=rule))
    parts, unit, every = rule.parts, _UNITS[rule.frequency], rule.interval
    shape = {*parts} & _DAY_PARTS
    each = _days(language, unit, every, parts, _ANY_DAY) if shape else _period(language, unit, every)
    return each or say(language, "rule.custom")


def _period(language: str, unit: str, every: int) -> str:
    if every == 1:
        return say(language, f"rule.each_{unit}")
    if unit == "minute" and every > _LONG_IN_MINUTES:
        return say(language, "rule.every", span=_hours(language, *divmod(every, 60)))
    return say(language, "rule.every", span=date_format.count(language, unit, every))


def _hours(language: str, hours: int, minutes: int) -> str:
    """Word hours and minutes: "2 hours", "3.5 hours", "3 hours 20 minutes"."""
    if minutes == _HALF_HOUR:
        return say(language, "time.hours_and_a_half", n=hours)
    hours_text = date_format.count(language, "hour", hours)
    if not minutes:
        return hours_text
    return say(
        language, "time.hours_and_minutes", hours=hours_text, minutes=date_format.count(language, "minute", minutes)
    )


def _within_day(language: str, unit: str, every: int, parts: Mapping[str, str]) -> str:
    """Word minutes and hours, perhaps on certain weekdays; empty for other limits."""
    each, days = _period(language, unit, every), parts.get("BYDAY", "")
    is_limited = parts.keys() & (_DAY_PARTS - {"BYDAY"} | {"BYHOUR"}) or (unit == "minute" and "BYMINUTE" in parts)
    if is_limited or not _are_plain(days):
        return ""
    return say(language, "rule.period_on_days", each=each, days=_listed_weekdays(language, days)) if days else each


def _days(language: str, unit: str, every: int, parts: Mapping[str, str], start: datetime) -> str:
    """Word the days of a rule: "every Monday", "every 2 weeks on Friday"; empty if words cannot be complete."""
    each, shape = _period(language, unit, every), parts.keys() & _DAY_PARTS
    days = parts.get("BYDAY", "")
    are_weekdays = bool(days) and _are_plain(days) and shape <= {"BYDAY", "BYMONTH"}
    if unit in {"day", "week"} or (are_weekdays and every == 1):
        return _of_week(language, unit, every, parts, start) if shape <= {"BYDAY", "BYMONTH"} else ""
    if unit == "year" or "BYMONTH" in parts:
        return _of_year(language, each, parts, start) if unit == "year" or every == 1 else ""
    return _of_month(language, each, every, parts, start)


def _of_week(language: str, unit: str, every: int, parts: Mapping[str, str], start: datetime) -> str:
    days = parts.get("BYDAY", "" if unit == "day" else WEEKDAYS[start.weekday()])
    if not _are_plain(days):
        return ""
    if every == 1 and {*days.split(",")} == {*WEEKDAYS}:
        unit, days = "day", ""
    each = _period(language, unit, every)
    if days and every == 1:
        each = say(language, "rule.on_days", days=_weekdays(language, days))
    elif days:
        each = say(language, "rule.weeks_on_days", each=each, days=_listed_weekdays(language, days))
    if "BYMONTH" not in parts:
        return each
    return say(language, "rule.in_months", each=each, months=_months(language, parts["BYMONTH"]))


def _of_month(language: str, each: str, every: int, parts: Mapping[str, str], start: datetime) -> str:
    nth = _nth_days(language, parts)
    if nth:
        return say(language, "rule.on_nth_day", each=each, day=nth)
    if parts.keys() & _DAY_PARTS - {"BYMONTHDAY"}:
        return ""
    days = dict.fromkeys(parts.get("BYMONTHDAY", str(start.day)).split(","))
    if [*days] == ["-1"]:
        return say(language, "rule.on_last_day", each=each)
    if not all(day.isdecimal() for day in days):
        return ""
    numbers = say(language, "rule.day_joint").join(days)
    return say(language, "rule.on_month_day" if every == 1 else "rule.months_on_day", each=each, day=numbers)


def _of_year(language: str, each: str, parts: Mapping[str, str], start: datetime) -> str:
    """Word the date, or the counted weekday, in each of the months of a rule."""
    each = say(language, "rule.each_year") if parts.get("FREQ") != "YEARLY" else each
    shape, months = parts.keys() & _DAY_PARTS, parts.get("BYMONTH", str(start.month))
    nth = _nth_days(language, parts)
    if nth and "BYMONTH" in parts:
        return say(language, "rule.on_nth_day_of", each=each, day=nth, month=_months(language, months))
    if shape == {"BYYEARDAY"} and parts["BYYEARDAY"] == "-1":
        return say(language, "rule.on_last_day", each=each)
    if shape - {"BYMONTH", "BYMONTHDAY"} or ("BYMONTHDAY" in shape and "BYMONTH" not in shape):
        return ""
    day = parts.get("BYMONTHDAY", str(start.day))
    if day == "-1":
        return say(language, "rule.on_last_day_of", each=each, months=_months(language, months))
    first, *others = months.split(",")
    if not day.isdecimal():
        return ""
    dates = [say(language, "rule.date", day=day, month=_months(language, month)) for month in (first, *others)]
    return say(language, "rule.on_date", each=each, date=date_format.join(language, dates))


def _months(language: str, numbers: str) -> str:
    return date_format.join(language, (say(language, f"time.month_{number}") for number in numbers.split(",")))


def _are_plain(days: str) -> bool:
    """Return whether `days` are weekdays without an ordinal; an empty text is."""
    return all(day in WEEKDAYS for day in days.split(",")) if days else True


def _nth_days(language: str, parts: Mapping[str, str]) -> str:
    """Return the days that a rule counts: "the first Monday", "the last weekday"; nothing where it counts none."""
    days, place = parts.get("BYDAY", ""), parts.get("BYSETPOS", "")
    counted = [_NTH.fullmatch(day) for day in days.split(",")]
    named = [(each[1], date_format.weekday(language, WEEKDAYS.index(each[2]))) for each in counted if each is not None]
    if place and days in _SETS:
        named = [(place, say(language, f"rule.nth_of_{_SETS[days]}"))]
    elif place and days in WEEKDAYS:
        named = [(place, date_format.weekday(language, WEEKDAYS.index(days)))]
    elif None in counted or place or parts.keys() & _DAY_PARTS - {"BYDAY", "BYMONTH"}:
        return ""
    if any(place.lstrip("+") not in _PLACES for place, _ in named):
        return ""
    ordinals = ((say(language, f"rule.ordinal_{place.lstrip('+')}"), name) for place, name in named)
    return date_format.join(
        language, (say(language, "rule.nth", ordinal=ordinal, day=name) for ordinal, name in ordinals)
    )


def _at_clocks(language: str, each: str, parts: Mapping[str, str], start: datetime) -> str:
    hours = [int(hour) for hour in parts.get("BYHOUR", str(start.hour)).split(",")]
    minutes = [int(minute) for minute in parts.get("BYMINUTE", str(start.minute)).split(",")]
    times = [hour * 60 + minute for hour, minute in sorted(product(hours, minutes))]
    steps = {later - earlier for earlier, later in pairwise(times)}
    is_daily = parts.get("FREQ") == "DAILY" and not parts.keys() & {"BYDAY", "INTERVAL", "BYMONTH"}
    if len(times) > _MAX_CLOCKS and len(steps) == 1 and is_daily:
        step = _period(language, *(("minute", steps.pop()) if min(steps) % 60 else ("hour", steps.pop() // 60)))
        return say(language, "rule.spread_from", each=step, first=_clock(times[0]), last=_clock(times[-1]))
    clocks = [_clock(time) for time in times] if len(times) > 1 else [date_format.clock(start)]
    return say(language, "rule.at", each=each, clock=date_format.join(language, clocks))


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _bounded(language: str, phrase: str, parts: Mapping[str, str], schedule: Schedule) -> str:
    if "COUNT" in parts:
        key = "rule.times_one" if parts["COUNT"] == "1" else "rule.times_many"
        return say(language, key, rule=phrase, n=parts["COUNT"])
    until = None if schedule.rule is None else schedule.rule.until
    if until is None:
        return phrase
    last = until if until.tzinfo is None else until.astimezone(ZoneInfo(schedule.zone))
    day = date_format.date(language, last)
    if parts.get("FREQ") in {"MINUTELY", "HOURLY"}:
        day = say(language, "rule.at", each=day, clock=date_format.clock(last))
    return say(language, "rule.until", rule=phrase, until=day)


def _by_calendar(language: str, rule: Rule) -> str:
    """Word a rule of a calendar: working days of a region, or dates of the lunar year; empty for other rules."""
    match rule.calendar:
        case Workdays(region=region, is_rest=is_rest):
            return say(language, f"rule.calendar_{'restdays' if is_rest else 'workdays'}", region=region)
        case LunarDays(days=days):
            dates = date_format.join(language, (_lunar_date(language, *each) for each in days))
            return say(language, "rule.calendar_lunar", dates=dates)
        case _:
            return ""


def _lunar_date(language: str, month: int, day: int) -> str:
    month_name = say(language, f"lunar.month_{month or 'each'}")
    return say(
        language, "lunar.date", month=month_name, day=say(language, f"lunar.day_{'last' if day == LAST_DAY else day}")
    )


def _weekdays(language: str, days: str) -> str:
    if days in _SETS:
        return say(language, f"rule.{_SETS[days]}")
    return _listed_weekdays(language, days)


def _listed_weekdays(language: str, days: str) -> str:
    names = [date_format.weekday(language, WEEKDAYS.index(day)) for day in days.split(",") if day in WEEKDAYS]
    return date_format.join(language, names)
