"""Findings of the rules in a chat, in each language."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from services.summary.findings import find


@pytest.mark.parametrize(
    "text",
    [
        "We decided to meet at the library",
        "ok so we agreed on the blue logo",
        "It's settled, pizza for everybody",
        "Let's go with option B then",
        "Decision: no release on Friday",
        "大家一致同意周五去爬山",
        "那就定了，用第二个方案",
        "我们决定下周搬家",
        "会议时间定在三点",
        "最後決定改用新的供應商",
        "Hemos decidido vernos en la biblioteca",
        "quedamos en que llevo yo la comida",
        "Al final nos quedamos con el logo azul",
    ],
)
def test_a_decision_is_found(talk, text):
    found = find(talk("ann: hello there", f"bob: {text}"), language="en")

    assert [decision.message_id for decision in found.decisions] == ["m2"]


@pytest.mark.parametrize(
    "text",
    [
        "We haven't decided on a place",
        "Have we decided on a colour?",
        "Once we have decided on a date I will book",
        "I find it hard to choose a decision tree",
        "还没有决定去哪里",
        "这件事决定了吗",
        "你们怎么决定的",
        "决定权在客户那边",
        "Todavía no hemos decidido nada",
        "¿Hemos decidido el color?",
    ],
)
def test_talk_about_deciding_is_no_decision(talk, text):
    found = find(talk(f"bob: {text}"), language="en")

    assert found.decisions == ()


@pytest.mark.parametrize(
    "text",
    [
        "Who has the keys to the garage?",
        "does anyone know a good dentist",
        "谁知道打印机密码",
        "八点集合行不行",
        "明天的会议室订了吗",
        "¿Quién tiene las llaves del garaje?",
        "alguien sabe la contraseña del wifi",
    ],
)
def test_unanswered_question_is_open(talk, text):
    found = find(talk(f"ann: {text}", "bob: lovely weather outside"), language="en")

    assert [question.message_id for question in found.open_questions] == ["m1"]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who has the keys to the garage?", "the garage keys hang in the kitchen"),
        ("When do we leave?", "at half past 7"),
        ("Can you bring a cake?", "sure, no problem"),
        ("会议几点开始？", "下午三点"),
        ("有人能带投影仪吗", "我来带"),
        ("昨天的球赛看了吗", "没看"),
        ("¿Cuándo salimos?", "a las siete y media"),
        ("¿Alguien puede llevar la tarta?", "yo la llevo"),
    ],
)
def test_an_answered_question_is_not_open(talk, question, answer):
    found = find(talk(f"ann: {question}", f"bob: {answer}"), language="en")

    assert found.open_questions == ()


def test_repeating_ones_own_question_does_not_answer_it(talk):
    found = find(talk("ann: Who has the garage keys?", "ann: I mean the garage keys from yesterday"), language="en")

    assert [question.message_id for question in found.open_questions] == ["m1"]


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("The dentist is next Friday at 3pm", ["next Friday at 3pm"]),
        ("due on 2027-01-05 and not before", ["2027-01-05"]),
        ("party on March 3rd, 2027 at 8 pm!", ["March 3rd, 2027 at 8 pm"]),
        ("see you tomorrow morning", ["tomorrow morning"]),
        ("明天下午三点半开会", ["明天下午三点半"]),
        ("1月5日上午九点交报告", ["1月5日上午九点"]),
        ("下周五聚餐", ["下周五"]),
        ("el dentista es el viernes que viene a las 15:00", ["el viernes que viene a las 15:00"]),
        ("la fiesta es el 3 de marzo de 2027 a las 8 de la tarde", ["el 3 de marzo de 2027 a las 8 de la tarde"]),
        ("nos vemos mañana por la tarde", ["mañana por la tarde"]),
        ("the march went well and may go on", []),
        ("一点也不难", []),
    ],
)
def test_dates_are_found_as_written(talk, text, phrases):
    found = find(talk(f"ann: {text}"), language="en")

    assert [date.phrase for date in found.dates] == phrases


def test_date_is_resolved_from_the_time_of_its_message(talk):
    tea_time = datetime(2026, 11, 22, 17, 0, tzinfo=UTC)
    requests = []

    def read_time(phrase, sent_at, language):
        requests.append((phrase, sent_at, language))
        return tea_time

    messages = talk("ann: tea tomorrow at 5pm")

    found = find(messages, language="en", read_time=read_time, zone=ZoneInfo("Asia/Shanghai"))

    assert found.dates[0].at == tea_time
    assert requests == [("tomorrow at 5pm", messages[0].sent_at, "en")]
    assert str(requests[0][1]) == "2026-11-21 20:00:00+08:00"


def test_links_are_listed_once_without_the_punctuation_around_them(talk):
    found = find(
        talk(
            "ann: look (https://example.org/a?b=1).",
            "bob: 看https://example.org/中文，不错",
            "cat: https://example.org/a?b=1",
        ),
        language="en",
    )

    assert [(link.url, link.message_id) for link in found.links] == [
        ("https://example.org/a?b=1", "m1"),
        ("https://example.org/中文", "m2"),
    ]


@pytest.mark.parametrize("text", ["{}", "({})", "see {}.", "[the planet]({}), said Bob"])
def test_link_keeps_a_parenthesis_that_it_opened(talk, text):
    url = "https://example.org/Mercury_(planet)"

    found = find(talk(f"ann: {text.format(url)}"), language="en")

    assert [link.url for link in found.links] == [url]


def test_link_with_a_capital_letter_is_found(talk):
    found = find(talk("ann: Https://example.org/a"), language="en")

    assert [link.url for link in found.links] == ["Https://example.org/a"]


def test_enormous_message_is_read_in_bounded_time(talk):
    found = find(talk("ann: " + "remind 决定 at 5 " * 20_000), language="en")

    assert len(found.dates) <= 10
