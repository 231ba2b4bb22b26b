"""Messages with Chinese and Latin text, with or without spaces."""

import pytest

from tests.unit.understanding.conftest import Say


@pytest.mark.parametrize("text", ["删除提醒 12", "删除 提醒 12", "删除提醒12"])
def test_spaces_beside_figures_do_not_matter(say: Say, text: str) -> None:
    (call,) = say(text).calls

    assert call.arguments == {"reminder_id": "12"}


def test_the_content_keeps_its_spaces(say: Say) -> None:
    (call,) = say("下午3点提醒我 review 小安的 PR").calls

    assert call.arguments["content"] == "review 小安的 PR"


def test_an_english_request_may_hold_chinese_words(say: Say) -> None:
    (call,) = say("remind me at 5pm to buy 豆腐 and 酱油").calls

    assert call.arguments["content"] == "buy 豆腐 and 酱油"
