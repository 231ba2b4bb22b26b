"""Deliveries whose process is killed between each pair of steps."""

import signal
from pathlib import Path

import pytest

from tests.integration.failpoint_worker import deliver_up_to
from tests.integration.workers import Worker
from tests.support.log_lines import whole_lines

# Point of the kill -> messages sent before it, messages sent in all, mark of a possible repeat on the last.
EXPECTED = {
    "before claim": (0, 1, False),
    "claim | begin": (0, 1, False),
    "begin | send": (0, 1, True),
    "send | ack": (1, 2, True),
    "ack | note": (1, 2, True),
    "ack | mark": (1, 1, False),
    "after mark": (1, 1, False),
}


def run_worker(folder: Path, url: str, point: str, *contents: str) -> int | None:
    worker = Worker(folder / "worker.log", deliver_up_to, folder, url, point, contents)
    status = worker.wait_for_end(within=40)
    assert status in {0, -signal.SIGKILL}, worker.stderr
    return status


def read_sent(folder: Path) -> list[list[str]]:
    return [line.split() for line in whole_lines(folder / "sent.txt")]


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'bubbles.db'}"
    return request.getfixturevalue("postgres_url")


@pytest.mark.integration
@pytest.mark.timeout(90)
@pytest.mark.parametrize("contents", [("tea",), ("tea", "milk", "beer")], ids=["one", "three in one message"])
@pytest.mark.parametrize("point", EXPECTED)
def test_kill_between_two_steps_repeats_only_uncertain_sends_and_loses_nothing(
    tmp_path: Path, url: str, point: str, contents: tuple[str, ...]
):
    before, in_all, is_repeat = EXPECTED[point]

    killed = run_worker(tmp_path, url, point, *contents)
    at_the_kill = read_sent(tmp_path)
    result = run_worker(tmp_path, url, "none")
    messages = read_sent(tmp_path)

    assert (killed, result) == (-signal.SIGKILL, 0)
    assert (len(at_the_kill), len(messages)) == (before, in_all)
    assert messages[-1][1] == str(is_repeat)
    assert {key for key, _, _ in messages} == {messages[0][0]}
    assert [sorted(text.split(",")) for _, _, text in messages] == [sorted(contents)] * in_all
