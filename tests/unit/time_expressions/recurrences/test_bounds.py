"""Starts and ends of rules, next to the rule or apart from it."""

import pytest

from services.time_expressions import parse, parse_all


def spans_of(text, now):
    return ["|".join(text[slice(*span)] for span in each.best.spans) for each in parse_all(text, now)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("change it to 6:15 from now on", "6:15"),
        ("from now on remind me at 7:30 instead", "at 7:30"),
        ("at 9am from now on, not 8", "at 9am"),
        ("push it to half past seven from here on", "half past seven"),
        ("at 18:00 going forward", "at 18:00"),
        ("tell me again from now on at half 6", "at half 6"),
        ("production starts 6:30 from now", "6:30"),
        ("从现在起改成6点15", "6点15"),
    ],
)
def test_immediate_start_is_no_part_of_a_clock_time(now, text, words):
    [found] = parse_all(text, now)

    assert [text[slice(*span)] for span in found.best.spans] == [words]
    assert not found.best.has_day


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("every day at 18:00 from now on", "FREQ=DAILY;BYHOUR=18;BYMINUTE=0"),
        ("from now on every day at 18:00", "FREQ=DAILY;BYHOUR=18;BYMINUTE=0"),
        ("from now on at 18:00 every day", "FREQ=DAILY;BYHOUR=18;BYMINUTE=0"),
        ("mon and fri from now on", "FREQ=WEEKLY;BYDAY=MO,FR"),
        ("monthly from now on", "FREQ=MONTHLY"),
    ],
)
def test_start_at_once_is_part_of_a_rule(read, text, rule):
    reading = read(text)

    assert (reading.rrule, reading.spans) == (rule, ((0, len(text)),))


@pytest.mark.parametrize("text", ["10 minutes from now", "send it 10 minutes from now on the dot"])
def test_duration_from_now_is_read(read, text):
    assert f"{read(text).start:%H:%M}" == "10:10"


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("football is at 7, until the end of November", ["at 7"]),
        ("open at 9, through december", ["at 9"]),
        ("at 7 until friday", ["at 7"]),
        ("足球七点，到11月底", ["七点", "到11月底"]),
    ],
)
def test_last_day_is_no_end_of_a_clock_time_without_a_day(now, text, times):
    assert spans_of(text, now) == times
    assert all(each.best.end is None for each in parse_all(text, now))


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("at 9 until 11", "21 11:00"),
        ("from 8pm till tomorrow 6am", "21 06:00"),
        ("from 7pm until friday", "28 00:00"),
        ("december to february", "01 00:00"),
        ("from december to february", "01 00:00"),
        ("tomorrow at 9 until monday", "24 00:00"),
    ],
)
def test_end_of_an_interval_is_read(read, text, end):
    assert f"{read(text).end:%d %H:%M}" == end


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (
            "yoga on mondays at 6pm (ends 15 December)",
            "FREQ=WEEKLY;BYDAY=MO;BYHOUR=18;BYMINUTE=0;UNTIL=20261215T235959Z",
        ),
        (
            "yoga on mondays at 6pm (ends: 15 December)",
            "FREQ=WEEKLY;BYDAY=MO;BYHOUR=18;BYMINUTE=0;UNTIL=20261215T235959Z",
        ),
        ("每周一晚上六点瑜伽（12月15号结束）", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=18;BYMINUTE=0;UNTIL=20261215T235959Z"),
        ("每周一晚上六点瑜伽（到12月15号为止）", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=18;BYMINUTE=0;UNTIL=20261215T235959Z"),
    ],
)
def test_end_in_brackets_ends_the_rule(read, text, rule):
    assert read(text).rrule == rule


