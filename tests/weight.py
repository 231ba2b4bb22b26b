"""Measure the memory of this process, for long runs."""

import gc
import os
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")


def resident_bytes() -> int:
    """The bytes of this process that are in memory, after what is no longer needed has been let go."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE
