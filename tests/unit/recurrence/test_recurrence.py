"""Due times of schedules, case by case, with instants in UTC."""

import time
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from services.kernel.errors import RequestRefused
from services.recurrence.fires import check, next_after, next_fires
from services.recurrence.missed import missed_between
from services.recurrence.rules import parse_rule
from services.recurrence.schedule import Schedule, read_schedule


def schedule(start: str, rule: str = "", zone: str = "Europe/Berlin", fold: int = 0) -> Schedule:
    return read_schedule(datetime.fromisoformat(start).replace(fold=fold), zone, rule)


def parse_utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def fires(found: Schedule, after: str, count: int = 3) -> list[str]:
    return [f"{each.astimezone(UTC):%Y-%m-%dT%H:%M}" for each in next_fires(found, parse_utc(after), count)]


CASES = [
    ("a gap moves the fire forward", "2026-03-28T02:30", "FREQ=DAILY", "Europe/Berlin",
     ["2026-03-28T01:30", "2026-03-29T01:30", "2026-03-30T00:30"]),
    ("a fold fires at the first", "2026-10-24T02:30", "FREQ=DAILY", "Europe/Berlin",
     ["2026-10-24T00:30", "2026-10-25T00:30", "2026-10-26T01:30"]),
    ("a weekly time keeps its wall clock", "2026-03-23T09:00", "FREQ=WEEKLY;BYDAY=MO", "Europe/Berlin",
     ["2026-03-23T08:00", "2026-03-30T07:00", "2026-04-06T07:00"]),
    ("every second week", "2026-03-23T09:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "Europe/Berlin",
     ["2026-03-23T08:00", "2026-04-06T07:00", "2026-04-20T07:00"]),
    ("the 31st leaves out shorter months", "2026-01-31T09:00", "FREQ=MONTHLY", "Europe/Berlin",
     ["2026-01-31T08:00", "2026-03-31T07:00", "2026-05-31T07:00"]),
    ("the 31st or the last day", "2026-01-31T09:00", "FREQ=MONTHLY;BYMONTHDAY=31;RSCALE=GREGORIAN;SKIP=BACKWARD",
     "Europe/Berlin", ["2026-01-31T08:00", "2026-02-28T08:00", "2026-03-31T07:00"]),
    ("the last day of the month", "2026-01-31T09:00", "FREQ=MONTHLY;BYMONTHDAY=-1", "Europe/Berlin",
     ["2026-01-31T08:00", "2026-02-28T08:00", "2026-03-31T07:00"]),
    ("the last Friday of the month", "2026-01-30T09:00", "FREQ=MONTHLY;BYDAY=-1FR", "Europe/Berlin",
     ["2026-01-30T08:00", "2026-02-27T08:00", "2026-03-27T08:00"]),
    ("the last workday of the month", "2026-01-30T09:00", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
     "Europe/Berlin", ["2026-01-30T08:00", "2026-02-27T08:00", "2026-03-31T07:00"]),
    ("29 February", "2024-02-29T09:00", "FREQ=YEARLY", "Europe/Berlin",
     ["2024-02-29T08:00", "2028-02-29T08:00", "2032-02-29T08:00"]),
    ("a zone off by half hours", "2026-03-28T09:00", "FREQ=DAILY", "Asia/Kolkata",
     ["2026-03-28T03:30", "2026-03-29T03:30", "2026-03-30T03:30"]),
    ("a gap of half an hour", "2026-10-03T02:10", "FREQ=DAILY", "Australia/Lord_Howe",
     ["2026-10-02T15:40", "2026-10-03T15:40", "2026-10-04T15:10"]),
    ("a gap at midnight", "2026-09-05T00:30", "FREQ=DAILY", "America/Santiago",
     ["2026-09-05T04:30", "2026-09-06T04:30", "2026-09-07T03:30"]),
    ("a day of 23 hours", "2026-03-28T00:00", "FREQ=DAILY", "Europe/Berlin",
     ["2026-03-27T23:00", "2026-03-28T23:00", "2026-03-29T22:00"]),
    ("a day that does not exist", "2011-12-29T09:00", "FREQ=DAILY", "Pacific/Apia",
     ["2011-12-29T19:00", "2011-12-30T19:00", "2011-12-31T19:00"]),
    ("an elapsed hour runs through the fold", "2026-10-25T01:00", "FREQ=HOURLY", "Europe/Berlin",
     ["2026-10-24T23:00", "2026-10-25T00:00", "2026-10-25T01:00"]),
    ("every 90 minutes", "2026-03-29T01:00", "FREQ=MINUTELY;INTERVAL=90", "Europe/Berlin",
     ["2026-03-29T00:00", "2026-03-29T01:30", "2026-03-29T03:00"]),
    ("twice an hour", "2026-11-20T09:00", "FREQ=HOURLY;BYMINUTE=0,30", "Asia/Kolkata",
     ["2026-11-20T03:30", "2026-11-20T04:00", "2026-11-20T04:30"]),
    ("every other hour in office hours keeps its wall clock", "2026-10-24T15:00", "FREQ=HOURLY;INTERVAL=2;BYHOUR=9,15",
     "Europe/Berlin", ["2026-10-24T13:00", "2026-10-25T08:00", "2026-10-25T14:00"]),
    ("several times a day", "2026-11-20T08:00", "FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0", "UTC",
     ["2026-11-20T08:00", "2026-11-20T20:00", "2026-11-21T08:00"]),
    ("two times that a gap puts together fire once", "2026-03-29T02:30", "FREQ=DAILY;BYHOUR=2,3;BYMINUTE=30",
     "Europe/Berlin", ["2026-03-29T01:30", "2026-03-30T00:30", "2026-03-30T01:30"]),
    ("workdays", "2026-11-20T09:00", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "UTC",
     ["2026-11-20T09:00", "2026-11-23T09:00", "2026-11-24T09:00"]),
    ("Friday the 13th", "2026-01-01T09:00", "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", "UTC",
     ["2026-02-13T09:00", "2026-03-13T09:00", "2026-11-13T09:00"]),
]  # fmt: skip


