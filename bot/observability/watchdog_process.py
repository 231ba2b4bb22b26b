"""End the bot when its event loop is blocked. Runs as a process of its own and imports nothing of the bot.

A thread could not do it: a regular expression or a native library may hold the interpreter for minutes. Time is counted
in checks, one a second, that find the bot running: a suspended machine, container or job does not count.

Run by `bot.observability.watchdog` as `python watchdog_process.py PID SECONDS MARKER`; the bot writes a byte to its
standard input for each beat of the loop, and `T` when it is stopping. Tests add the interval of the checks in seconds.
"""

import os
import select
import signal
import sys
import time
from pathlib import Path

STALLED_AFTER = 2
"""Checks without a beat after which the file `MARKER` is made: the current message is not handled again."""
_ENDS_WITHIN = 5
_GRACE_SECONDS = 5.0
_GRACE_CHECKS = 50
_MAX_READ = 4096


def watch(pid: int, seconds: int, marker: Path, check_seconds: float = 1.0) -> None:
    """Wait for beats until standard input ends; end the process `pid` when none came for `seconds` checks."""
    checks, limit = 0, seconds
    while True:
        if select.select([0], [], [], check_seconds)[0]:
            beats = os.read(0, _MAX_READ)
            if not beats:
                return
            limit = min(limit, _ENDS_WITHIN) if b"T" in beats else limit
            if b"." in beats and checks >= STALLED_AFTER:
                marker.unlink(missing_ok=True)
            checks = 0 if b"." in beats else checks
            continue
        checks += not _is_stopped(pid)
        if checks == STALLED_AFTER:
            marker.touch()
        if checks >= limit:
            end(pid, checks)
            return


def end(pid: int, seconds: int) -> None:
    """Have the process print the stacks of its threads and end; kill it if it does not."""
    os.write(2, f"bubbles: the event loop stood still for {seconds} s; the process is ended\n".encode())
    try:
        os.kill(pid, signal.SIGABRT)
        for _ in range(_GRACE_CHECKS):
            time.sleep(_GRACE_SECONDS / _GRACE_CHECKS)
            os.kill(pid, 0)  # raises once it has ended: its number may soon be that of another process
        os.kill(pid, getattr(signal, "SIGKILL", signal.SIGABRT))
    except OSError:
        return  # it has ended


def _is_stopped(pid: int) -> bool:
    """Return whether the process is stopped by job control; False where the system does not report it."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return False
    return state in {"T", "t"}


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the bot; standard input ends with it
    watch(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]), *map(float, sys.argv[4:]))
