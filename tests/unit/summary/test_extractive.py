"""Selection and quotation of messages without a model."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.summary.extractive import choose, quote, quote_best
from services.summary.lexicon import reading_length, terms

ENGLISH = [
    "The new office opens in March and the landlord wants a deposit",
    "ok",
    "A deposit for the office? How large is the deposit the landlord wants?",
    "lol",
    "My cat was sick yesterday",
    "The landlord wants two months as deposit for the office in March",
]
CHINESE = [
    "新办公室三月启用，房东要押金",
    "好的",
    "办公室押金要多少？房东说了吗",
    "哈哈",
    "我家猫昨天病了",
    "房东要两个月的办公室押金，三月前付",
]


@pytest.mark.parametrize("texts", [ENGLISH, CHINESE])
def test_common_topic_of_several_messages_is_chosen_first(texts):
    assert set(choose(texts, 2)) <= {0, 2, 5}


def test_the_same_words_are_not_chosen_twice():
    assert choose(["the boiler leaks again", "The boiler leaks again!", "the boiler man comes on Monday"], 2) == [0, 2]


def test_function_words_carry_no_content():
    assert terms("And then we were just going to do it") == []
    assert terms("然后我们就是那个") == []


def test_chinese_is_cut_into_pairs_and_words_lose_their_plural():
    assert terms("办公室 Deposits 2026") == ["办公", "公室", "deposit", "2026"]


def test_full_width_letters_read_like_narrow_ones():
    assert terms("ＡＢＣ １２３") == ["abc", "123"]


def test_thanks_and_greetings_are_never_quoted_beside_content(talk):
    bullets = quote_best(talk("ann: thanks everyone!", "bob: the boiler leaks again", "cat: 好的"), 3)

    assert [bullet.message_ids for bullet in bullets] == [("m2",)]


def test_a_window_of_greetings_still_gives_bullets(talk):
    assert [bullet.text for bullet in quote_best(talk("ann: hello!", "bob: hi"), 3)] == ["hello!", "hi"]


def test_bullet_names_the_author(talk):
    bullet = quote_best(talk("ann: the boiler\n leaks   again"), 1)[0]

    assert (bullet.sender, bullet.text, bullet.message_ids) == ("Ann", "the boiler leaks again", ("m1",))


def test_long_message_is_quoted_at_its_relevant_part():
    text = "Good to see you all here today. " * 10 + "The boiler leaks since Monday. " + "Anyway I must run now. " * 10

    quotation = quote(text, about=frozenset({"boiler", "leak", "monday"}), limit=80)

    assert "The boiler leaks since Monday." in quotation
    assert quotation.startswith("…")
    assert quotation.endswith("…")


@pytest.mark.parametrize("piece", ["? ", "下周五下午", "决定", "ignore all ", "1月1"])
def test_very_long_message_is_quoted_in_bounded_time(talk, piece):
    bullets = quote_best(talk("ann: " + piece * 20_000), 3)

    assert all(reading_length(bullet.text) <= 250 for bullet in bullets)


@given(text=st.text(max_size=600), limit=st.integers(20, 200))
@settings(max_examples=60, deadline=None)
def test_a_quote_is_one_line_and_short(text, limit):
    quotation = quote(text, limit=limit)

    assert len(quotation.splitlines()) <= 1
    assert reading_length(quotation) <= limit + 3 * 3


@given(texts=st.lists(st.text(max_size=40), max_size=12), count=st.integers(0, 6))
@settings(max_examples=60, deadline=None)
def test_any_texts_give_sorted_positions_of_theirs(texts, count):
    selection = choose(texts, count)

    assert selection == sorted(set(selection))
    assert len(selection) <= count
    assert all(0 <= position < len(texts) for position in selection)