@pytest.mark.parametrize(("start", "rule", "zone", "expected"), [case[1:] for case in CASES], ids=[c[0] for c in CASES])
def test_rule_fires_at_its_instants(start, rule, zone, expected):
    before = datetime.fromisoformat(start) - timedelta(days=2)

    assert fires(schedule(start, rule, zone), f"{before:%Y-%m-%dT%H:%M}") == expected


def test_every_day_at_midnight_set_just_after_midnight_fires_tomorrow():
    daily = schedule("2026-11-21T00:00", "FREQ=DAILY;BYHOUR=0;BYMINUTE=0", "UTC")

    assert fires(daily, "2026-11-21T00:00:00.000001", 1) == ["2026-11-22T00:00"]


def test_old_rule_continues_from_its_first_day():
    assert fires(schedule("2016-01-04T09:00", "FREQ=WEEKLY;INTERVAL=3", "UTC"), "2026-11-20T00:00", 1) == [
        "2026-12-07T09:00"
    ]


def test_count_ends_a_rule():
    assert fires(schedule("2026-03-28T09:00", "FREQ=DAILY;COUNT=2"), "2026-03-01T00:00") == [
        "2026-03-28T08:00",
        "2026-03-29T07:00",
    ]


def test_counted_rule_ends_after_its_count():
    assert fires(schedule("2026-03-28T09:00", "FREQ=DAILY;COUNT=2"), "2026-03-29T07:00") == []


@pytest.mark.parametrize("until", ["20261122", "20261122T090000", "20261122T080000Z"])
def test_until_is_the_last_fire(until: str):
    found = fires(schedule("2026-11-21T09:00", f"FREQ=DAILY;UNTIL={until}"), "2026-11-20T00:00")

    assert found == ["2026-11-21T08:00", "2026-11-22T08:00"]


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Shanghai"])
@pytest.mark.parametrize("until", ["99991231", "99991231T235959", "99991231T235959Z"])
def test_rule_until_the_last_day_that_calendars_have_fires(until: str, zone: str):
    rule = parse_rule(f"FREQ=DAILY;UNTIL={until}")
    found = next_fires(
        Schedule(start=datetime(2026, 11, 21, 9), zone=zone, rule=rule), parse_utc("2026-11-20T00:00"), 1
    )

    assert [fire.hour for fire in found] == [9]
    assert rule.until.astimezone(ZoneInfo(zone))


def test_rule_with_dates_of_antiquity_is_read_from_its_own_text():
    rule = parse_rule("FREQ=DAILY;UNTIL=07530421T120000;EXDATE=00010101T090000,04760904")

    assert parse_rule(str(rule)) == rule


def test_a_once_schedule_fires_once():
    once = schedule("2026-11-21T09:00")

    assert next_after(once, parse_utc("2026-11-21T07:59")) == parse_utc("2026-11-21T08:00")
    assert next_after(once, parse_utc("2026-11-21T08:00")) is None


def test_single_schedule_may_be_at_the_second_of_two_equal_wall_times():
    assert next_after(schedule("2026-10-25T02:30", fold=1), parse_utc("2026-10-25T00:31")) == parse_utc(
        "2026-10-25T01:30"
    )


def test_next_occurrences_are_in_the_zone_of_the_schedule():
    (fire,) = next_fires(schedule("2026-11-21T09:00"), parse_utc("2026-11-20T00:00"))

    assert fire.tzinfo == ZoneInfo("Europe/Berlin")
    assert fire.hour == 9


@pytest.mark.parametrize("rule", ["FREQ=MINUTELY;INTERVAL=2;BYMINUTE=5", "FREQ=HOURLY;INTERVAL=2;BYHOUR=10;BYMINUTE=5"])
def test_interval_that_never_meets_a_clock_time_of_the_rule_is_refused_at_once(rule):
    start = time.process_time()
    with pytest.raises(RequestRefused, match="rule_never_fires"):
        check(read_schedule(datetime(2026, 11, 20, 9, 0), "UTC", rule), datetime(2026, 11, 20, tzinfo=UTC))

    assert time.process_time() - start < 1


