"""Acknowledgements such as thanks and laughter, which need no answer."""

import pytest

from function_calls.understanding.acknowledgements import is_acknowledgement


@pytest.mark.parametrize(
    "text",
    [
        "OK!",
        "thank you so much",
        "thanks for the reminder ❤️",
        "got it, thanks",
        "👍",
        "lol ok",
        "好的",
        "收到，谢谢",
        "谢谢你的提醒",
        "哈哈哈",
        "知道了",
        "辛苦了！",
        "ok 谢谢",
        "¡muchas gracias!",
        "vale, gracias por avisarme",
        "jajaja",
        "thank you, that is all for now.",
        "就这样吧，谢谢",
        "eso es todo, gracias",
    ],
)
def test_acknowledgement_needs_no_answer(text):
    assert is_acknowledgement(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "?",
        "ok?",
        "no",
        "yes",
        "hello",
        "thanksgiving",
        "thanks, delete it",
        "cool down",
        "好的吗？",
        "好人",
        "你好",
        "谢谢，再推迟一小时",
        "hola",
        "gracias, bórralo",
        "¿vale?",
        "一",
        "that is all wrong",
        "就这样改",
    ],
)
def test_possible_request_is_no_acknowledgement(text):
    assert not is_acknowledgement(text)
