"""Time limits of tests beside other test processes."""

import os


def on_this_machine(seconds: float) -> float:
    """Return the limit beside other test processes for work that takes at most `seconds` alone.

    `make bench` measures exact times; tests only distinguish immediate work from waits for a lease, a timeout or a
    retry.
    """
    return seconds * int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
