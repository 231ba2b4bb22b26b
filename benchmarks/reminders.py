"""Measure the delay of reminders that are due at the same time, with 10,000 others pending.

    python benchmarks/reminders.py --due 100 1000 10000
    python benchmarks/reminders.py --url postgresql://… (an empty database)

The database is SQLite in a temporary folder by default. The delay is the time in milliseconds from the due time to the
hand-over to the queue of the platform, which takes no time itself. `stall_ms` is the longest time for which the event
loop was blocked. `benchmarks/reminders_contender.py` is for a longer public benchmark with kills and outages.
"""

import argparse
import asyncio
import json
import tempfile
import time

from reminders_contender import Ours

_LEAD_SECONDS = 3.0
_PENDING_SECONDS = 30 * 86_400
_INTERVAL_SECONDS = 0.002
_TIMEOUT_SECONDS = 60


async def measure_burst(url: str, due: int, pending: int) -> dict[str, float]:
    """Deliver `due` reminders of one due time while `pending` others wait, and return the figures."""
    bot = Ours(url, {})
    await bot.open()
    delays: list[float] = []
    complete = asyncio.Event()

    async def deliver(_key: str, due_at: float) -> None:
        delays.append((time.time() - due_at) * 1000)
        if len(delays) >= due:
            complete.set()

    far = time.time() + _PENDING_SECONDS
    await bot.add_many([(f"far-{due}-{number}", far + number) for number in range(pending)])
    start = time.perf_counter()
    due_time = time.time() + _LEAD_SECONDS + due / 10_000
    await bot.add_many([(f"due-{due}-{number}", due_time) for number in range(due)])
    adding_seconds = time.perf_counter() - start
    await bot.start(deliver)
    stall_task = asyncio.create_task(_measure_max_stall(due_time))
    await asyncio.wait_for(complete.wait(), _TIMEOUT_SECONDS)
    stall = await stall_task
    await asyncio.sleep(0.5)  # a duplicate would be counted
    await bot.close()
    delays.sort()
    return {
        "due": due,
        "handed_over": len(delays),
        "p50_ms": round(delays[len(delays) // 2], 1),
        "p99_ms": round(delays[int(len(delays) * 0.99)], 1),
        "stall_ms": round(stall, 1),
        "added_per_second": round(due / adding_seconds),
    }


async def _measure_max_stall(due_time: float) -> float:
    """Return the longest blocking of the event loop in milliseconds, until one second after `due_time`."""
    await asyncio.sleep(max(0.0, due_time - time.time() - 0.2))
    longest, before = 0.0, time.perf_counter()
    while time.time() < due_time + 1:
        await asyncio.sleep(_INTERVAL_SECONDS)
        now = time.perf_counter()
        longest, before = max(longest, now - before - _INTERVAL_SECONDS), now
    return longest * 1000


async def measure(url: str | None, sizes: list[int], pending: int) -> list[dict[str, float]]:
    """Measure a burst of each size, each in a new database unless `url` names one."""
    bursts = []
    for due in sizes:
        with tempfile.TemporaryDirectory() as folder:
            bursts.append(await measure_burst(url or f"sqlite:///{folder}/bench.db", due, pending))
    return bursts


def main() -> None:
    """Measure and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--due", type=int, nargs="+", default=[100, 1_000, 10_000])
    parser.add_argument("--pending", type=int, default=10_000)
    parser.add_argument("--url")
    options = parser.parse_args()
    print(json.dumps(asyncio.run(measure(options.url, options.due, options.pending)), indent=2))


if __name__ == "__main__":
    main()
