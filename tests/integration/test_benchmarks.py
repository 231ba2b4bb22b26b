"""The benchmarks still measure: each is run with little to do, and what it prints is looked at, never the clock."""

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.integration

KINDS = {"text", "one", "three", "stream", "in_flight"}


def figures(script, *options):
    command = [sys.executable, f"benchmarks/{script}.py", *options]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def test_the_overhead_is_measured_beside_a_plain_loop():
    found = figures("overhead", "--rounds", "1", "--messages", "2", "--in-flight", "5")

    assert set(found["ratio"]) == {"plain", "ours", "recorded"}
    assert all(set(row) == KINDS for row in found["ratio"].values())
    assert set(found["ratio"]["plain"].values()) == {1.0}


def test_a_burst_hands_every_reminder_over_once():
    found = figures("reminders", "--due", "20", "--pending", "50")

    assert [(row["due"], row["handed_over"]) for row in found] == [(20, 20)]


def test_the_way_of_a_message_is_measured_with_and_without_an_answer():
    found = figures("messages", "--messages", "10")

    assert all(found[name] > 0 for name in ("chatter_cpu_ms", "request_cpu_ms", "interpreter_per_second"))


def test_the_table_has_every_figure_that_is_saved(tmp_path):
    out = tmp_path / "bench.json"
    command = [sys.executable, "benchmarks/run.py", "--only", "messages", "--out", str(out)]

    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout

    saved = json.loads(out.read_text(encoding="utf-8"))["figures"]
    assert [line.split()[0] for line in printed.splitlines()] == list(saved)


@pytest.mark.timeout(900)
def test_no_word_of_any_list_written_over_and_over_makes_a_message_slow():
    """Half a second is 25 times the goal: other programs share the processor."""
    found = figures("hostile_messages", "--every", "1", "--groups", "1500", "--limit", "500")

    assert (found["messages"] > 10_000, found["over"]) == (True, {})
