"""Short runs of the benchmarks, which check their output and no times."""

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.integration

KINDS = {"text", "one", "three", "stream", "in_flight"}


def run_benchmark(script, *options):
    command = [sys.executable, f"benchmarks/{script}.py", *options]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def test_overhead_is_measured_relative_to_a_plain_loop():
    found = run_benchmark("overhead", "--rounds", "1", "--messages", "2", "--in-flight", "5")

    assert set(found["ratio"]) == {"plain", "ours", "recorded"}
    assert all(set(row) == KINDS for row in found["ratio"].values())
    assert set(found["ratio"]["plain"].values()) == {1.0}


def test_burst_delivers_every_reminder_once():
    found = run_benchmark("reminders", "--due", "20", "--pending", "50")

    assert [(row["due"], row["handed_over"]) for row in found] == [(20, 20)]


def test_messages_are_measured_with_and_without_an_answer():
    found = run_benchmark("messages", "--messages", "10")

    assert all(found[name] > 0 for name in ("chatter_cpu_ms", "request_cpu_ms", "interpreter_per_second"))


def test_printed_table_has_every_saved_figure(tmp_path):
    out = tmp_path / "bench.json"
    command = [sys.executable, "benchmarks/run.py", "--only", "messages", "--out", str(out)]

    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout

    saved = json.loads(out.read_text(encoding="utf-8"))["figures"]
    assert [line.split()[0] for line in printed.splitlines()] == list(saved)


@pytest.mark.timeout(900)
def test_repeated_words_of_every_list_are_read_in_bounded_time():
    """The limit, half a second, is 25 times the goal, as other programs share the processor."""
    found = run_benchmark("hostile_messages", "--every", "1", "--groups", "1500", "--limit", "500")

    assert (found["messages"] > 10_000, found["over"]) == (True, {})
