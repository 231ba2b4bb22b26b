"""Counters of turns, models and reminders."""

from datetime import timedelta

import pytest

from bot.observability.metrics import OTHER, Counts, Latencies
from tests.support.records import make_call_record, make_completion_record, make_turn_record


def test_turn_counts_the_usage_of_each_model():
    counts = Counts()
    completions = (make_completion_record(tokens=100, cost=0.25), make_completion_record(tokens=100, cost=0.5))
    counts.count_record(make_turn_record(completions=completions))
    counts.count_record(make_turn_record(2, reply=""))

    [model] = {each.model for each in completions}
    assert counts.turns == {("model", "answered"): 1, ("offline", "silent"): 1}
    assert counts.tokens[model, "prompt"] + counts.tokens[model, "completion"] == 200
    assert counts.cost == {model: pytest.approx(0.75)}


def test_a_call_counts_with_its_seconds_by_tool_and_status():
    counts = Counts()
    for call in (make_call_record(), make_call_record(2), make_call_record(3, status="timeout")):
        counts.count_record(call)

    assert sum(counts.calls["reminder_set", "success"].counts) == 2
    assert counts.calls["reminder_set", "success"].seconds == pytest.approx(2 * 0.0454)
    assert set(counts.calls) == {("reminder_set", "success"), ("reminder_set", "timeout")}


def test_names_without_end_are_counted_together():
    counts = Counts()
    for number in range(1010):
        counts.count_record(make_call_record(number, tool=f"invented_{number}"))
    counts.count_record(make_call_record(tool="invented_7"))

    assert len(counts.calls) == 1001
    assert sum(counts.calls[OTHER, "success"].counts) == 10
    assert sum(counts.calls["invented_7", "success"].counts) == 2


def test_punctual_reminder_has_no_negative_lateness():
    counts = Counts()
    counts.count_delivery(timedelta(seconds=-0.002))
    counts.count_delivery(timedelta(seconds=3))

    assert counts.lateness.seconds == 3
    assert dict(counts.lateness.up_to()) == {
        **dict.fromkeys(("0.01", "0.05", "0.1", "0.25", "0.5", "1.0", "2.5"), 1),
        **dict.fromkeys(("5.0", "10.0", "20.0", "40.0", "80.0", "+Inf"), 2),
    }


def test_value_above_every_bucket_is_counted():
    latencies = Latencies()
    latencies.add(1000)

    assert dict(latencies.up_to())["80.0"] == 0
    assert dict(latencies.up_to())["+Inf"] == 1
