"""Time allowed for "at once" while other tests use the same processors."""

import os


def on_this_machine(seconds: float) -> float:
    """What work that takes at most `seconds` with the machine to itself may take beside the other test processes.

    The exact times are measured by `make bench`; a test only tells a thing done at once from one that waits for
    a lease, a timeout or a second try.
    """
    return seconds * int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
