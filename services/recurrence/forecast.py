"""Tell up to which day a schedule is certain: some calendars are decreed from year to year."""

from datetime import date

from services.recurrence.rules import load_calendar
from services.recurrence.schedule import Schedule


def known_until(schedule: Schedule) -> date | None:
    """Return the last day whose fires are certain; None where all are.

    Fires after it follow weekends and fixed holidays until the library that holds the decrees is updated.

    Raises:
        RequestRefused: the rule is not one that can be kept.
    """
    rule = schedule.rule
    if rule is None or rule.calendar is None:
        return None
    load_calendar(rule)
    return rule.calendar.known_until
