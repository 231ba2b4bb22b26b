"""Rules for every workday, which exclude public holidays."""

from datetime import datetime

import pytest

from function_calls.grounding.new_reminders import with_workdays
from services.recurrence.schedule import read_schedule

FIVE = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0"


def set_for(words: str, *, zone: str = "Europe/Berlin", rule: str = FIVE) -> str:
    return str(with_workdays(read_schedule(datetime(2026, 11, 20, 9, 0), zone, rule), words).rule)


@pytest.mark.parametrize(
    ("words", "zone", "region"),
    [
        ("remind me every workday at 9", "Europe/Berlin", "DE"),
        ("every business day", "America/New_York", "US"),
        ("every weekday except for bank holidays", "Europe/London", "GB"),
        ("每个工作日9点提醒我", "Asia/Shanghai", "CN"),
    ],
)
def test_workdays_are_those_of_the_country(words: str, zone: str, region: str):
    assert set_for(words, zone=zone) == f"WORKDAYS;REGION={region};BYHOUR=9;BYMINUTE=0"


@pytest.mark.parametrize(
    ("words", "zone", "rule"),
    [
        ("every weekday at 9", "Europe/Berlin", FIVE),
        ("every workday at 9", "Etc/GMT-8", FIVE),
        ("every day after the workday", "Europe/Berlin", "FREQ=DAILY"),
    ],
)
def test_other_rules_and_places_are_unchanged(words: str, zone: str, rule: str):
    assert set_for(words, zone=zone, rule=rule) == rule
