"""Old and new times in requests for a change."""

import pytest

from services.time_expressions import parse_all


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("从五点改到六点", ["五点", "六点"]),
        ("把每天的开门提醒改到明天下午四点", ["每天", "明天下午四点"]),
        ("从周一起改到六点半", ["从周一起", "六点半"]),
        ("下周一开始改成七点四十", ["下周一开始", "七点四十"]),
        ("下午三点的会提前到两点", ["下午三点", "两点"]),
        ("推迟到明天下午", ["明天下午"]),
        ("看一下周六的提醒", ["周六"]),
        ("提醒我下周六开会", ["下周六"]),
        ("再加上周六", ["周六"]),
        ("取消明天的早会", ["明天"]),
    ],
)
def test_old_and_new_time_are_separate_times(now, text, words):
    found = parse_all(text, now, language="zh")

    assert [text[slice(*each.best.spans[0])] for each in found] == words


def test_chinese_two_points_are_no_clock_time(now):
    assert parse_all("改成两点建议", now, language="zh") == ()
