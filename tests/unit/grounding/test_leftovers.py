"""Leftover words about time, days or people in a content."""

import pytest

from function_calls.grounding.leftovers import find_deadline, find_leftover


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("every single to feed the cat", "every single"),
        ("his time to send the invoice", "his time"),
        ("take my pills each", "each"),
        ("water the plants, not on Sunday", "not on Sunday"),
        ("water the plants, not", "not"),
        ("feed the cat except me", "except me"),
        ("3 times to email Joe", "3 times"),
        ("everyone : bake sale setup", "everyone"),
        ("no wait buy milk", "no wait"),
        ("交水电费，交完为止", "为止"),
        ("喝水，周末除外", "除外"),
        ("三次喝水", "三次"),
        ("各吃一片药", "各"),
        ("不对，买牛奶", "不对"),
        ("submit the form until I say so", "until I say"),
        ("交作业直到我说交了", "直到我说"),
        ("交报告，十点前", "十点前"),
        ("交报告，下午3点半之前", "3点半之前"),
        ("交报告 every day", "every day"),
        ("交报告 on Monday", "on Monday"),
        ("交作业 before noon", "before noon"),
        ("water plants 每天", "每天"),
        ("每周一 call mum", "每周一"),
        ("regar las plantas, excepto los lunes", "excepto los lunes"),
        ("tomar la pastilla pero no el domingo", "pero no el domingo"),
        ("3 veces llamar a Ana", "3 veces"),
        ("a todos traer comida", "a todos"),
        ("mandar el informe hasta que yo diga que ya", "hasta que yo diga"),
        ("no espera comprar leche", "no espera"),
    ],
)
def test_leftover_words_are_named(content, words):
    assert find_leftover(content) == words


@pytest.mark.parametrize(
    "content",
    [
        "buy 3 apples", "don't forget the milk", "pay Bob", "not be late", "read the poem 3 times", "US visa",
        "buy everything except milk", "call mum and dad", "the 5pm meeting", "all hands meeting", "listen to music",
        "send “every single day” to print",
        "别迟到", "不要忘了带伞", "读三遍课文", "和室友下楼拿外卖", "除草", "给每个人发邮件",
        "wait until they arrive", "饭前吃药", "用 Zoom 开会", "看 Friday Night 这部电影",
        "buy 晚上 tea 面膜", "买上午茶", "考点前集合",
        "no olvidar la leche", "leer el poema 3 veces", "comprar todo menos leche", "que no se queme el arroz",
        "dar comida a cada gato", "saludar a todos",
    ],
)  # fmt: skip
def test_ordinary_contents_have_no_leftover_words(content):
    assert find_leftover(content) == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("remind me before ten tomorrow to hand in the report", "before ten"),
        ("Tomorrow before 5pm remind me to leave", "before 5pm"),
        ("remind me before breakfast to take my pills", ""),
        ("明天十点前提醒我交报告", "十点前"),
        ("提醒我下午3点半之前出门", "3点半之前"),
        ("提醒我饭前吃药", ""),
        ("recuérdame mañana antes de las diez entregar el informe", "antes de las diez"),
        ("recuérdame antes de cenar tomar la pastilla", ""),
    ],
)
def test_clock_time_of_a_deadline_is_a_leftover(text, words):
    assert find_deadline(text) == words
