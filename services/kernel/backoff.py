"""Compute growing pauses between attempts."""

from collections.abc import Iterator


def growing_pauses(first: float, longest: float) -> Iterator[float]:
    """Yield seconds for ever: `first`, and each time twice as many, up to `longest`."""
    pause = first
    while True:
        yield pause
        pause = min(2 * pause, longest)
