"""ROUGE scores, compared with rouge-score 0.1.2 and NLTK's stemmer."""

import pytest

from benchmarks.evaluation.porter import stem
from benchmarks.evaluation.rouge import compute_rouge, tokenize


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("dies", "die"),
        ("agreed", "agre"),
        ("hopping", "hop"),
        ("falling", "fall"),
        ("filing", "file"),
        ("enjoy", "enjoy"),
        ("happy", "happi"),
        ("relational", "relat"),
        ("vietnamization", "vietnam"),
        ("electricity", "electr"),
        ("hopefulness", "hope"),
        ("adjustment", "adjust"),
        ("adoption", "adopt"),
        ("controlling", "control"),
        ("rate", "rate"),
        ("skies", "sky"),
        ("geology", "geolog"),
        ("as", "as"),
    ],
)
def test_words_are_stemmed_as_published(word, expected):
    assert stem(word) == expected


def test_english_is_compared_by_stems():
    found = compute_rouge("The meetings were moved to Monday", ["the meeting moves to Tuesday"], "en")

    assert found.one == pytest.approx(8 / 11)
    assert found.two == pytest.approx(4 / 9)
    assert found.longest == pytest.approx(8 / 11)


def test_chinese_is_compared_by_characters_and_latin_words():
    assert tokenize("周三 Meeting，3点", "zh") == ["周", "三", "meeting", "3", "点"]
    assert compute_rouge("会议改到周三", ["会议在周三"], "zh").one == pytest.approx(8 / 11)


def test_several_references_give_their_mean():
    found = compute_rouge("apples", ["apples", "pears"], "en")

    assert found.one == pytest.approx(0.5)


def test_texts_without_common_words_score_zero():
    assert compute_rouge("", ["apples"], "en").longest == 0