def test_end_in_brackets_alone_is_no_time(now):
    assert parse_all("(ends 15 April)", now) == ()


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (
            "Tue & Thu @ 4pm until end of January",
            "FREQ=WEEKLY;BYDAY=TU,TH;BYHOUR=16;BYMINUTE=0;UNTIL=20270131T235959Z",
        ),
        (
            "saturday and sunday at 8am for six weeks",
            "FREQ=WEEKLY;BYDAY=SA,SU;BYHOUR=8;BYMINUTE=0;UNTIL=20270101T100000Z",
        ),
        ("周二和周四下午四点，到一月底", "FREQ=WEEKLY;BYDAY=TU,TH;BYHOUR=16;BYMINUTE=0;UNTIL=20270131T235959Z"),
        (
            "12月7号到18号，周一和周三晚上七点",
            "FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=19;BYMINUTE=0;UNTIL=20261218T235959Z",
        ),
    ],
)
def test_weekdays_with_a_last_day_are_a_rule(read, text, rule):
    assert read(text).rrule == rule


@pytest.mark.parametrize(
    ("text", "start", "rule"),
    [
        (
            "from Nov 1 through Dec 15 every Monday and Wednesday at quarter to six pm",
            "2026-11-23 17:45",
            "FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=17;BYMINUTE=45;UNTIL=20261215T235959Z",
        ),
        (
            "every monday from october to march at 9",
            "2026-11-23 09:00",
            "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0;UNTIL=20270331T225959Z",
        ),
        (
            "every sunday december to february at 8pm",
            "2026-12-06 20:00",
            "FREQ=WEEKLY;BYDAY=SU;BYHOUR=20;BYMINUTE=0;UNTIL=20270228T235959Z",
        ),
        (
            "十二月到二月每个周日晚上八点",
            "2026-12-06 20:00",
            "FREQ=WEEKLY;BYDAY=SU;BYHOUR=20;BYMINUTE=0;UNTIL=20270228T235959Z",
        ),
        (
            "2026年12月到2027年2月每周日晚上八点",
            "2026-12-06 20:00",
            "FREQ=WEEKLY;BYDAY=SU;BYHOUR=20;BYMINUTE=0;UNTIL=20270228T235959Z",
        ),
        (
            "daily at 9 from 10 january to 31 december",
            "2027-01-10 09:00",
            "FREQ=DAILY;BYHOUR=9;BYMINUTE=0;UNTIL=20271231T235959Z",
        ),
        (
            "12月1日至15日每周一下午5点45分",
            "2026-12-07 17:45",
            "FREQ=WEEKLY;BYDAY=MO;BYHOUR=17;BYMINUTE=45;UNTIL=20261215T235959Z",
        ),
        (
            "every day from Dec 20 until Jan 3 at 10am and 4pm",
            "2026-12-20 10:00",
            "FREQ=DAILY;BYHOUR=10,16;BYMINUTE=0;UNTIL=20270103T235959Z",
        ),
        (
            "quarterly on the 1st from January, 7 in the morning",
            "2027-01-01 07:00",
            "FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=1;BYHOUR=7;BYMINUTE=0",
        ),
    ],
)
def test_rule_between_two_dates_has_a_start_and_an_end(read, text, start, rule):
    reading = read(text)

    assert (f"{reading.start:%Y-%m-%d %H:%M}", reading.rrule) == (start, rule)


@pytest.mark.parametrize(
    "text",
    [
        "every thursday at 6pm remind everyone to write here if they can make it to the show, starting next week",
        "每周四下午六点提醒大家报名周日的比赛，从下周开始",
    ],
)
def test_start_far_after_its_rule_belongs_to_the_rule(now, text):
    best = parse(text, now).best

    assert best.rrule == "FREQ=WEEKLY;BYDAY=TH;BYHOUR=18;BYMINUTE=0"
    assert len(best.spans) == 2


def test_start_in_a_distant_sentence_is_no_part_of_the_rule(now):
    text = f"every thursday at 6pm remind us to vote. {'the hall is cold and the tea is warm ' * 3}starting next week"

    assert len(parse(text, now).best.spans) == 1


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("make it a weekly reminder, every Friday at 19:00", "FREQ=WEEKLY;BYDAY=FR;BYHOUR=19;BYMINUTE=0"),
        ("改成每周的提醒，每周五19:00", "FREQ=WEEKLY;BYDAY=FR;BYHOUR=19;BYMINUTE=0"),
    ],
)
def test_repeated_period_is_one_rule(now, text, rule):
    [found] = parse_all(text, now)

    assert found.best.rrule == rule
