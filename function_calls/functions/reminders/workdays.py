"""Compute working days: without public holidays, with the make-up days of a country."""

import re

from msgspec.structs import replace

from services.kernel.errors import RequestRefused
from services.recurrence.calendars.workdays import Workdays, region_of
from services.recurrence.rules import load_calendar
from services.recurrence.schedule import Schedule

_WORKDAYS = re.compile(
    r"\b(?:work(?:ing)? ?days?|business days?)\b|工作日|上班日|节假日(?:都?不用|除外|不算|休息)|除了?(?:法定)?节假日"
    r"|\b(?:except|excluding|apart from|other than|besides|but)[a-z ]{0,24} holidays?\b",
    re.IGNORECASE,
)
_FIVE_DAYS = tuple((0, weekday) for weekday in range(5))


def on_working_days(schedule: Schedule, words: str) -> Schedule | None:
    """Return the schedule on working days of its zone's country; None where `words` name weekdays or other days."""
    rule = schedule.rule
    if rule is None or not _WORKDAYS.search(words):
        return None
    if (rule.frequency, rule.interval, rule.days) != ("WEEKLY", 1, _FIVE_DAYS):
        return None
    calendar = Workdays(region=region_of(schedule.zone) or "")
    return replace(schedule, rule=replace(rule, frequency="DAILY", days=(), calendar=calendar))


def with_holidays(schedule: Schedule, words: str) -> Schedule:
    """Return the schedule `on_working_days`, where `words` name working days.

    It stays from Monday to Friday where no calendar knows the country, or none is installed.
    """
    wanted = on_working_days(schedule, words)
    if wanted is None or wanted.rule is None:
        return schedule
    try:
        load_calendar(wanted.rule)
    except RequestRefused:
        return schedule
    return wanted
