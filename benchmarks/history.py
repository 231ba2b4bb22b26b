"""Measure the history: storing messages with their full-text index, reading a window, and searching.

    python benchmarks/history.py --rows 1000000 --chats 20

The messages are generated, half of them in English and half in Chinese, with words in Zipf's frequencies. About half of
them are in one busy chat. Prints JSON.
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
QUERIES = 200
CHUNK_SIZE = 20_000
CONCURRENT_WRITES = 500


def make_word_source(numbers: random.Random) -> Callable[[], list[str]]:
    """Return a function that draws the 4 to 16 words of a message, in English or in Chinese."""
    english = ["".join(numbers.choices("abcdefghijklmnoprstuvw", k=numbers.randint(3, 9))) for _ in range(VOCABULARY)]
    chinese = ["".join(chr(numbers.randint(0x4E00, 0x5E00)) for _ in range(2)) for _ in range(VOCABULARY)]
    weights = list(accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))

    def draw_words() -> list[str]:
        is_chinese = numbers.random() < 0.5
        return numbers.choices(chinese if is_chinese else english, cum_weights=weights, k=numbers.randint(4, 16))

    return draw_words


def generate_messages(
    count: int, chats: int, draw_words: Callable[[], list[str]], numbers: random.Random
) -> Iterator[ChatMessage]:
    """Yield messages one second apart, every second one of them on average in chat 0."""
    for number in range(count):
        chat = 0 if numbers.random() < 0.5 else numbers.randrange(chats)
        words = draw_words()
        yield ChatMessage(
            id=str(number),
            address=ChatAddress(platform="bench", chat_id=str(chat)),
            sender=Person(id=f"p{number % 50}", name=f"Person {number % 50}"),
            text=(" " if words[0].isascii() else "").join(words),
            sent_at=START + timedelta(seconds=number),
        )


async def record_batches(history: HistoryService, batches: list[list[ChatMessage]]) -> float:
    """Record the messages of a batch concurrently, each waiting for its commit; return the seconds it took."""
    start = time.perf_counter()
    for batch in batches:
        await asyncio.gather(*(history.record(message) for message in batch))
    return time.perf_counter() - start


def measure_megabytes(folder: Path) -> int:
    """Return the size of the files in `folder`."""
    return round(sum(each.stat().st_size for each in folder.iterdir()) / 1e6)


async def measure_latency(calls: list[Callable[[], Awaitable[object]]]) -> dict[str, float]:
    """Return statistics of the wall time and, less affected by other processes, of the CPU time of `calls`."""
    wall_ms, cpu_ms = [], []
    for call in calls:
        wall_start, cpu_start = time.perf_counter(), time.process_time()
        await call()
        wall_ms.append((time.perf_counter() - wall_start) * 1000)
        cpu_ms.append((time.process_time() - cpu_start) * 1000)
    return {
        "median_ms": round(statistics.median(wall_ms), 2),
        "p95_ms": round(statistics.quantiles(wall_ms, n=20)[-1], 2),
        "max_ms": round(max(wall_ms), 2),
        "cpu_median_ms": round(statistics.median(cpu_ms), 2),
        "cpu_p95_ms": round(statistics.quantiles(cpu_ms, n=20)[-1], 2),
    }


async def measure(rows: int, chats: int, folder: Path) -> dict[str, object]:
    """Return all figures of one run, with the database in `folder`."""
    numbers = random.Random(6)
    draw_words = make_word_source(numbers)
    source = generate_messages(rows, chats, draw_words, numbers)
    busy = ChatAddress(platform="bench", chat_id="0")
    async with Database(f"sqlite:///{folder / 'bench.db'}") as database:
        history = HistoryService(SqlMessageStore(database))
        wall, cpu, slowest, remaining = 0.0, 0.0, float("inf"), rows
        while remaining > 0:
            chunk = [next(source) for _ in range(min(remaining, CHUNK_SIZE))]
            batches = [chunk[at : at + CONCURRENT_WRITES] for at in range(0, len(chunk), CONCURRENT_WRITES)]
            cpu_start = time.process_time()
            seconds = await record_batches(history, batches)
            cpu += time.process_time() - cpu_start
            wall, slowest = wall + seconds, min(slowest, len(chunk) / seconds)
            remaining -= len(chunk)
        queries = [" ".join(numbers.sample(draw_words(), k=numbers.randint(1, 3))) for _ in range(QUERIES)]
        return {
            "rows": rows,
            "chats": chats,
            "file_mb": await asyncio.to_thread(measure_megabytes, folder),
            "ingestion_per_second": round(rows / wall),
            "ingestion_per_cpu_second": round(rows / cpu),
            "slowest_lot_per_second": round(slowest),
            "window_of_1000": await measure_latency([lambda: history.recent(busy, WINDOW)] * 50),
            "window_since": await measure_latency(
                [lambda: history.since(busy, START + timedelta(seconds=rows - 2 * WINDOW), WINDOW)] * 50
            ),
            "search_busy_chat": await measure_latency([lambda q=q: history.search(busy, q, 10) for q in queries]),
            "search_other_chat": await measure_latency(
                [
                    lambda q=q: history.search(ChatAddress(platform="bench", chat_id=str(chats - 1)), q, 10)
                    for q in queries
                ]
            ),
        }


def main() -> None:
    """Measure and print JSON."""
    parser = argparse.ArgumentParser(description="Benchmark of the history.")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--chats", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(asyncio.run(measure(options.rows, options.chats, Path(folder))), indent=2))


if __name__ == "__main__":
    main()
