"""Chinese repetitions with every part of the day and clock form, compared with counted days."""

from calendar import monthrange
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from itertools import combinations, pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from services.recurrence.fires import next_fires
from services.recurrence.schedule import read_schedule
from services.time_expressions import parse, parse_all

Falls = Callable[[date], bool]

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 11, 20, 10, 0, tzinfo=ZONE)
COMPARED = 4
DAYS = "一二三四五六日"
HOURS = "零一二三四五六七八九十"
PARTS = {
    "凌晨": range(1, 6),
    "清晨": range(5, 8),
    "早上": range(5, 12),
    "早晨": range(5, 12),
    "上午": range(8, 12),
    "中午": range(11, 14),
    "下午": range(13, 19),
    "傍晚": range(17, 20),
    "晚上": range(18, 24),
    "晚": range(19, 23),
    "": range(9, 24),
}
CLOCKS = {
    0: ("{}点", "{}点整", "{}时"),
    30: ("{}点半", "{}点30分"),
    15: ("{}点一刻", "{}点十五"),
    5: ("{}点零五", "{}点过五分"),
}


def numeral(number: int) -> str:
    if number <= 10:
        return HOURS[number]
    tens = "" if number < 20 else HOURS[number // 10]
    return f"{tens}十{HOURS[number % 10] if number % 10 else ''}"


def on_weekdays(*days: int) -> Falls:
    return lambda day: day.weekday() in days


def on_the_nth(place: int, weekday: int) -> Falls:
    def falls(day: date) -> bool:
        month = monthrange(day.year, day.month)[1]
        is_nth = day.day + 7 > month if place < 0 else (day.day - 1) // 7 + 1 == place
        return day.weekday() == weekday and is_nth

    return falls


def on_the_last(back: int) -> Falls:
    return lambda day: day.day == monthrange(day.year, day.month)[1] - back


def on_days(*days: int) -> Falls:
    return lambda day: day.day in days


def on_date(month: int, day: int) -> Falls:
    return lambda each: (each.month, each.day) == (month, day)


def families() -> Iterator[tuple[str, Falls]]:
    yield from ((words, lambda _: True) for words in ("每天", "每日", "天天"))
    workdays, weekend = on_weekdays(*range(5)), on_weekdays(5, 6)
    yield from ((words, workdays) for words in ("每个工作日", "工作日", "周一到周五", "每周一至周五"))
    yield from ((words, weekend) for words in ("每个周末", "每周末", "每周六和周日"))
    yield from ((form.format(DAYS[one]), on_weekdays(one)) for one in range(7) for form in ("每周{}", "每逢星期{}"))
    for one, other in combinations(range(7), 2):
        for form in ("每周{}和周{}", "每周{}、{}", "每星期{}和星期{}", "每週{}與週{}"):
            yield form.format(DAYS[one], DAYS[other]), on_weekdays(one, other)
        yield f"每周{DAYS[one]}到周{DAYS[other]}", on_weekdays(*range(one, other + 1))
    for several in combinations(range(7), 3):
        yield "每周{}、{}、{}".format(*(DAYS[one] for one in several)), on_weekdays(*several)
    for number in range(1, 32):
        yield f"每月{number}号", on_days(number)
        yield f"每个月{numeral(number)}日", on_days(number)
    yield from ((f"每月{one}号和{other}号", on_days(one, other)) for one, other in pairwise(range(1, 31, 7)))
    yield from ((words, on_the_last(0)) for words in ("每月最后一天", "每个月底"))
    yield "每个月倒数第二天", on_the_last(1)
    for weekday in range(7):
        yield f"每月最后一个周{DAYS[weekday]}", on_the_nth(-1, weekday)
        for place in range(1, 5):
            yield f"每个月第{numeral(place)}个周{DAYS[weekday]}", on_the_nth(place, weekday)
    for month in range(1, 13):
        yield f"每年{month}月8日", on_date(month, 8)
        yield f"每年{numeral(month)}月二十八号", on_date(month, 28)


def clocks() -> Iterator[tuple[str, timedelta]]:
    for part, hours in PARTS.items():
        for hour in hours:
            number = hour - 12 if hour > 12 and part else hour
            for minute, forms in CLOCKS.items():
                for form in forms:
                    yield part + form.format(number), timedelta(hours=hour, minutes=minute)
                    yield part + form.format(numeral(number)), timedelta(hours=hour, minutes=minute)


def find_days(falls: Falls, clock: timedelta) -> list[datetime]:
    found: list[datetime] = []
    day = datetime(NOW.year, NOW.month, NOW.day)
    while len(found) < COMPARED:
        if falls(day.date()) and day + clock >= NOW.replace(tzinfo=None):
            found.append(day + clock)
        day += timedelta(days=1)
    return found


@given(st.sampled_from(list(families())), st.sampled_from(list(clocks())))
@settings(deadline=None, max_examples=150)
def test_repetition_is_on_its_days_and_at_its_clock_time(family, clock):
    (days, falls), (hour, at) = family, clock
    assume(not (days.endswith("一") and hour.startswith("二")))  # 每周一二十点: Mondays at 20:00, or both days at ten

    reading = parse(days + hour, NOW).best

    schedule = read_schedule(reading.wall, "Asia/Shanghai", reading.rrule or "")
    fires = next_fires(schedule, NOW - timedelta(seconds=1), COMPARED)
    assert [fire.astimezone(ZONE).replace(tzinfo=None) for fire in fires] == find_days(falls, at)


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        ("每{}{}", "FREQ=WEEKLY;BYDAY={}"),
        ("每月第一个{}{}", "FREQ=MONTHLY;BYDAY=1{}"),
        ("每个月第三个{}{}", "FREQ=MONTHLY;BYDAY=3{}"),
        ("每月最后一个{}{}", "FREQ=MONTHLY;BYDAY=-1{}"),
        ("下{}{}", None),
        ("这{}{}", None),
        ("{}{}", None),
    ],
)
@given(week=st.sampled_from(["周", "星期", "礼拜"]), weekday=st.integers(0, 6), hour=st.integers(1, 12))
@settings(deadline=None)
def test_numeral_of_a_weekday_is_no_part_of_the_following_hour(words, rule, week, weekday, hour):
    text = words.format(week + DAYS[weekday], f"{numeral(hour)}点")

    (time,) = parse_all(text, NOW - timedelta(days=4))  # Monday, so that no weekday of this week is over

    assert time.readings
    for reading in time.readings:
        day = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"][weekday]
        is_midnight = reading.start.hour == 0  # "Monday at twelve" may be the midnight that ends it
        assert reading.start.hour % 12 == hour % 12
        assert is_midnight or reading.start.weekday() == weekday
        assert (reading.rrule or "").startswith("" if rule is None else rule.format(day))


