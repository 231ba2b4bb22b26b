from hypothesis import given
from hypothesis import strategies as st

from bot.cli.columns import places, side_by_side, wrapped


def test_chinese_characters_take_two_places():
    assert places("茶 tea") == 6


def test_columns_stand_beside_each_other():
    lines = side_by_side([("", "one", "two"), ("reply", "好的，明天早上八点提醒你", "ok")], 40)

    assert lines == ["       one              two", "reply  好的，明天早上   ok", "       八点提醒你"]


@given(st.text(max_size=200), st.integers(min_value=2, max_value=40))
def test_wrapped_lines_fit_and_keep_every_letter(text, width):
    lines = wrapped(text, width)

    assert all(places(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
