"""Lists of several requests in one message."""

import pytest

from tests.unit.understanding.conftest import Say

EACH = [
    "remind me:\n1. pack tomorrow 9am\n2. ring Ada friday noon",
    "remind me 1. pack tomorrow 9am\n2. ring Ada friday noon",
    "remind me to:\n- pack tomorrow 9am\n- ring Ada friday noon",
    "remind me 1) pack tomorrow 9am 2) ring Ada friday noon",
    "remind me tomorrow 9am pack\nremind me friday noon ring Ada",
]
ONE = [
    ("remind me tomorrow at 9 to read chapters 1. and 2.", "read chapters 1. and 2"),
]


@pytest.mark.parametrize("text", EACH)
def test_each_point_of_a_list_is_a_reminder(say: Say, text: str) -> None:
    calls = say(text).calls

    assert [(call.arguments["time"], call.arguments["content"]) for call in calls] == [
        ("2026-03-05 09:00", "pack"),
        ("2026-03-06 12:00", "ring Ada"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "提醒我：\n1. 明天九点收拾行李\n2. 周五十点给小波打电话",
        "提醒我1、明天九点收拾行李 2、周五十点给小波打电话",
        "明天九点提醒我收拾行李\n周五十点提醒我给小波打电话",
    ],
)
def test_each_point_of_a_chinese_list_is_a_reminder(say: Say, text: str) -> None:
    calls = say(text, language="zh").calls

    assert [(call.arguments["time"], call.arguments["content"]) for call in calls] == [
        ("2026-03-05 09:00", "收拾行李"),
        ("2026-03-06 10:00", "给小波打电话"),
    ]


@pytest.mark.parametrize(("text", "content"), ONE)
def test_list_with_one_time_is_one_reminder(say: Say, text: str, content: str) -> None:
    (call,) = say(text).calls

    assert (call.arguments["time"], call.arguments["content"]) == ("2026-03-05 09:00", content)


@pytest.mark.parametrize(
    "text",
    ["agenda\n1. budget 9am\n2. tea 10am", "> remind me at 5 to eat\nlol", "see you at 5\nremind your sister at 6"],
)
def test_list_without_a_request_is_ignored(say: Say, text: str) -> None:
    assert say(text).calls == ()
