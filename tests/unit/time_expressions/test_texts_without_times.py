"""Texts without a time, which have no reading."""

import pytest

from services.time_expressions import parse, parse_all


@pytest.mark.parametrize(
    "text",
    [
        "version 3.5.2 was released",
        "move to version 3.11",
        "see section 2.4 and table 1.3",
        "升级到3.11版本",
        "版本2.4",
        "2月30号提醒我",
        "it costs $12.34",
        "the score was 3-2",
        "they may come, i think",
        "everyone except on mondays",
        "除了周日都行",
        "i second that",
        "march on",
        "schedule me a 1:1 meeting",
        "my ip is 192.168.255.255",
        "call me on +86 138-2010-2015",
        "good morning everyone",
        "have a nice day",
        "there are two to four people in the room",
        "we reached the end of the line",
        "A4 paper, 5kg of rice",
        "see http://example.org/2026/11/20/news",
        "https://example.com/doc?id=12&t=9:30",
        "www.example.com/at/8:30/tomorrow",
        "go to the first song",
        "rat 6",
        "写完这三个字后提醒我",
        "25:12",
        "8/32/2014",
        "",
        "    ",
        "有一点问题",
        "我有两点意见",
        "这件事一点也不难",
        "坐3号线去",
        "早上好",
        "见过小时候的朋友吗",
        "你好，在吗",
        "满分十分",
        "他五岁了",
        "about the daily standup",
        "submit my monthly report",
        "写每日总结",
        "corn on the cob",
        "q5 is a question",
        "the price rose from 12 to 15 dollars",
        "sold at 20 percent",
        "between 5 and 10 items",
        "rate it from 1 to 10",
        "they scored 21:17",
        "call the june to august bookings",
        "cada 5 y 10 minutos",
        "on 5 devices",
        "on the 2nd attempt",
        "at 2x speed",
        "lines 10 to 20",
        "happy friday everyone",
        "have a lovely weekend",
        "my annual leave",
        "the hourly rate",
        "hang on a minute",
        "monday blues",
        "五点不同",
        "三点式",
        "六点钟方向",
        "五号楼",
        "一号会议室",
        "5号电池",
        "2月3个人",
        "这周3天假",
        "每周三次",
        "周末愉快",
        "一日三餐",
        "this time i mean it",
        "在十一楼",
        "下午茶的时候",
        "写三点水旁的字",
        "one minute please",
        "hang on, one second",
        "这周天气怎么样",
        "去5号楼开会",
        "写周报",
        "一时半会儿",
        "晚上好",
    ],
)
def test_text_without_a_time_has_no_reading(now, text):
    assert parse(text, now).readings == ()


def test_a_score_beside_a_weekday_is_no_date(now):
    assert str(parse("we won 3-2 on saturday", now).best.start.date()) == "2026-11-21"


@pytest.mark.parametrize("text", ["下周的天气", "这周天气怎么样"])
def test_chinese_word_for_weather_is_no_sunday(now, text):
    readings = parse(text, now).readings

    assert all(reading.start.weekday() != 6 for reading in readings)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("删除后天的活动", "2026-11-22"),
        ("删除周三的会议", "2026-11-25"),
        ("请删除今晚和约翰的会议", "2026-11-20"),
        ("移除十号的婚礼", "2026-12-10"),
    ],
)
def test_deletion_on_a_day_is_no_exception(now, text, day):
    best = parse(text, now).best

    assert best is not None
    assert str(best.start.date()) == day


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("make the fees reminder at 8 am instead, evenings are chaos", "at 8 am"),
        ("make it 8am, nights are too late", "8am"),
        ("friday evenings are full, make it thursday at 6", "thursday at 6"),
        ("kata mondays and thursdays, tuesdays are too much", "mondays and thursdays"),
        ("weekdays at 8am, weekends are for sleeping", "weekdays at 8am"),
        ("mornings don't work, make it 6pm", "6pm"),
        ("改成八点，晚上太忙", "八点"),
        ("晚上不行，改成早上八点", "早上八点"),
        ("我下午没空，改到上午十点", "上午十点"),
    ],
)
def test_remark_about_parts_of_the_day_is_no_time(now, text, words):
    [found] = parse_all(text, now)

    assert [text[slice(*span)] for span in found.best.spans] == [words]


@pytest.mark.parametrize(
    "text",
    ["mornings are bad", "evenings are chaos", "the evenings are drawing in", "weekends don't count", "早上太吵"],
)
def test_talk_about_parts_of_the_day_is_no_time(now, text):
    assert parse_all(text, now) == ()


@pytest.mark.parametrize(
    "text",
    [
        "evenings are better at 8",
        "in the evenings at 8",
        "evenings at 8",
        "at 8, evenings",
        "晚上八点",
        "晚上忙完提醒我",
    ],
)
def test_part_of_the_day_in_a_request_is_a_time(now, text):
    assert parse(text, now).best.part == "evening"


@pytest.mark.parametrize("text", ["the 10 oclock one on friday", "the 10 o'clock one on friday"])
def test_pronoun_one_after_a_clock_time_is_no_hour(now, text):
    assert parse(text, now).best.start.strftime("%a %H:%M") == "Fri 10:00"


def test_one_oclock_is_an_hour(now):
    assert parse("the 10 one o'clock alarms", now).best.start.hour in {1, 13}
