"""Kill the bot when its event loop blocks. Runs as a process of its own and imports nothing of the bot.

A thread could not: a regular expression or a native library may hold the interpreter for minutes. Time is counted in
looks of a second that found the bot running, so that a machine, a container or a job that was stopped does not count.

Run by `bot.observability.watchdog` as `python watchdog_process.py PID SECONDS SIGN`; the bot writes a byte to standard
input for each beat of its loop, and `T` when it was asked to end. Tests add the length of a look in seconds.
"""

import os
import select
import signal
import sys
import time
from pathlib import Path

STALLED_AFTER = 2
"""Looks without a beat after which `SIGN` is made: a message that was being read is not read again."""
_ENDS_WITHIN = 5
_GRACE_SECONDS = 5.0
_GRACE_LOOKS = 50
_MOST_READ = 4096


def watch(pid: int, seconds: int, sign: Path, look_seconds: float = 1.0) -> None:
    """Wait for beats until standard input ends; end the process `pid` when none came for `seconds` looks."""
    looks, limit = 0, seconds
    while True:
        if select.select([0], [], [], look_seconds)[0]:
            beats = os.read(0, _MOST_READ)
            if not beats:
                return
            limit = min(limit, _ENDS_WITHIN) if b"T" in beats else limit
            if b"." in beats and looks >= STALLED_AFTER:
                sign.unlink(missing_ok=True)
            looks = 0 if b"." in beats else looks
            continue
        looks += not _is_stopped(pid)
        if looks == STALLED_AFTER:
            sign.touch()
        if looks >= limit:
            end(pid, looks)
            return


def end(pid: int, seconds: int) -> None:
    """Have the process print the stacks of its threads and end; kill it if it does not."""
    os.write(2, f"bubbles: the event loop stood still for {seconds} s; the process is ended\n".encode())
    try:
        os.kill(pid, signal.SIGABRT)
        for _ in range(_GRACE_LOOKS):
            time.sleep(_GRACE_SECONDS / _GRACE_LOOKS)
            os.kill(pid, 0)  # raises once it has ended: its number may soon be that of another process
        os.kill(pid, getattr(signal, "SIGKILL", signal.SIGABRT))
    except OSError:
        return  # it has ended


def _is_stopped(pid: int) -> bool:
    """Tell whether the process is stopped by job control; False where the system does not say."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return False
    return state in {"T", "t"}


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the bot; standard input ends with it
    watch(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]), *map(float, sys.argv[4:]))
