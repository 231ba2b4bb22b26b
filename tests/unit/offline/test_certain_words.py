"""Letters that are looked for before a regular expression is tried."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from function_calls.understanding.certain_words import certain_words
from function_calls.understanding.openings import Openings
from function_calls.understanding.pack import Sought, languages, load_intent_gate, load_pack
from function_calls.understanding.templates import Notation

CERTAIN = [
    (r"\b(?:every|each) hour,? (?=on)", (" hour",)),
    ("ab?c", ("a",)),
    ("abc+d", ("abc",)),
    ("foo{0,2}bar", ("bar",)),
    ("foo(?:bar)?", ("foo",)),
    ("(foo)?", ()),
    ("(?:a|b)*", ()),
    ("foo|bar", ("foo", "bar")),
    ("foo|", ()),
    (r"foo|\d", ()),
    ("(?<!foo)bar", ("bar",)),
    ("(?!foo)[abc]", ()),
    (r"[\u2190-\u2bff]+ *(?=remind|set )", ("remind", "set ")),
    (r"\u2190\d", ()),
    (r"12\.30", ("12.30",)),
]
_PATTERNS = st.recursive(
    st.sampled_from(["a", "b", "ab", "bc", "[ab]", ".", r"\w", "", r"\b", "c+", "(?=a)", "(?!b)", "(?<=a)"]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda two: f"(?:{two[0]}|{two[1]})"),
        inner.map(lambda one: f"(?:{one})?"),
        inner.map(lambda one: f"({one}){{0,2}}"),
        inner.map(lambda one: f"(?:{one}){{1,2}}"),
    ),
    max_leaves=6,
)


@pytest.mark.parametrize(("pattern", "words"), CERTAIN)
def test_necessary_words_of_a_match_are_read_from_the_pattern(pattern: str, words: tuple[str, ...]) -> None:
    assert certain_words(pattern) == words


@given(pattern=_PATTERNS, text=st.text("abc", max_size=6))
def test_no_text_that_matches_lacks_them(pattern: str, text: str) -> None:
    words = certain_words(pattern)

    assert not (words and re.search(pattern, text)) or any(word in text for word in words)


@pytest.mark.parametrize("language", languages())
def test_gates_and_rewritings_match_like_their_patterns(language: str) -> None:
    pack = load_pack(language)
    sought = [each for each, _ in pack.rewritten] + [load_intent_gate(language, name) for name in pack.data.intents]
    texts = [
        "remind me at 5 to eat",
        "snooze 5",
        "delete the first two",
        "提醒我八点吃药",
        "cancel咗",
        "刚设的提醒改到六点",
    ]

    assert [bool(each.search(text)) for each in sought for text in texts] == [
        bool(each.pattern.search(text)) for each in sought for text in texts
    ]
    assert all(isinstance(each, Sought) for each in sought)


@pytest.mark.parametrize(
    ("text", "taken"),
    [("please go", "please "), ("would you go", "would you "), ("pls go", "pls "), ("go", None), ("", None)],
)
def test_an_opening_is_sought_among_those_of_its_letter(text: str, taken: str | None) -> None:
    openings = Openings(("(please|pls)", "[would] you", "<kind>"), Notation(rules={"kind": "kindly"}), r"\b\s*")

    found = openings.match(text)

    assert (found and found[0]) == taken
    assert set(openings.compiled()) >= set("kpwy")