@given(
    st.integers(1, 11),
    st.sampled_from([("分钟", "MINUTELY"), ("小时", "HOURLY"), ("天", "DAILY"), ("周", "WEEKLY"), ("个月", "MONTHLY")]),
    st.booleans(),
    st.sampled_from(
        [
            ("", {}),
            ("，一共5次", {"COUNT": "5"}),
            ("，重复三次", {"COUNT": "3"}),
            ("，直到2031年12月31日", {"UNTIL": "20311231T155959Z"}),
            ("，到后年年底为止", {"UNTIL": "20281231T155959Z"}),
        ]
    ),
)
@settings(deadline=None)
def test_repetition_every_n_units_ends_on_a_day_or_after_n_times(number, unit, in_words, bound):
    (word, frequency), (words, ends) = unit, bound
    amount = (
        numeral(number).replace("二", "两") if in_words and number == 2 else numeral(number) if in_words else number
    )

    rule = parse(f"每{amount}{word}{words}", NOW).best.rrule

    fields = dict(part.split("=") for part in rule.split(";"))
    assert fields == {"FREQ": frequency} | ({"INTERVAL": str(number)} if number > 1 else {}) | ends


@pytest.mark.parametrize(
    ("text", "start", "rule"),
    [
        ("每天早晚八点", "2026-11-20 20:00", "FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0"),
        ("每天早中晚", "2026-11-20 12:00", "FREQ=DAILY;BYHOUR=9,12,19;BYMINUTE=0"),
        ("连续5天晚上十点", "2026-11-20 22:00", "FREQ=DAILY;BYHOUR=22;BYMINUTE=0;COUNT=5"),
        ("每週四與週日晚上六點", "2026-11-22 18:00", "FREQ=WEEKLY;BYDAY=TH,SU;BYHOUR=18;BYMINUTE=0"),
        ("每周五、周六和周日二十点", "2026-11-20 20:00", "FREQ=WEEKLY;BYDAY=FR,SA,SU;BYHOUR=20;BYMINUTE=0"),
        ("每天早上八点到明年年底为止", "2026-11-21 08:00", "FREQ=DAILY;BYHOUR=8;BYMINUTE=0;UNTIL=20271231T155959Z"),
    ],
)
def test_repetition_that_was_once_misread_is_read(text, start, rule):
    reading = parse(text, NOW).best

    assert (f"{reading.start:%Y-%m-%d %H:%M}", reading.rrule) == (start, rule)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("逢星期一同星期五放學4點", "FREQ=WEEKLY;BYDAY=MO,FR;BYHOUR=16;BYMINUTE=0"),
        ("逢星期一同星期三下午三點", "FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=15;BYMINUTE=0"),
        ("逢星期一同三下午三點", "FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=15;BYMINUTE=0"),
        ("每日朝早八點同夜晚十點", "FREQ=DAILY;BYHOUR=8,22;BYMINUTE=0"),
        ("每天下班六点", "FREQ=DAILY;BYHOUR=18;BYMINUTE=0"),
    ],
)
def test_repetition_in_southern_words_is_read(text, rule):
    assert parse(text, NOW).best.rrule == rule


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("8点11点15点20点提醒我喝水，每天", "8,11,15,20"),
        ("每天8点11点15点20点", "8,11,15,20"),
        ("早上七点、十点，下午四点滴眼药水，天天", "7,10,16"),
        ("每日上午九点、十一点、下午两点、晚上十二点", "0,9,11,14"),
        ("每天中午十一点和晚上八点", "11,20"),
        ("每天早上七点以及晚上九点", "7,21"),
    ],
)
def test_every_clock_of_a_list_belongs_to_the_rule(text, hours):
    [found] = parse_all(text, NOW)

    assert found.best.rrule == f"FREQ=DAILY;BYHOUR={hours};BYMINUTE=0"


