"""Distances in time as people are told them."""

from datetime import timedelta

import pytest

from function_calls.phrasing import distance


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (timedelta(seconds=10), "10 seconds"),
        (timedelta(seconds=90), "90 seconds"),
        (timedelta(minutes=90), "90 minutes"),
        (timedelta(hours=1), "1 hour"),
        (timedelta(hours=32), "32 hours"),
        (timedelta(days=7), "7 days"),
    ],
)
def test_a_distance_is_told_in_the_largest_unit_that_fits(span, words):
    assert distance("en", span) == words


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (timedelta(hours=1, minutes=59, seconds=50), "2 hours"),
        (timedelta(hours=3, minutes=59), "4 hours"),
        (timedelta(days=6, hours=23), "7 days"),
    ],
)
def test_a_distance_just_short_of_a_whole_is_not_told_as_one_less(span, words):
    assert distance("en", span) == words
