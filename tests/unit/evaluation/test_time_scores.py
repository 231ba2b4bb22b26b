"""Scores of time expressions."""

from datetime import datetime

import pytest

from benchmarks.evaluation.time_cases import TimeAnswer, judge, load_own_cases, parse_case
from benchmarks.evaluation.time_scores import score

ROW = {
    "text": "at seven",
    "lang": "en",
    "ref": "2026-11-20T10:00:00",
    "kind": "instant",
    "values": [{"start": "2026-11-20T19:00:00", "grain": "minute"}],
    "alts": [{"start": "2026-11-21T07:00:00", "grain": "minute"}],
    "tags": ["core"],
}


def answer(text, rule=""):
    return TimeAnswer(start=datetime.fromisoformat(text), rule=rule)


def judge_time(row, given):
    found = judge(parse_case(row), given)
    return found.is_strict, found.is_lenient


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (answer("2026-11-20T19:00:00"), (True, True)),
        (answer("2026-11-21T07:00:00"), (False, True)),
        (answer("2026-11-20T18:00:00"), (False, False)),
        (answer("2026-11-20T19:00:00", "FREQ=DAILY"), (False, False)),
        (None, (False, False)),
    ],
)
def test_the_sources_reading_is_strict_and_another_one_in_use_lenient(given, expected):
    assert judge_time(ROW, given) == expected


@pytest.mark.parametrize(
    ("grain", "start", "is_right"),
    [
        ("day", "2026-11-20T03:00:00", True),
        ("week", "2026-11-16T00:00:00", True),
        ("week", "2026-11-23T00:00:00", False),
        ("quarter", "2026-10-01T00:00:00", True),
        ("year", "2026-01-01T00:00:00", True),
        ("second", "2026-11-20T19:00:01", True),
        ("second", "2026-11-20T19:00:05", False),
    ],
)
def test_a_value_is_compared_as_exactly_as_it_is_given(grain, start, is_right):
    row = ROW | {"values": [{"start": "2026-11-20T19:00:00", "grain": grain}], "alts": []}

    assert judge_time(row, answer(start)) == (is_right, is_right)


def test_a_bare_clock_may_be_todays_or_tomorrows():
    row = ROW | {"values": [{"tod": "19:00:00"}], "alts": []}

    assert judge_time(row, answer("2026-11-21T19:00:00")) == (True, True)
    assert judge_time(row, answer("2026-11-22T19:00:00")) == (False, False)


def test_text_without_a_time_expects_no_answer():
    assert judge_time(ROW | {"kind": "none"}, None) == (True, True)
    assert judge_time(ROW | {"kind": "none"}, answer("2026-11-20T19:00:00")) == (False, False)


def test_unknown_kind_is_an_error():
    with pytest.raises(ValueError, match="moment"):
        parse_case(ROW | {"kind": "moment"})


def test_cases_are_counted_per_language_kind_and_corpus():
    cases = [parse_case(ROW), parse_case(ROW | {"tags": ["slash"]}), parse_case(ROW | {"kind": "none", "corpus": "c"})]

    found = score(cases, lambda *_: answer("2026-11-21T07:00:00"))

    assert {name: (each.count, each.strict, each.lenient, each.found) for name, each in found.groups.items()} == {
        "all": (2, 0, 1, 2),
        "en all": (2, 0, 1, 2),
        "en instant": (1, 0, 1, 1),
        "en none": (1, 0, 0, 1),
        "corpus c": (1, 0, 0, 1),
        "corpus own": (1, 0, 1, 1),
    }
    assert [case.kind for case, _ in found.missed] == ["none"]


def test_the_own_set_has_every_kind_in_both_languages():
    kinds = {(case.language, case.kind) for case in load_own_cases()}

    assert kinds == {(language, kind) for language in ("en", "zh") for kind in ("instant", "recurrence", "none")}
