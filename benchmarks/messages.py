"""Measure messages without a model end to end: platform, gate, history on disk, offline interpreter, reply.

    python benchmarks/messages.py --messages 500

Prints the CPU milliseconds for a message of chatter, which the bot only records, and for a request, which it answers,
and the messages per second when sent one after another. `interpreter_per_second` is the offline interpreter alone, on
one core.
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Iterable

from loguru import logger

from bot.app.application import build_app
from bot.config.settings import BotSettings, LogSettings, RouterSettings, Settings
from bot.testing.platform import FakePlatform
from bot.testing.turns import make_turn
from function_calls.tools.calls import ToolSpec
from function_calls.understanding import OfflineInterpreter
from services.kernel.clock import SystemClock
from services.storage.database import Database

logger.remove()

_CHATTER = ("the train leaves from platform four", "我昨天看了那部电影", "lol", "who has the keys?", "好的，明天见")
_REQUESTS = ("list my reminders", "what can you do?", "我有哪些提醒", "remind me tomorrow at 9 to call number {n}")


async def measure(messages: int) -> dict[str, float]:
    """Return all figures of one run."""
    clock = SystemClock()
    platform = FakePlatform(clock)
    settings = Settings(
        bot=BotSettings(timezone="UTC"),
        log=LogSettings(to_file=False, level="WARNING"),
        router=RouterSettings(messages_per_minute=1_000_000),
    )
    with tempfile.TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{folder}/bench.db")
        async with build_app(settings, platforms=[platform], clock=clock, database=database) as bot:
            figures = {}
            for name, texts, is_private in (("chatter", _CHATTER, False), ("request", _REQUESTS, True)):
                for number in range(20):
                    await platform.say(texts[number % len(texts)].format(n=-number), is_private=is_private)
                wall, cpu = time.perf_counter(), time.process_time()
                for number in range(messages):
                    await platform.say(texts[number % len(texts)].format(n=number), is_private=is_private)
                wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
                figures[f"{name}_cpu_ms"] = round(cpu * 1000 / messages, 2)
                figures[f"{name}_per_second"] = round(messages / wall)
            tools = bot.calls.registry.specs
    return figures | {"interpreter_per_second": await _measure_interpreter(messages, tools)}


async def _measure_interpreter(messages: int, tools: Iterable[ToolSpec]) -> int:
    interpreter = OfflineInterpreter()
    turns = [make_turn(text.format(n=1), tools=tools) for text in _REQUESTS + _CHATTER]
    for turn in turns:
        await interpreter.interpret(turn)
    start = time.process_time()
    for number in range(messages):
        await interpreter.interpret(turns[number % len(turns)])
    return round(messages / (time.process_time() - start))


def main() -> None:
    """Measure and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=500)
    print(json.dumps(asyncio.run(measure(parser.parse_args().messages)), indent=2))


if __name__ == "__main__":
    main()