@pytest.mark.parametrize("text", ["每周二同一时间", "周二同一个地方"])
def test_chinese_word_for_same_is_no_weekday(text):
    best = parse(text, NOW).best

    assert best.start.weekday() == 1
    assert "MO" not in (best.rrule or "")


@pytest.mark.parametrize(
    ("text", "words", "days"),
    [
        ("周六日提醒我浇花", "周六日", "SA,SU"),
        ("改成周六日", "周六日", "SA,SU"),
        ("周一三五提醒我浇花", "周一三五", "MO,WE,FR"),
        ("只要周一二四五", "周一二四五", "MO,TU,TH,FR"),
    ],
)
def test_adjacent_days_are_read_completely(text, words, days):
    best = parse(text, NOW).best

    assert best.rrule == f"FREQ=WEEKLY;BYDAY={days}"
    assert [text[slice(*span)] for span in best.spans] == [words]


@pytest.mark.parametrize("text", ["周六日出前提醒我", "周六天亮前提醒我"])
def test_words_after_a_weekday_are_no_days(text):
    assert parse(text, NOW).best.rrule is None


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("改成隔周一次吧", "FREQ=WEEKLY;INTERVAL=2"),
        ("隔周一开会", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO"),
        ("隔天一次", "FREQ=DAILY;INTERVAL=2"),
        ("隔一天傍晚六点浇花", "FREQ=DAILY;INTERVAL=2;BYHOUR=18;BYMINUTE=0"),
        ("隔月一次", "FREQ=MONTHLY;INTERVAL=2"),
        ("每逢双月最后一天", "FREQ=YEARLY;BYMONTH=2,4,6,8,10,12;BYMONTHDAY=-1"),
        ("逢单月15号", "FREQ=YEARLY;BYMONTH=1,3,5,7,9,11;BYMONTHDAY=15"),
        ("每个上学日", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("每三个钟，由两点开始", "FREQ=HOURLY;INTERVAL=3"),
        ("从今晚8点到12点每小时提醒我", "FREQ=HOURLY;UNTIL=20261120T160000Z"),
        ("从明天上午9点到下午5点每小时", "FREQ=HOURLY;UNTIL=20261121T090000Z"),
    ],
)
def test_repetition_in_every_second_period_or_between_two_hours_is_parsed(text, rule):
    assert parse(text, NOW).best.rrule == rule


@pytest.mark.parametrize(
    "text", ["9月5日、9月12日和9月19日上午8点", "9月5日，12日和19日上午8点", "5、12、19这三天上午8点"]
)
def test_dates_of_a_list_are_separate_times(text):
    found = parse_all(text, datetime(2026, 9, 1, 10, 0, tzinfo=ZONE))

    assert [each.best.start.day for each in found] == [5, 12, 19]


@pytest.mark.parametrize("text", ["13月1日", "2月30日下午三点"])
def test_nonexistent_date_is_no_other_day(text):
    assert parse(text, NOW).best is None


@pytest.mark.parametrize(
    "text", ["每隔十天上午8点，头一回25号", "每隔十天上午8点，25号打头", "首回25号，每隔十天上午8点"]
)
def test_first_time_in_a_separate_clause_starts_the_repetition(text):
    best = parse(text, NOW).best

    assert best is not None
    assert (best.start.day, best.start.hour, best.rrule) == (25, 8, "FREQ=DAILY;INTERVAL=10;BYHOUR=8;BYMINUTE=0")
