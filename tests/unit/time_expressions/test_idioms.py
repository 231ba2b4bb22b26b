"""Idioms that are looked up by their first letter are those that one alternation of them all finds."""

import re

import pytest

from benchmarks.evaluation.own_times import own_cases
from services.time_expressions.rules.grammar import languages, lexicon
from services.time_expressions.rules.idioms import Idioms, first_letters


@pytest.mark.parametrize(
    ("pattern", "letters"),
    [
        ("早安", "早"),
        ("(?<=[早晚])(?<!一早)[二三]{1,3}(?=个)", "二三"),
        ("(?:^|(?<=[.!?,] ))one (?:second)", "o"),
        ("初?(?:赛|中)", "初赛中"),
        (r"\s?a", None),
        (r"[一-龥]x", None),
        ("[^a]", None),
        (r"\d+年级|[a-c]x", "0123456789abc"),
        ("a*", None),
    ],
)
def test_the_first_letters_of_a_pattern(pattern, letters):
    assert first_letters(pattern) == (None if letters is None else frozenset(letters))


@pytest.mark.parametrize("language", languages())
def test_no_idiom_of_a_lexicon_is_overlooked(language):
    patterns = lexicon(language).get("idioms", ())
    idioms, all_at_once = Idioms(patterns), re.compile("|".join(patterns) or "(?!)")
    texts = [case.text.lower() for case in own_cases()]

    for text in texts:
        for place in range(len(text)):
            found, expected = idioms.match(text, place), all_at_once.match(text, place)
            assert (found and found.span()) == (expected and expected.span()), (text, place)


def test_every_idiom_of_a_lexicon_has_known_first_letters():
    assert all(first_letters(pattern) for language in languages() for pattern in lexicon(language).get("idioms", ()))