def test_rule_with_many_excluded_days_is_computed_in_bounded_time():
    first = datetime(2026, 11, 20)
    days = ",".join(f"{first + timedelta(days=number):%Y%m%d}" for number in range(1000))
    hours, start = ",".join(map(str, range(24))), time.process_time()
    schedule = read_schedule(first, "UTC", f"FREQ=MINUTELY;BYHOUR={hours};EXDATE={days}")

    assert next_after(schedule, first.replace(tzinfo=UTC)) == datetime(2029, 8, 16, tzinfo=UTC)
    assert time.process_time() - start < 1


def test_rule_without_occurrences_is_detected_in_bounded_time():
    rule = "FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=" + ",".join(str(position) for position in range(-366, -335))
    start = time.process_time()
    with pytest.raises(RequestRefused) as error:
        check(schedule("2026-11-30T09:00", rule), parse_utc("2026-11-20T10:00"))

    assert error.value.code == "rule_never_fires"
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ("FREQ=SECONDLY", "rule_too_often"),
        ("FREQ=MINUTELY;BYSECOND=0,30", "rule_too_often"),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "rule_never_fires"),
        ("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "rule_never_fires"),
        ("FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30", "rule_never_fires"),
        ("FREQ=YEARLY;BYWEEKNO=53;BYMONTH=6", "rule_never_fires"),
        ("FREQ=DAILY;UNTIL=20200101", "rule_never_fires"),
        ("FREQ=DAILY;INTERVAL=9999", "rule_never_fires"),
        ("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=" + ",".join(["-1"] * 32), "rule_not_understood"),
        ("FREQ=SOMETIMES", "rule_not_understood"),
        ("INTERVAL=2", "rule_not_understood"),
        ("every day", "rule_not_understood"),
        ("FREQ=DAILY;FREQ=WEEKLY", "rule_not_understood"),
        ("FREQ=DAILY;INTERVAL=0", "rule_not_understood"),
        ("FREQ=DAILY;BYHOUR=24", "rule_not_understood"),
        ("FREQ=DAILY;BYHOUR=-1", "rule_not_understood"),
        ("FREQ=DAILY;BYDAY=1MO", "rule_not_understood"),
        ("FREQ=MONTHLY;BYDAY=0MO", "rule_not_understood"),
        ("FREQ=MONTHLY;BYDAY=9MO;WKST=SU", "rule_not_understood"),
        ("FREQ=YEARLY;BYMONTH=1,12;BYDAY=53MO;BYSETPOS=1", "rule_not_understood"),
        ("FREQ=WEEKLY;BYDAY=XX", "rule_not_understood"),
        ("FREQ=HOURLY;BYSETPOS=1", "rule_not_understood"),
        ("FREQ=DAILY;SKIP=BACKWARD", "rule_not_understood"),
        ("FREQ=DAILY;X-NAME=1", "rule_not_understood"),
        ("FREQ=DAILY;COUNT=99999999", "rule_not_understood"),
        ("FREQ=DAILY;UNTIL=soon", "rule_not_understood"),
    ],
)
def test_unsupported_rule_is_refused(rule: str, code: str):
    with pytest.raises(RequestRefused) as refusal:
        check(schedule("2026-11-20T09:00", rule), parse_utc("2026-11-20T10:00"))

    assert refusal.value.code == code


def test_a_past_time_is_refused_with_both_times():
    with pytest.raises(RequestRefused) as refusal:
        check(schedule("2026-11-20T09:00"), parse_utc("2026-11-20T10:00"))

    assert refusal.value.code == "time_in_past"
    assert refusal.value.fields == {"due": parse_utc("2026-11-20T08:00"), "now": parse_utc("2026-11-20T10:00")}


def test_an_unknown_zone_is_refused():
    with pytest.raises(RequestRefused) as refusal:
        check(schedule("2026-11-20T09:00", zone="Mars/Olympus"), parse_utc("2026-11-20T00:00"))

    assert refusal.value.code == "zone_unknown"


@pytest.mark.parametrize(
    ("rule", "now", "latest", "missed"),
    [
        ("FREQ=DAILY", "2026-11-23T08:30", "2026-11-23T08:00", 3),
        ("FREQ=MINUTELY;INTERVAL=5", "2026-11-20T09:02", "2026-11-20T09:00", 12),
        ("FREQ=MINUTELY;INTERVAL=5;COUNT=4", "2026-11-20T09:02", "2026-11-20T08:15", 3),
        ("FREQ=DAILY;COUNT=2", "2027-01-01T00:00", "2026-11-21T08:00", 1),
    ],
)
def test_missed_fires_are_counted_up_to_the_latest(rule, now, latest, missed):
    found = missed_between(schedule("2026-11-20T09:00", rule), parse_utc("2026-11-20T08:00"), parse_utc(now))

    assert found == (parse_utc(latest), missed)
