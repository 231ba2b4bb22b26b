"""References to several reminders by words."""

import pytest

from services.reminders.lookup.references import all_except, is_in


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("all except dentist", ("dentist",)),
        ("everything but the milk and the gym", ("milk", "gym")),
        ("all my reminders apart from 2", ("2",)),
        ("除了看牙以外的所有", ("看牙",)),
        ("除了看牙和健身", ("看牙", "健身")),
        ("除看牙外的", ("看牙",)),
        ("all tomorrow", ()),
        ("all about butter", ()),
        ("明天的所有", ()),
    ],
)
def test_words_of_an_exception_name_the_remaining_reminders(reference: str, expected: tuple[str, ...]) -> None:
    assert all_except(reference) == expected


@pytest.mark.parametrize("reference", ["除草", "除夕大扫除", "除湿机换水", "allotment", "buttons"])
def test_words_with_the_same_beginning_exclude_nothing(reference: str) -> None:
    assert all_except(reference) == ()


def test_words_stand_in_a_content_whatever_their_case() -> None:
    assert is_in("The Friday Report", "friday REPORT")
    assert not is_in("The Friday Report", "rep")


def test_words_stand_in_a_content_with_and_without_accents() -> None:
    assert is_in("recoger el analisis de sangre", "análisis")
    assert is_in("felicitar a Íñigo", "inigo")
    assert is_in("给妈妈打电话", "妈妈")
