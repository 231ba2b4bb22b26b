"""The watchdog, which records a message that blocked the event loop."""

import asyncio
import os
import signal
import subprocess
import sys
import time

import pytest

from bot.observability import watchdog_process
from bot.observability.watchdog import CurrentMessageFile, TrackedHandling, Watchdog, read_key

KEY = ("web:lobby", "m1")


@pytest.fixture
def notes(tmp_path):
    made = CurrentMessageFile(tmp_path / "reading-1-a")
    yield made
    made.close()


def leave_blocked_message(folder, key=KEY, name="reading-999999999-a"):
    """Leave the files of a process that was killed while its event loop was blocked."""
    left = CurrentMessageFile(folder / name)
    left.set("\t".join(key).encode() + b"\0")
    (folder / f"{name}.stalled").touch()
    return left.path


async def test_a_message_is_noted_while_it_is_handled_and_not_while_it_waits(notes):
    seen = []
    waiting = asyncio.Event()

    async def work() -> None:
        seen.append(read_key(notes.path))
        await waiting.wait()
        seen.append(read_key(notes.path))

    async def handle() -> None:
        await TrackedHandling(work(), notes, KEY)

    task = asyncio.create_task(handle())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    between = read_key(notes.path)
    waiting.set()
    await task

    assert (seen, between, read_key(notes.path)) == ([KEY, KEY], None, None)


async def test_cancelling_a_noted_message_cancels_its_work(notes):
    has_ended = []

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            has_ended.append(True)

    async def handle() -> None:
        await TrackedHandling(work(), notes, KEY)

    task = asyncio.create_task(handle())
    await asyncio.sleep(0)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert (has_ended, read_key(notes.path)) == ([True], None)


async def test_an_error_of_a_noted_message_is_its_error(notes):
    async def work() -> None:
        await asyncio.sleep(0)
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        await TrackedHandling(work(), notes, KEY)
    assert read_key(notes.path) is None


async def test_message_that_blocked_a_process_is_unreadable_until_its_sender_is_notified(tmp_path):
    leave_blocked_message(tmp_path)
    async with Watchdog(tmp_path, 0) as first:
        known = first.is_unreadable(KEY)
    async with Watchdog(tmp_path, 0) as second:
        known_again = second.is_unreadable(KEY)
        second.forget(KEY)
    async with Watchdog(tmp_path, 0) as third:
        known_after = third.is_unreadable(KEY)

    assert (known, known_again, known_after, list(tmp_path.iterdir())) == (True, True, False, [])


async def test_message_handled_at_the_end_without_a_block_is_readable(tmp_path):
    left = leave_blocked_message(tmp_path)
    left.with_name(f"{left.name}.stalled").unlink()

    async with Watchdog(tmp_path, 0) as watchdog:
        assert not watchdog.is_unreadable(KEY)
    assert list(tmp_path.iterdir()) == []


async def test_clean_end_leaves_no_file(tmp_path):
    async with Watchdog(tmp_path, 5):
        pass

    assert list(tmp_path.iterdir()) == []


@pytest.mark.timeout(60)
def test_process_without_heartbeats_prints_its_stacks_and_ends(tmp_path):
    sign = tmp_path / "sign"
    code = "import faulthandler, time\nfaulthandler.enable()\nprint(flush=True)\ndef stuck(): time.sleep(600)\nstuck()"
    stuck = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    stuck.stdout.readline()
    watching = watch(stuck.pid, 3, sign)
    error = stuck.communicate(timeout=30)[1]
    ended_at = time.monotonic()
    watching.communicate(timeout=30)
    waited_on = time.monotonic() - ended_at

    assert (stuck.returncode, sign.exists()) == (-signal.SIGABRT, True)
    assert "in stuck" in error
    assert waited_on < 3  # a signal that came later could meet another process of the same number


@pytest.mark.timeout(60)
def test_a_process_that_was_stopped_by_its_terminal_is_not_ended(tmp_path):
    sleeping = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    os.kill(sleeping.pid, signal.SIGSTOP)
    watching = watch(sleeping.pid, 3, tmp_path / "sign")
    time.sleep(1)
    is_alive = sleeping.poll() is None
    sleeping.kill()
    sleeping.wait()
    watching.communicate(timeout=30)

    assert (is_alive, (tmp_path / "sign").exists()) == (True, False)


@pytest.mark.timeout(60)
def test_new_heartbeat_removes_the_marker(tmp_path):
    sign = tmp_path / "sign"
    watching = watch(os.getpid(), 600, sign)
    wait_until(sign.exists)
    watching.stdin.write(b".")
    watching.stdin.flush()
    wait_until(lambda: not sign.exists())
    watching.communicate(timeout=30)


def watch(pid, looks, sign):
    """Start the process that watches, with looks of a tenth of a second."""
    command = [sys.executable, "-S", watchdog_process.__file__, str(pid), str(looks), str(sign), "0.1"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)


def wait_until(is_so, seconds=20.0):
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)
