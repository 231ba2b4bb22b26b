"""Cutting long conversations along their pauses."""

from datetime import timedelta
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from services.summary.requests import estimate_tokens, split_into_chunks


def test_a_short_talk_is_one_part(talk):
    messages = talk("ann: one", "bob: two")

    assert split_into_chunks(messages, max_tokens=1000) == [tuple(messages)]


def test_empty_history_has_no_parts():
    assert split_into_chunks([], max_tokens=1000) == []


def test_a_full_part_ends_at_its_longest_pause(talk):
    morning = talk(*["ann: " + "word " * 12] * 7)
    later = talk(*["bob: " + "word " * 12] * 7, start=morning[-1].sent_at + timedelta(minutes=20))

    parts = split_into_chunks([*morning, *later], max_tokens=10 * estimate_tokens(morning[0]))

    assert [len(part) for part in parts] == [7, 7]


def test_a_long_pause_ends_a_part_that_has_grown_enough(talk):
    morning = talk(*["ann: " + "word " * 12] * 5)
    evening = talk(*["bob: " + "word " * 12] * 5, start=morning[-1].sent_at + timedelta(hours=6))

    parts = split_into_chunks([*morning, *evening], max_tokens=12 * estimate_tokens(morning[0]))

    assert [len(part) for part in parts] == [5, 5]


def test_overlapping_windows_have_the_same_parts_after_a_common_pause(talk):
    days = [
        talk(*["ann: " + "word " * 12] * 40, start=talk("a: b")[0].sent_at + timedelta(days=day)) for day in range(3)
    ]
    messages = [message for day in days for message in day]
    size = 25 * estimate_tokens(messages[0])

    assert split_into_chunks(messages, max_tokens=size)[-2:] == split_into_chunks(messages[11:], max_tokens=size)[-2:]


@given(gaps=st.lists(st.integers(0, 90), max_size=60), words=st.integers(1, 200))
@settings(max_examples=60, deadline=None)
def test_parts_hold_every_message_once_and_keep_to_the_size(talk, gaps, words):
    messages = []
    for gap in gaps:
        start = messages[-1].sent_at + timedelta(minutes=gap) if messages else None
        messages.extend(talk("ann: " + "word " * words, **({"start": start} if start else {})))

    parts = split_into_chunks(messages, max_tokens=600)

    assert [message for part in parts for message in part] == messages
    assert all(len(part) == 1 or sum(map(estimate_tokens, part)) <= 600 for part in parts)
    assert all(earlier[-1].sent_at <= later[0].sent_at for earlier, later in pairwise(parts))
