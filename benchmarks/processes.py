"""Read the CPU time and the memory of running processes."""

import os
import time
from pathlib import Path

_CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
_MAX_IDLE_CPU_MS = 20
"""A process that uses less CPU than this in a second is idle."""
_MAX_SETTLING_SECONDS = 60


def read_cpu_seconds(pid: int) -> float:
    """Return the user and system CPU time so far, in steps of a clock tick (ten milliseconds)."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _CLOCK_TICKS


def read_cpu_ms(pid: int) -> float:
    """Return the CPU milliseconds so far of the threads that still run, finer than a clock tick."""
    stats = (path.read_text(encoding="utf-8") for path in Path(f"/proc/{pid}/task").glob("*/schedstat"))
    return sum(int(line.split()[0]) for line in stats) / 1e6


def read_rss_megabytes(pid: int) -> float:
    """Return the resident memory."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


def wait_until_idle(pid: int) -> None:
    """Wait until a process that was just started has finished its work in the background.

    Raises:
        SystemExit: It is still busy after a minute.
    """
    time.sleep(3)
    for _ in range(_MAX_SETTLING_SECONDS):
        before = read_cpu_ms(pid)
        time.sleep(1)
        if read_cpu_ms(pid) - before < _MAX_IDLE_CPU_MS:
            return
    raise SystemExit("the bot does not come to rest")
