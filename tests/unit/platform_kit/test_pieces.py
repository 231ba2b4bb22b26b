"""Texts split into pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.platforms.kit.pieces import pieces
from services.kernel.chat import Person

FAMILY = "👨‍👩‍👧‍👦"


def bare(text):
    return "".join(text.split())


def test_a_text_that_fits_stays_whole():
    assert pieces("a short text", 20) == ["a short text"]


def test_no_limit_is_no_cut():
    assert pieces("x" * 10_000, 0) == ["x" * 10_000]


def test_empty_text_has_no_pieces():
    assert pieces("  \n", 10) == []


@pytest.mark.parametrize(
    ("text", "limit", "first"),
    [
        ("One thing.\n\nAnother thing. And more.", 25, "One thing."),
        ("First line here\nsecond line there", 24, "First line here"),
        ("It is late. We go home now, quickly", 20, "It is late."),
        ("今天下雨了。我们明天再去公园吧，好吗？", 12, "今天下雨了。"),
        ("milk, bread, some butter", 14, "milk, bread,"),
        ("nothing but words here", 12, "nothing but"),
    ],
)
def test_text_is_split_at_natural_pauses(text, limit, first):
    assert pieces(text, limit)[0] == first


def test_a_code_block_moves_to_the_next_piece_as_a_whole():
    block = "```py\na = 1\nb = 2\n```"

    assert pieces(f"Before the code.\n{block}\nafter it", 30) == ["Before the code.", f"{block}\nafter it"]


def test_a_code_block_longer_than_a_piece_is_cut_at_line_ends_with_its_fences():
    code = "\n".join(f"line {number}" for number in range(20))
    found = pieces(f"```py\n{code}\n```", 50)

    assert all(piece.startswith("```py\n") and piece.endswith("\n```") and len(piece) <= 50 for piece in found)
    assert "\n".join(piece[6:-4] for piece in found) == code


def test_endless_line_of_code_is_split_too():
    found = pieces("```\n" + "x" * 100 + "\n```", 30)

    assert all(len(piece) <= 30 for piece in found)
    assert sum(piece.count("x") for piece in found) == 100


@pytest.mark.parametrize("emoji", [FAMILY, "👍🏽", "🇨🇳", "é", "1️⃣"])
def test_grapheme_is_not_split(emoji):
    found = pieces(emoji * 40, 30)

    assert all(bare(piece).replace(emoji, "") == "" for piece in found)


def test_a_mention_is_not_broken():
    people = (Person(id="1", name="Anna Maria von Berg"),)
    found = pieces("please ask about it @Anna Maria von Berg today", 34, people=people)

    assert any("@Anna Maria von Berg" in piece for piece in found)


@pytest.mark.parametrize(
    "text", ["**very important words**", "`some code here ok`", "[a label](https://x.example/path)"]
)
def test_marked_text_is_not_split(text):
    found = pieces(f"Some words in front {text} and some behind it", 40)

    assert any(text in piece for piece in found)


def test_the_measure_may_count_bytes():
    found = pieces("泡泡提醒你喝水。" * 20, 60, measure=lambda text: len(text.encode()))

    assert all(len(piece.encode()) <= 60 for piece in found)


@given(st.text(alphabet="ab。. ,\n👍🏽`*", max_size=200), st.integers(min_value=4, max_value=60))
def test_every_piece_fits_and_only_white_space_is_lost(text, limit):
    found = pieces(text.replace("```", ""), limit)

    assert all(0 < len(piece) <= limit for piece in found)
    assert bare("".join(found)) == bare(text.replace("```", ""))
