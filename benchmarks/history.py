"""How fast messages are stored with their full-text index, how fast a window is read, how fast words are found.

Run: python benchmarks/history.py [--rows 1000000] [--chats 20]. The messages are made up, half English, half Chinese,
their words drawn with Zipf's frequencies; most of them are in one busy chat. Figures are printed as JSON.
"""

import argparse
import asyncio
import json
import random
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path

from services.history.service import HistoryService
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.storage.database import Database
from services.storage.messages.store import SqlMessageStore

START = datetime(2026, 1, 1, tzinfo=UTC)
VOCABULARY = 20_000
WINDOW = 1_000
ASKED = 200
CONCURRENT = 500


def words(numbers: random.Random) -> Callable[[], list[str]]:
    english = ["".join(numbers.choices("abcdefghijklmnoprstuvw", k=numbers.randint(3, 9))) for _ in range(VOCABULARY)]
    chinese = ["".join(chr(numbers.randint(0x4E00, 0x5E00)) for _ in range(2)) for _ in range(VOCABULARY)]
    weights = list(accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))

    def drawn() -> list[str]:
        is_chinese = numbers.random() < 0.5
        return numbers.choices(chinese if is_chinese else english, cum_weights=weights, k=numbers.randint(4, 16))

    return drawn


def messages(count: int, chats: int, drawn: Callable[[], list[str]], numbers: random.Random) -> Iterator[ChatMessage]:
    for number in range(count):
        chat = 0 if numbers.random() < 0.5 else numbers.randrange(chats)
        chosen = drawn()
        yield ChatMessage(
            id=str(number),
            address=ChatAddress(platform="bench", chat_id=str(chat)),
            sender=Person(id=f"p{number % 50}", name=f"Person {number % 50}"),
            text=("" if not chosen[0].isascii() else " ").join(chosen),
            sent_at=START + timedelta(seconds=number),
        )


async def stored(history: HistoryService, batches: list[list[ChatMessage]]) -> float:
    """Record as a busy bot does, many at a time, each waiting for its commit; return the seconds it took."""
    begun = time.perf_counter()
    for batch in batches:
        await asyncio.gather(*(history.record(message) for message in batch))
    return time.perf_counter() - begun


def megabytes(folder: Path) -> int:
    return round(sum(each.stat().st_size for each in folder.iterdir()) / 1e6)


async def timed(works: list[Callable[[], Awaitable[object]]]) -> dict[str, float]:
    """Time on the clock, and of the processor alone, which other programs on the machine do not lengthen."""
    taken, worked = [], []
    for work in works:
        begun, busy = time.perf_counter(), time.process_time()
        await work()
        taken.append((time.perf_counter() - begun) * 1000)
        worked.append((time.process_time() - busy) * 1000)
    return {
        "median_ms": round(statistics.median(taken), 2),
        "p95_ms": round(statistics.quantiles(taken, n=20)[-1], 2),
        "max_ms": round(max(taken), 2),
        "cpu_median_ms": round(statistics.median(worked), 2),
        "cpu_p95_ms": round(statistics.quantiles(worked, n=20)[-1], 2),
    }


async def measure(rows: int, chats: int, folder: Path) -> dict[str, object]:
    numbers = random.Random(6)
    drawn = words(numbers)
    source = messages(rows, chats, drawn, numbers)
    busy = ChatAddress(platform="bench", chat_id="0")
    async with Database(f"sqlite:///{folder / 'bench.db'}") as database:
        history = HistoryService(SqlMessageStore(database))
        seconds, spent, slowest, left = 0.0, 0.0, float("inf"), rows
        while left > 0:
            lot = [next(source) for _ in range(min(left, 20_000))]
            worked = time.process_time()
            took = await stored(history, [lot[at : at + CONCURRENT] for at in range(0, len(lot), CONCURRENT)])
            spent += time.process_time() - worked
            seconds, slowest, left = seconds + took, min(slowest, len(lot) / took), left - len(lot)
        queries = [" ".join(numbers.sample(drawn(), k=numbers.randint(1, 3))) for _ in range(ASKED)]
        return {
            "rows": rows,
            "chats": chats,
            "file_mb": await asyncio.to_thread(megabytes, folder),
            "ingestion_per_second": round(rows / seconds),
            "ingestion_per_cpu_second": round(rows / spent),
            "slowest_lot_per_second": round(slowest),
            "window_of_1000": await timed([lambda: history.recent(busy, WINDOW)] * 50),
            "window_since": await timed(
                [lambda: history.since(busy, START + timedelta(seconds=rows - 2 * WINDOW), WINDOW)] * 50
            ),
            "search_busy_chat": await timed([lambda q=q: history.search(busy, q, 10) for q in queries]),
            "search_other_chat": await timed(
                [
                    lambda q=q: history.search(ChatAddress(platform="bench", chat_id=str(chats - 1)), q, 10)
                    for q in queries
                ]
            ),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description="Benchmark of the history.")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--chats", type=int, default=20)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(asyncio.run(measure(chosen.rows, chosen.chats, Path(folder))), indent=2))


if __name__ == "__main__":
    main()
