"""Comparison of recurrence rules by their occurrences."""

from datetime import datetime

import pytest

from benchmarks.evaluation.recurrence_match import is_same_recurrence

FRIDAY = datetime(2026, 11, 20, 10, 0)


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        ("FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU"),
        ("FREQ=WEEKLY;BYDAY=MO", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0"),
        ("FREQ=DAILY;BYHOUR=7", "FREQ=DAILY;BYHOUR=7;BYMINUTE=0"),
        ("FREQ=MINUTELY;INTERVAL=60", "FREQ=HOURLY"),
        ("FREQ=WEEKLY;BYDAY=MO;UNTIL=20270101", "FREQ=WEEKLY;BYDAY=MO;UNTIL=20261231"),
        ("RRULE:FREQ=MONTHLY;BYDAY=+1TH", "FREQ=MONTHLY;BYDAY=1TH"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "DTSTART=20261130;FREQ=MONTHLY;BYMONTHDAY=-1"),
    ],
)
def test_equivalent_rules_match_in_any_spelling(wanted, given):
    assert is_same_recurrence(wanted, given, FRIDAY)


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        ("FREQ=DAILY;BYHOUR=7", "FREQ=DAILY;BYHOUR=19;BYMINUTE=0"),
        ("FREQ=WEEKLY;BYDAY=MO", "FREQ=WEEKLY;BYDAY=TU"),
        ("FREQ=WEEKLY;BYDAY=MO;COUNT=3", "FREQ=WEEKLY;BYDAY=MO"),
        ("FREQ=HOURLY", "FREQ=HOURLY;INTERVAL=2"),
        ("FREQ=DAILY", ""),
        ("FREQ=DAILY", "FREQ=DAILY;BYMONTH=nonsense"),
    ],
)
def test_rules_with_other_occurrences_do_not_match(wanted, given):
    assert not is_same_recurrence(wanted, given, FRIDAY)


def test_a_clock_outside_of_the_window_is_wrong():
    assert not is_same_recurrence("FREQ=DAILY", "FREQ=DAILY;BYHOUR=20;BYMINUTE=0", FRIDAY, (4, 12))
