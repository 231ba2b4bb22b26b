"""Text in columns."""

from bot.cli.replay import side_by_side


def test_columns_are_aligned():
    lines = side_by_side([("", "one", "two"), ("reply", "好的，明天早上八点提醒你", "ok")], 40)

    assert lines == ["       one              two", "reply  好的，明天早上   ok", "       八点提醒你"]


def test_lines_of_a_text_are_kept():
    lines = side_by_side([("reply", "first\n\nthird", "")], 40)

    assert lines == ["reply  first", "", "       third"]
