"""Patterns are compiled when they are looked for, and all that there are can be."""

import re
from types import SimpleNamespace

import pytest

from function_calls.understanding import lazy_pattern
from function_calls.understanding.compiling import compile_all
from function_calls.understanding.lazy_pattern import LazyPattern
from function_calls.understanding.pack import load_pack, sought


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is compiled from now on."""
    seen: list[str] = []

    def note(pattern: str, flags: re.RegexFlag) -> re.Pattern[str]:
        seen.append(pattern)
        return re.compile(pattern, flags)

    monkeypatch.setattr(lazy_pattern, "re", SimpleNamespace(compile=note))
    return seen


def test_a_pattern_is_compiled_once_and_when_it_is_first_used(compiled: list[str]):
    pattern = LazyPattern("te(?P<last>a)", re.IGNORECASE)
    before = list(compiled)

    found = [pattern.search("green TEA"), pattern.match("tea"), pattern.fullmatch("teas"), *pattern.finditer("tea")]

    assert [each and each["last"] for each in found] == ["A", "a", None, "a"]
    assert pattern.sub(lambda match: match["last"] * 2, "tea") == "aa"
    assert (before, compiled) == ([], ["te(?P<last>a)"])


def test_pattern_without_its_words_in_the_text_is_not_compiled(compiled: list[str]):
    wanted = sought(r"\bgreen +tea\b")

    assert wanted.search("milk") is None
    assert compiled == []
    assert wanted.search("some green tea")
    assert compiled == [r"\bgreen +tea\b"]


def test_invalid_pattern_is_reported_at_its_first_use():
    with pytest.raises(re.error):
        LazyPattern("(").search("text")


def test_all_patterns_compile_before_the_first_message(compiled: list[str]):
    compile_all()
    compiled.clear()

    assert load_pack("en").between.search("eggs, and milk")
    assert load_pack("zh").between.search("鸡蛋，牛奶")
    assert compiled == []
