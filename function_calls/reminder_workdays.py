"""Working days as people mean them: without public holidays, and with the make-up days of their country."""

import re
from dataclasses import replace

from services.errors import RequestRefused
from services.reminders.calendars.regions import region_of
from services.reminders.model import Schedule
from services.reminders.rules import parse_rule

_WORKDAYS = re.compile(r"\b(?:work(?:ing)? ?days?|business days?)\b|工作日|上班日", re.IGNORECASE)
_FIVE_DAYS = re.compile(r"FREQ=WEEKLY;(?:INTERVAL=1;)?BYDAY=MO,TU,WE,TH,FR")


def with_holidays(schedule: Schedule, words: str) -> Schedule:
    """The schedule on the working days of its zone's country, where `words` speak of those and not of weekdays.

    It stays from Monday to Friday where no calendar knows the country, or none is installed.
    """
    if not _WORKDAYS.search(words) or not _FIVE_DAYS.match(schedule.rule):
        return schedule
    region = region_of(schedule.zone)
    rule = _FIVE_DAYS.sub(f"WORKDAYS;REGION={region}", schedule.rule)
    try:
        parse_rule(rule)
    except RequestRefused:
        return schedule
    return replace(schedule, rule=rule)
