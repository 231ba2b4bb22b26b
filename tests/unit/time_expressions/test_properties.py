"""Properties of the reader for every text and every instant."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import example, given, settings
from hypothesis import strategies as st

from services.time_expressions import parse, parse_all

ZONES = ["UTC", "Europe/London", "Asia/Shanghai", "America/New_York", "Australia/Lord_Howe"]
WORDS = [
    *("every", "other", "monday", "friday", "at", "on", "the", "of", "5", "17:30", "3/4", "2027", "pm", "tomorrow"),
    *("next", "week", "until", "from", "to", "for", "2", "hours", "days", "first", "last", "month", "may", "second"),
    *("morning", "tonight", "in", "and", ",", ".", "-", "half", "quarter", "past", "noon", *"每周一三下上个月日号点半"),
    *("早上", "晚上", "明天", "每天", "每周", "到", "从", "次", "后", "分钟", "小时", "两", "十", "年", "底", "第"),
]
moments = st.datetimes(datetime(2024, 1, 1), datetime(2040, 1, 1)).flatmap(
    lambda when: st.sampled_from(ZONES).map(lambda zone: when.replace(microsecond=0, tzinfo=ZoneInfo(zone)))
)
future_moments = st.datetimes(datetime(2027, 1, 1), datetime(2039, 12, 31)).map(
    lambda when: when.replace(second=0, microsecond=0)
)
NOW = datetime(2026, 11, 20, 10, 0, tzinfo=ZoneInfo("UTC"))
PHRASES = [
    "tomorrow at 5pm",
    "in 20 minutes",
    "next friday",
    "every monday at 9am",
    "on 2077-01-05 at 9:00",
    "明天下午五点",
    "10分钟后",
    "下周五",
    "每周一早上九点",
    "1月5日上午九点",
]
OLD = str.maketrans("点个周号两后钟时", "點個週號兩後鐘時")
PLAIN = ["feed the cat", "call mum about the garden", "please buy milk", "记得喂猫", "给妈妈打电话", "去超市买牛奶"]
PLAIN_WORDS = [
    *("feed", "cat", "call", "mum", "garden", "please", "buy", "milk", "report", "send", "Ann", "kitchen", "quietly"),
    *("invoice", "water", "plants", "email", "doctor", "blue", "loud", "window", "because", "never", "house", "walk"),
]
PLAIN_HAN = [
    "喂猫",
    "买牛奶",
    "交报告",
    "妈妈",
    "给",
    "打电话",
    "去",
    "超市",
    "文件",
    "安静",
    "窗户",
    "浇花",
    "医生",
    "房子",
]
plain_sentences = st.one_of(
    st.sampled_from(PLAIN),
    st.lists(st.sampled_from(PLAIN_WORDS), min_size=1, max_size=12).map(" ".join),
    st.lists(st.sampled_from(PLAIN_HAN), min_size=1, max_size=8).map("".join),
)


@given(st.text(max_size=200), moments)
@settings(deadline=None)
def test_any_text_is_parsed(text, now):
    for found in parse_all(text, now):
        for reading in found.readings:
            assert reading.start.utcoffset() is not None
            assert all(0 <= start < end <= len(text) for start, end in reading.spans)


@given(st.lists(st.text("0123456789:./-,hap ", min_size=1, max_size=9), max_size=5), moments, st.booleans())
@settings(deadline=None)
def test_random_numbers_are_parsed(chunks, now, future):
    for found in parse_all(" ".join(chunks), now, future=future):
        assert found.readings or found.past


@given(st.lists(st.sampled_from(WORDS), max_size=14), st.sampled_from(["", " "]), moments)
@settings(deadline=None)
def test_random_time_words_are_never_in_the_past(words, joint, now):
    for found in parse_all(joint.join(words), now):
        assert all(reading.start.astimezone(UTC) >= now.astimezone(UTC) for reading in found.readings)


@given(future_moments, st.sampled_from(["%Y-%m-%d %H:%M", "on %d %B %Y at %H:%M", "%B %d, %Y at %I:%M %p"]))
@settings(deadline=None)
def test_rendered_time_is_parsed_as_itself(when, form):
    reading = parse(when.strftime(form), NOW).best

    assert reading.start.replace(tzinfo=None) == when


@given(future_moments)
@settings(deadline=None)
def test_time_rendered_in_chinese_is_parsed_as_itself(when):
    half = "上午" if when.hour < 12 else "下午"
    hour = (when.hour % 12 or 12) if when.hour >= 12 else when.hour
    text = f"{when.year}年{when.month}月{when.day}日{half}{hour}点{when.minute}分"

    assert parse(text, NOW).best.start.replace(tzinfo=None) == when


@given(plain_sentences, st.sampled_from(PHRASES), moments)
@settings(deadline=None)
def test_time_appended_to_a_plain_sentence_keeps_its_reading(sentence, phrase, now):
    alone, appended = parse(phrase, now).best, parse(f"{sentence} {phrase}", now).best

    assert (alone.start, alone.rrule, alone.end) == (appended.start, appended.rrule, appended.end)


@given(plain_sentences, moments)
@settings(deadline=None)
def test_plain_sentence_has_no_time(sentence, now):
    assert parse(sentence, now).readings == ()


@given(st.integers(1, 11), st.sampled_from(range(7)), moments)
@settings(deadline=None)
def test_english_and_both_chinese_scripts_agree(hour, weekday, now):
    english = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"][weekday]
    han = "一二三四五六日"[weekday]
    texts = [
        f"next {english} at {hour}pm",
        f"下周{han}下午{hour}点",
        f"下週{han}下午{hour}點",
        f"下個禮拜{han}下午{hour}點",
    ]

    starts = {parse(text, now).best.start for text in texts}

    assert len(starts) == 1


@given(st.lists(st.sampled_from([word for word in WORDS if not word.isascii()]), max_size=10), moments)
@settings(deadline=None)
def test_random_chinese_words_are_read_the_same_in_both_scripts(words, now):
    text = "".join(words)

    found = [[(each.best, each.ambiguous) for each in parse_all(each, now)] for each in (text, text.translate(OLD))]

    assert found[0] == found[1]


@given(
    st.sampled_from([*PHRASES, "in 3 months", "next year", "三个月后", "every 6 months"]),
    st.sampled_from([datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59)]),
)
@settings(deadline=None)
def test_limits_of_the_calendar_are_no_error(phrase, edge):
    for found in parse_all(phrase, edge.replace(tzinfo=UTC)):
        assert found.readings or found.past


@given(st.integers(1, 500), moments)
@example(90, datetime(2026, 10, 25, 0, 30, tzinfo=ZoneInfo("Europe/London")))
@example(90, datetime(2026, 3, 29, 0, 30, tzinfo=ZoneInfo("Europe/London")))
@settings(deadline=None)
def test_minutes_from_now_are_elapsed_time(minutes, now):
    start = parse(f"in {minutes} minutes", now).best.start

    assert start.astimezone(UTC) - now.astimezone(UTC) == timedelta(minutes=minutes)
