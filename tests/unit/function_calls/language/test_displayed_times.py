"""Times shown in confirmations, which are parsed back as the same times."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from function_calls.language import date_format
from function_calls.language.recurrence_text import rule
from services.recurrence.fires import next_fires
from services.recurrence.schedule import Schedule, read_schedule
from services.reminders.model import Reminder
from services.time_expressions import TimeReader
from tests.unit.function_calls.recurring_reminder import make_recurring

ZONES = ["UTC", "Asia/Shanghai", "America/New_York"]
LANGUAGES = ["en", "zh"]
DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
NOW = datetime(2026, 11, 20, 10, 7, tzinfo=ZoneInfo("Asia/Shanghai"))
READER = TimeReader()

moments = st.datetimes(datetime(2026, 1, 1), datetime(2036, 1, 1)).flatmap(
    lambda when: st.sampled_from(ZONES).map(lambda zone: when.replace(microsecond=0, tzinfo=ZoneInfo(zone)))
)
ahead = st.integers(60, 900 * 86_400).map(lambda seconds: timedelta(seconds=seconds))
clocks = st.lists(st.integers(0, 23), min_size=1, max_size=3, unique=True).map(sorted)
day_sets = st.lists(st.sampled_from(DAYS), min_size=1, max_size=7, unique=True).map(
    lambda days: ",".join(sorted(days, key=DAYS.index))
)
day_rules = st.one_of(
    st.just("FREQ=DAILY"),
    day_sets.map("FREQ=WEEKLY;BYDAY={}".format),
    st.lists(st.integers(1, 31), min_size=1, max_size=3, unique=True).map(
        lambda days: f"FREQ=MONTHLY;BYMONTHDAY={','.join(map(str, sorted(days)))}"
    ),
    st.just("FREQ=MONTHLY;BYMONTHDAY=-1"),
    st.just("FREQ=YEARLY;BYYEARDAY=-1"),
    st.tuples(st.integers(1, 12), st.sampled_from(DAYS)).map(
        lambda month: f"FREQ=YEARLY;BYMONTH={month[0]};BYDAY={month[1]}"
    ),
    st.just("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"),
    st.tuples(st.sampled_from([-1, 1, 2, 3, 4]), st.sampled_from(DAYS)).map(
        lambda nth: f"FREQ=MONTHLY;BYDAY={nth[0]}{nth[1]}"
    ),
    st.tuples(st.integers(1, 12), st.integers(1, 28)).map(
        lambda date: f"FREQ=YEARLY;BYMONTH={date[0]};BYMONTHDAY={date[1]}"
    ),
)
bounds = st.one_of(st.just(""), st.integers(2, 20).map(";COUNT={}".format), st.just(";UNTIL=20280630T155959Z"))


def parse_displayed_rule(language: str, reminder: Reminder) -> tuple[str, Schedule]:
    words = rule(language, reminder)
    best = READER.parse(words, NOW, language=language).best
    assert best is not None, words
    return words, read_schedule(best.wall, "Asia/Shanghai", best.rrule or "")


@pytest.mark.parametrize("language", LANGUAGES)
@given(now=moments, length=ahead)
@settings(deadline=None, max_examples=50)
def test_displayed_moment_is_read_as_that_moment(language: str, now: datetime, length: timedelta) -> None:
    due = (now.astimezone(UTC) + length).astimezone(now.tzinfo)
    words = date_format.moment(language, due, now)

    best = READER.parse(words, now, language=language).best

    assert best is not None, words
    assert best.start.replace(tzinfo=None) == due.replace(tzinfo=None), words


@pytest.mark.parametrize("language", LANGUAGES)
@given(days=day_rules, hours=clocks, minute=st.sampled_from([0, 15, 30, 59]), bound=bounds)
@settings(deadline=None, max_examples=50)
def test_displayed_recurrence_is_read_as_that_recurrence(
    language: str, days: str, hours: list[int], minute: int, bound: str
) -> None:
    rule_text = f"{days};BYHOUR={','.join(map(str, hours))};BYMINUTE={minute}"
    (first,) = next_fires(
        make_recurring(rule_text, start=NOW.replace(tzinfo=None), zone="Asia/Shanghai").schedule, NOW, 1
    )
    reminder = make_recurring(rule_text + bound, start=first.replace(tzinfo=None), zone="Asia/Shanghai")

    words, again = parse_displayed_rule(language, reminder)

    assert next_fires(again, NOW, 6) == next_fires(reminder.schedule, NOW, 6), words


@pytest.mark.parametrize("language", LANGUAGES)
@given(
    every=st.one_of(st.integers(1, 30), st.sampled_from([150, 200, 210])),
    unit=st.sampled_from(["MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"]),
    bound=st.sampled_from(["", ";COUNT=5"]),
)
@settings(deadline=None, max_examples=40)
def test_displayed_period_is_read_as_that_period(language: str, every: int, unit: str, bound: str) -> None:
    start = NOW.replace(tzinfo=None) + (timedelta(hours=1) if unit not in {"MINUTELY", "HOURLY"} else timedelta())
    reminder = make_recurring(f"FREQ={unit};INTERVAL={every}{bound}", start=start, zone="Asia/Shanghai")

    words, again = parse_displayed_rule(language, reminder)

    assert f"FREQ={unit}" in str(again.rule), words
    assert ("INTERVAL" not in str(again.rule) and every == 1) or f"INTERVAL={every}" in str(again.rule), words
    assert (";COUNT=5" in str(again.rule)) is bool(bound), words


@pytest.mark.parametrize("language", LANGUAGES)
def test_displayed_hours_of_a_day_are_read_as_those_hours(language: str) -> None:
    rule_text = "FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16,17;BYMINUTE=0"
    reminder = make_recurring(rule_text, start=datetime(2026, 11, 20, 9, 0), zone="Asia/Shanghai")

    words, again = parse_displayed_rule(language, reminder)

    assert next_fires(again, NOW, 12) == next_fires(reminder.schedule, NOW, 12), words
