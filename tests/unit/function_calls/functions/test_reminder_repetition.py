"""Changes of the days and the end of a repetition."""

from datetime import datetime

import pytest
from pydantic import ValidationError

from function_calls.functions.reminders.models import ReminderUpdateArgs
from function_calls.functions.reminders.repetition import change_repetition, convert_recurring_skip
from services.kernel.errors import RequestRefused
from services.recurrence.fires import next_fires
from services.recurrence.schedule import Schedule, read_schedule

DAILY = "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"
WORKDAYS = "WORKDAYS;REGION=CN;BYHOUR=9;BYMINUTE=0"
WEEKDAYS = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0"


def schedule(rule, zone="UTC"):
    return read_schedule(datetime(2026, 1, 5, 9, 0), zone, rule)


def rule_of(rule, context, **changes):
    return str(change_repetition(ReminderUpdateArgs(**changes), schedule(rule), context).rule)


@pytest.mark.parametrize(
    ("rule", "days", "after"),
    [
        (DAILY, "-Sundays", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA;BYHOUR=9;BYMINUTE=0"),
        (DAILY, "-周末", WEEKDAYS),
        (DAILY, "weekdays", WEEKDAYS),
        (DAILY, "every day except Friday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,SA,SU;BYHOUR=9;BYMINUTE=0"),
        (WEEKDAYS, "+Saturday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA;BYHOUR=9;BYMINUTE=0"),
        (WEEKDAYS, "+周六和周日", DAILY),
        (
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=9;BYMINUTE=0",
            "+Wednesday",
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;BYHOUR=9;BYMINUTE=0",
        ),
        ("FREQ=WEEKLY;BYHOUR=9;BYMINUTE=0", "+Tuesday", "FREQ=WEEKLY;BYDAY=MO,TU;BYHOUR=9;BYMINUTE=0"),
        ("FREQ=DAILY;INTERVAL=2;BYHOUR=9;BYMINUTE=0", "周一三五", "FREQ=WEEKLY;BYDAY=MO,WE,FR;BYHOUR=9;BYMINUTE=0"),
        ("FREQ=DAILY;INTERVAL=3;BYHOUR=9;BYMINUTE=0", "Saturdays", "FREQ=WEEKLY;BYDAY=SA;BYHOUR=9;BYMINUTE=0"),
        (WORKDAYS, "-Friday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH;BYHOUR=9;BYMINUTE=0"),
        (WORKDAYS, "+Saturday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA;BYHOUR=9;BYMINUTE=0"),
        (WORKDAYS, "+weekend", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"),
    ],
)
def test_days_are_added_excluded_and_replaced(context_of, rule, days, after):
    assert rule_of(rule, context_of(), days=days) == after


@pytest.mark.parametrize(
    ("rule", "changes", "code"),
    [
        ("", {"days": "weekdays"}, "no_repetition"),
        ("FREQ=HOURLY;INTERVAL=2", {"days": "-Sundays"}, "no_days_of_week"),
        ("FREQ=DAILY;INTERVAL=2", {"days": "-Sundays"}, "no_days_of_week"),
        ("FREQ=MONTHLY;BYMONTHDAY=15", {"days": "+Friday"}, "no_days_of_week"),
        (WEEKDAYS, {"days": "-weekdays"}, "no_day_left"),
        (WEEKDAYS, {"days": "-Sundays"}, "not_on_that_day"),
        (WEEKDAYS, {"days": "tomorrow"}, "time_not_understood"),
        (WEEKDAYS, {"until": "stretching"}, "time_not_understood"),
    ],
)
def test_impossible_change_of_a_rule_is_refused(context_of, rule, changes, code):
    old = schedule(rule) if rule else Schedule(start=datetime(2030, 1, 5, 9, 0), zone="UTC")

    with pytest.raises(RequestRefused) as error:
        change_repetition(ReminderUpdateArgs(**changes), old, context_of())

    assert error.value.code == code


@pytest.mark.parametrize(
    ("monday", "first"), [(datetime(2026, 11, 23, 9), datetime(2026, 11, 21, 9)), (datetime(2026, 11, 30, 9),) * 2]
)
def test_added_day_may_precede_a_default_start(context_of, monday, first):
    old = read_schedule(monday, "UTC", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0")

    added = change_repetition(ReminderUpdateArgs(days="+Saturday"), old, context_of())

    assert next_fires(added, context_of().now, 1)[0].replace(tzinfo=None) == first


def test_rule_ends_after_its_last_day(context_of):
    context = context_of()
    last = next_fires(schedule(DAILY), context.now, 5)[-1]

    result = change_repetition(ReminderUpdateArgs(until=f"{last:%Y-%m-%d}"), schedule(f"{DAILY};COUNT=2000"), context)

    assert next_fires(result, context.now, 99) == next_fires(schedule(DAILY), context.now, 5)


@pytest.mark.parametrize("rule", [DAILY, f"{DAILY};UNTIL=20300101T000000Z", "FREQ=HOURLY;INTERVAL=5", "FREQ=MONTHLY"])
def test_rule_gets_a_number_of_further_occurrences(context_of, rule):
    context = context_of()

    result = change_repetition(ReminderUpdateArgs(times=3), schedule(rule), context)

    assert next_fires(result, context.now, 99) == next_fires(schedule(rule), context.now, 3)


def test_skipped_day_does_not_count(context_of):
    context = context_of()
    skipped = next_fires(schedule(DAILY), context.now, 2)[-1]
    old = schedule(f"{DAILY};EXDATE={skipped:%Y%m%d}")

    result = change_repetition(ReminderUpdateArgs(times=3), old, context)

    assert next_fires(result, context.now, 99) == next_fires(old, context.now, 3)


def test_number_of_occurrences_is_kept_on_other_days(context_of):
    context = context_of()
    start = next_fires(schedule(DAILY), context.now, 1)[0]
    old = read_schedule(start.replace(tzinfo=None), "UTC", f"{DAILY};COUNT=4")

    fewer = change_repetition(ReminderUpdateArgs(days="-Sundays"), old, context)

    assert len(next_fires(fewer, context.now, 99)) == 4


def test_recurring_skipped_days_are_excluded_from_the_rule(context_of):
    plural = convert_recurring_skip(ReminderUpdateArgs(skip="on weekends"), context_of())
    single = convert_recurring_skip(ReminderUpdateArgs(skip="sunday"), context_of())

    assert (plural.skip, plural.days) == (None, "-on weekends")
    assert (single.skip, single.days) == ("sunday", None)


def test_very_frequent_rule_is_counted_in_bounded_time():
    with pytest.raises(ValidationError, match="less than or equal to 10000"):
        ReminderUpdateArgs(times=1_000_000_000)
