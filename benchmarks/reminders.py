"""How late reminders are that fall due in one instant, with 10,000 others waiting.

    python benchmarks/reminders.py --due 100 1000 10000
    python benchmarks/reminders.py --url postgresql://… (an empty database)

The database is SQLite in a temporary folder unless told otherwise. Lateness is from the due instant to the hand-over
to the platform's queue, in milliseconds; the platform itself takes no time. `stall` is the longest time for which the
event loop was away. The longer benchmark with kills, outages and peers takes `benchmarks/reminders_contender.py`.
"""

import argparse
import asyncio
import json
import tempfile
import time

from reminders_contender import Ours

_LEAD_SECONDS = 3.0
_FAR_SECONDS = 30 * 86_400
_BEAT_SECONDS = 0.002
_PATIENCE_SECONDS = 60


async def burst(url: str, due: int, pending: int) -> dict[str, float]:
    """Let `due` reminders fall due at once while `pending` others wait."""
    bot = Ours(url, {})
    await bot.open()
    late: list[float] = []
    complete = asyncio.Event()

    async def deliver(_key: str, wanted: float) -> None:
        late.append((time.time() - wanted) * 1000)
        if len(late) >= due:
            complete.set()

    far = time.time() + _FAR_SECONDS
    await bot.add_many([(f"far-{due}-{number}", far + number) for number in range(pending)])
    began = time.perf_counter()
    moment = time.time() + _LEAD_SECONDS + due / 10_000
    await bot.add_many([(f"due-{due}-{number}", moment) for number in range(due)])
    added = time.perf_counter() - began
    await bot.start(deliver)
    beat = asyncio.create_task(_max_absence(moment))
    await asyncio.wait_for(complete.wait(), _PATIENCE_SECONDS)
    stall = await beat
    await asyncio.sleep(0.5)  # a second hand-over would be counted
    await bot.close()
    late.sort()
    return {
        "due": due,
        "handed_over": len(late),
        "p50_ms": round(late[len(late) // 2], 1),
        "p99_ms": round(late[int(len(late) * 0.99)], 1),
        "stall_ms": round(stall, 1),
        "added_per_second": round(due / added),
    }


async def _max_absence(moment: float) -> float:
    """Milliseconds between two turns of the loop, over the second around `moment`."""
    await asyncio.sleep(max(0.0, moment - time.time() - 0.2))
    longest, before = 0.0, time.perf_counter()
    while time.time() < moment + 1:
        await asyncio.sleep(_BEAT_SECONDS)
        now = time.perf_counter()
        longest, before = max(longest, now - before - _BEAT_SECONDS), now
    return longest * 1000


async def measure(url: str | None, sizes: list[int], pending: int) -> list[dict[str, float]]:
    """One burst of each size, each with a database of its own where that is a file."""
    found = []
    for due in sizes:
        with tempfile.TemporaryDirectory() as folder:
            found.append(await burst(url or f"sqlite:///{folder}/bench.db", due, pending))
    return found


def main() -> None:
    """Measure and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--due", type=int, nargs="+", default=[100, 1_000, 10_000])
    parser.add_argument("--pending", type=int, default=10_000)
    parser.add_argument("--url")
    chosen = parser.parse_args()
    print(json.dumps(asyncio.run(measure(chosen.url, chosen.due, chosen.pending)), indent=2))


if __name__ == "__main__":
    main()
