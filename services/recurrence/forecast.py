"""Tell up to which day a schedule is certain: some calendars are decreed from year to year."""

from datetime import date

from services.recurrence.rules import parse_rule
from services.recurrence.schedule import Schedule


def known_until(schedule: Schedule) -> date | None:
    """Return the last day whose fires are certain; None where all are.

    Fires after it follow weekends and fixed holidays until the library that holds the decrees is updated.

    Raises:
        RequestRefused: the rule is not one that can be kept.
    """
    days = parse_rule(schedule.rule).calendar_days if schedule.rule else None
    return None if days is None else days.known_until
