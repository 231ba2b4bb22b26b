"""Small words around the words that count."""

from function_calls.understanding.reading.slots.small_words import sort_longest_first


def test_equally_long_words_of_a_set_have_a_fixed_order() -> None:
    assert sort_longest_first({"错了", "打错", "打错了", "是"}) == ["打错了", "打错", "错了", "是"]
