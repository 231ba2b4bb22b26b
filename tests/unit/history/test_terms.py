"""Terms of the full-text index."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.history.terms import index_terms, query_terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("release", "released"),
        ("release", "releasing"),
        ("meeting", "meetings"),
        ("party", "parties"),
        ("plan", "planned"),
        ("CAFÉ", "cafe"),
        ("ＡＢＣ１２", "abc12"),
    ],
)
def test_forms_of_a_word_are_one_term(one: str, other: str):
    assert query_terms(one) == query_terms(other) == index_terms(other)


@pytest.mark.parametrize(("one", "other"), [("bus", "bu"), ("thing", "the"), ("class", "clas"), ("red", "r")])
def test_different_words_stay_apart(one: str, other: str):
    assert index_terms(one) != index_terms(other)


def test_chinese_is_cut_into_characters_and_pairs():
    assert sorted(index_terms("喝茶吧 ok")) == sorted(["喝", "茶", "吧", "喝茶", "茶吧", "ok"])


def test_a_query_has_no_parts_of_contractions():
    assert query_terms("what's the number for the herbs") == ["number", "herb"]


def test_a_query_is_cut_into_pairs_and_a_single_character_stays_one():
    assert query_terms("咖啡店") == ["咖啡", "啡店"]
    assert query_terms("茶") == ["茶"]


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("what did we say about the budget?", ["budget"]),
        ("谁说过预算", ["过预", "预算"]),
        ("¿dónde está la merienda?", ["merienda"]),
        ("how much does miso get?", ["miso"]),
        ("老师什么时候发的链接", ["老师", "发", "链接"]),
        ("要穿什么颜色的毛衣", ["要穿", "颜色", "毛衣"]),
        ("who are you", ["who", "are", "you"]),
    ],
)
def test_stop_words_are_dropped_if_others_remain(question: str, terms: list[str]):
    assert query_terms(question) == terms


def test_a_very_long_text_is_cut():
    assert len(query_terms(" ".join(f"word{number}" for number in range(100)))) == 12
    assert len(index_terms("x" * 1_000_000)) == 1


@given(st.text(max_size=60))
def test_search_terms_occur_in_their_text(text: str):
    assert set(query_terms(text)) <= set(index_terms(text))


@given(st.text(max_size=60))
def test_terms_are_letters_and_figures_only(text: str):
    assert all(character.isalnum() for term in index_terms(text) for character in term)


def test_words_of_thousands_of_characters_are_not_held_in_memory():
    tracemalloc.start()
    try:
        terms = [index_terms(f"{number}{'x' * 20_000}ing") for number in range(100)]
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert [term[:3] for (term,) in terms[10:13]] == ["10x", "11x", "12x"]
    assert {len(term) for (term,) in terms} == {64}
    assert held < 1_000_000
